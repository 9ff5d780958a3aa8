// Package config is Quartet's configuration: defaults, then a file, then the
// environment (QUARTET_*), then flags.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/quartet-agents/quartet/configs"
)

// Config is the whole configuration. See configs/quartet.yaml for what each
// key means.
type Config struct {
	Browser           Browser `yaml:"browser" json:"browser"`
	NATS              NATS    `yaml:"nats" json:"nats"`
	Runs              string  `yaml:"runs" json:"runs"`
	Files             string  `yaml:"files" json:"files"`
	EnvFile           string  `yaml:"env_file" json:"env_file"`
	Vision            string  `yaml:"vision" json:"vision"`
	Models            Models  `yaml:"models" json:"models"`
	Limits            Limits  `yaml:"limits" json:"limits"`
	ObservationTokens int     `yaml:"observation_tokens" json:"observation_tokens"`
	Log               Log     `yaml:"log" json:"log"`
}

// Browser says which browser is used.
type Browser struct {
	Executable       string `yaml:"executable" json:"executable"`
	Endpoint         string `yaml:"endpoint" json:"endpoint"`
	Input            string `yaml:"input" json:"input"`
	Headless         bool   `yaml:"headless" json:"headless"`
	Downloads        string `yaml:"downloads" json:"downloads"`
	BrowserDownloads string `yaml:"browser_downloads" json:"browser_downloads"`
}

// NATS says which server the agents meet on.
type NATS struct {
	URL   string `yaml:"url" json:"url"`
	Store string `yaml:"store" json:"store"`
}

// Models names the models by role, "provider/model".
type Models struct {
	Planner  string `yaml:"planner" json:"planner"`
	Verifier string `yaml:"verifier" json:"verifier"`
	Vision   string `yaml:"vision" json:"vision"`
}

// Limits are a run's caps (DESIGN 2.9); a workflow's own limits override them.
type Limits struct {
	Steps       int `yaml:"steps" json:"steps"`
	Seconds     int `yaml:"seconds" json:"seconds"`
	Tokens      int `yaml:"tokens" json:"tokens"`
	StepSeconds int `yaml:"step_seconds" json:"step_seconds"`
	SameState   int `yaml:"same_state" json:"same_state"`
}

// Log says how much is logged, and how.
type Log struct {
	Level  string `yaml:"level" json:"level"`
	Format string `yaml:"format" json:"format"`
}

// Load returns the defaults overridden by the file at path (or, where path is
// "", by ./quartet.yaml if there is one) and by QUARTET_* among environ
// ("KEY=VALUE" strings). Unknown keys and values out of range are errors that
// name the file or the variable.
func Load(path string, environ []string) (Config, error) {
	var c Config
	if err := decode("configs/quartet.yaml", configs.Default, &c); err != nil {
		return c, err
	}
	optional := path == ""
	if optional {
		path = "quartet.yaml"
	}
	switch data, err := os.ReadFile(path); {
	case err == nil:
		if err := decode(path, data, &c); err != nil {
			return c, err
		}
	case !optional || !errors.Is(err, fs.ErrNotExist):
		return c, fmt.Errorf("configuration: %w", err)
	}
	if err := overlay(reflect.ValueOf(&c).Elem(), "QUARTET", environMap(environ)); err != nil {
		return c, err
	}
	return c, c.Validate()
}

func decode(name string, data []byte, c *Config) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(c); err != nil {
		return fmt.Errorf("configuration %s: %s", name, yaml.FormatError(err, false, true))
	}
	return nil
}

// Validate says which value is out of range.
func (c Config) Validate() error {
	var errs []error
	oneOf := func(key, v string, want ...string) {
		for _, w := range want {
			if v == w {
				return
			}
		}
		errs = append(errs, fmt.Errorf("configuration: %s is %q, want one of %s", key, v, strings.Join(want, ", ")))
	}
	oneOf("vision", c.Vision, "never", "auto", "always")
	oneOf("browser.input", c.Browser.Input, "browser", "page")
	oneOf("log.level", c.Log.Level, "debug", "info", "warn", "error")
	oneOf("log.format", c.Log.Format, "auto", "text", "json")
	for _, n := range []struct {
		key   string
		value int
	}{{"limits.steps", c.Limits.Steps}, {"limits.seconds", c.Limits.Seconds}, {"limits.tokens", c.Limits.Tokens},
		{"limits.step_seconds", c.Limits.StepSeconds}, {"limits.same_state", c.Limits.SameState}, {"observation_tokens", c.ObservationTokens}} {
		if n.value <= 0 {
			errs = append(errs, fmt.Errorf("configuration: %s is %d, want more than 0", n.key, n.value))
		}
	}
	return errors.Join(errs...)
}

func environMap(environ []string) map[string]string {
	m := make(map[string]string, len(environ))
	for _, kv := range environ {
		if k, v, ok := strings.Cut(kv, "="); ok {
			m[k] = v
		}
	}
	return m
}

// overlay sets each field from prefix_KEY, nested structs by prefix_KEY_SUBKEY.
func overlay(v reflect.Value, prefix string, env map[string]string) error {
	for i := range v.NumField() {
		name := prefix + "_" + strings.ToUpper(v.Type().Field(i).Tag.Get("json"))
		field := v.Field(i)
		if field.Kind() == reflect.Struct {
			if err := overlay(field, name, env); err != nil {
				return err
			}
			continue
		}
		text, ok := env[name]
		if !ok {
			continue
		}
		switch field.Kind() {
		case reflect.String:
			field.SetString(text)
		case reflect.Bool:
			b, err := strconv.ParseBool(text)
			if err != nil {
				return fmt.Errorf("configuration: %s is %q, want true or false", name, text)
			}
			field.SetBool(b)
		case reflect.Int:
			n, err := strconv.Atoi(text)
			if err != nil {
				return fmt.Errorf("configuration: %s is %q, want a number", name, text)
			}
			field.SetInt(int64(n))
		}
	}
	return nil
}
