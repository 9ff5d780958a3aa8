//go:build unix

package topology_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/quartet-agents/quartet/internal/config"
)

// A composeFile is what the tests take over from docker-compose.yml, so that
// what they prove is what the file says.
type composeFile struct {
	Services map[string]service `yaml:"services"`
	Configs  map[string]struct {
		Content string `yaml:"content"`
	} `yaml:"configs"`
}

type service struct {
	Command     []string          `yaml:"command"`
	Environment map[string]string `yaml:"environment"`
	Healthcheck struct {
		Test []string `yaml:"test"`
	} `yaml:"healthcheck"`
}

func readCompose(t *testing.T) composeFile {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "docker-compose.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var c composeFile
	// A key that stands beside a merged one overrides it.
	if err := yaml.UnmarshalWithOptions([]byte(interpolate(string(data))), &c, yaml.AllowDuplicateMapKey()); err != nil {
		t.Fatalf("docker-compose.yml: %v", err)
	}
	return c
}

// variable is ${NAME:-default}; nothing is set in these tests.
var variable = regexp.MustCompile(`\$\{[A-Z_]+:-([^}]*)\}`)

func interpolate(s string) string { return variable.ReplaceAllString(s, "$1") }

// service returns a service, which must be there.
func (c composeFile) service(t *testing.T, name string) service {
	t.Helper()
	s, ok := c.Services[name]
	if !ok || len(s.Command) == 0 {
		t.Fatalf("docker-compose.yml has no service %q with a command", name)
	}
	return s
}

// setting is one variable of a service's environment, which must be there.
func (c composeFile) setting(t *testing.T, name, key string) string {
	t.Helper()
	v := c.service(t, name).Environment[key]
	if v == "" {
		t.Fatalf("docker-compose.yml: service %q does not set %s", name, key)
	}
	return v
}

// env is a service's environment with the addresses and folders of the
// containers replaced by those of the processes here.
func (w *world) env(t *testing.T, s service) []string {
	t.Helper()
	var out []string
	for k, v := range s.Environment {
		v = w.places.Replace(v)
		if strings.HasPrefix(v, "/") && !strings.HasPrefix(v, w.dir+"/") {
			t.Fatalf("docker-compose.yml: %s=%s is a folder that this test does not know", k, v)
		}
		out = append(out, k+"="+v)
	}
	return out
}

// natsConfig writes the server's configuration as the compose file has it; only
// the folder of its store is another one.
func (c composeFile) natsConfig(t *testing.T, dir string) (path string) {
	t.Helper()
	text := c.Configs["nats"].Content
	const folder = "store_dir: /data"
	if strings.Count(text, folder) != 1 {
		t.Fatalf("docker-compose.yml: configs.nats.content does not say %q once:\n%s", folder, text)
	}
	text = strings.Replace(text, folder, fmt.Sprintf("store_dir: %q", filepath.Join(dir, "data")), 1)
	path = filepath.Join(dir, "nats.conf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestComposeEnvironment: what the compose file sets is what the configuration
// reads; a name that nobody reads would be ignored in silence.
func TestComposeEnvironment(t *testing.T) {
	known := map[string]bool{}
	var walk func(reflect.Type, string)
	walk = func(s reflect.Type, prefix string) {
		for i := range s.NumField() {
			name := prefix + "_" + strings.ToUpper(s.Field(i).Tag.Get("json"))
			if known[name] = true; s.Field(i).Type.Kind() == reflect.Struct {
				delete(known, name)
				walk(s.Field(i).Type, name)
			}
		}
	}
	walk(reflect.TypeFor[config.Config](), "QUARTET")
	seen := 0
	for name, s := range readCompose(t).Services {
		for k := range s.Environment {
			if !strings.HasPrefix(k, "QUARTET_") || strings.HasPrefix(k, "QUARTET_VAR_") {
				continue
			}
			if seen++; !known[k] {
				t.Errorf("service %s sets %s, which the configuration does not know", name, k)
			}
		}
	}
	if seen == 0 {
		t.Error("no service has an environment")
	}
}
