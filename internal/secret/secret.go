// Package secret finds the values of ${secret:NAME} in the environment and in
// env files, and writes them into a text at the last moment. Only the actor's
// process uses it for values; everybody else may ask for names (DESIGN 2.8).
//
// Its functions keep no state and are safe for concurrent use. Errors name
// secrets and never hold a value.
package secret

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// A Source gives the value of a secret by its name; false when it has none.
type Source func(name string) (string, bool)

// None is the source that knows no secret.
func None(string) (string, bool) { return "", false }

// A MissingError names a secret that no source has.
type MissingError struct{ Name string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("the secret %s is not set; put it into the environment or the env file", e.Name)
}

var reference = regexp.MustCompile(`\$\{secret:([A-Za-z_][A-Za-z0-9_.-]*)\}`)

// Environment is the source that reads the process environment at each call.
// With names given, it answers for these only.
func Environment(names ...string) Source {
	return func(name string) (string, bool) {
		if len(names) > 0 && !slices.Contains(names, name) {
			return "", false
		}
		return os.LookupEnv(name)
	}
}

// Map is the source that holds the values of m.
func Map(m map[string]string) Source {
	return func(name string) (string, bool) {
		v, ok := m[name]
		return v, ok
	}
}

// First asks the sources in order and takes the first answer.
func First(sources ...Source) Source {
	return func(name string) (string, bool) {
		for _, s := range sources {
			if s == nil {
				continue
			}
			if v, ok := s(name); ok {
				return v, true
			}
		}
		return "", false
	}
}

// Expand replaces each ${secret:NAME} in text by its value; used tells whether
// there was any. The error is a *MissingError, and value is then empty.
func Expand(text string, s Source) (value string, used bool, err error) {
	if s == nil {
		s = None
	}
	var missing *MissingError
	value = reference.ReplaceAllStringFunc(text, func(m string) string {
		used = true
		name := reference.FindStringSubmatch(m)[1]
		v, ok := s(name)
		if !ok && missing == nil {
			missing = &MissingError{Name: name}
		}
		return v
	})
	if missing != nil {
		return "", used, missing
	}
	return value, used, nil
}

// Names lists the secrets that the texts refer to, each once, in order.
func Names(texts ...string) []string {
	var out []string
	for _, t := range texts {
		for _, m := range reference.FindAllStringSubmatch(t, -1) {
			if !slices.Contains(out, m[1]) {
				out = append(out, m[1])
			}
		}
	}
	return out
}

// Missing lists those of names that the source does not have.
func Missing(s Source, names []string) []string {
	var out []string
	for _, n := range names {
		if s == nil {
			out = append(out, n)
		} else if _, ok := s(n); !ok {
			out = append(out, n)
		}
	}
	return out
}

// Mask replaces each occurrence of the values in text by "•••". Values shorter
// than four bytes are left: masking them would mangle ordinary words.
func Mask(text string, values []string) string {
	for _, v := range values {
		if len(v) >= 4 {
			text = strings.ReplaceAll(text, v, "•••")
		}
	}
	return text
}
