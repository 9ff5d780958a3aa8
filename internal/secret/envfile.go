package secret

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"
)

// maxEnvLine bounds a line of an env file, in bytes.
const maxEnvLine = 1 << 20

var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

// File reads an env file into a source, once. A file that is not there is an
// error that wraps fs.ErrNotExist.
func File(path string) (Source, error) {
	f, err := os.Open(path)
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			return nil, fmt.Errorf("env file %s: %w", path, pe.Err)
		}
		return nil, err
	}
	defer f.Close()
	m, err := Parse(f)
	if err != nil {
		return nil, fmt.Errorf("env file %s: %w", path, err)
	}
	return Map(m), nil
}

// Parse reads lines of the form KEY=VALUE, as docker compose and shells write
// them: "export" before the key, comments after #, values in single quotes
// taken as they are, in double quotes with \n \r \t \\ \" \$ escapes, otherwise up
// to a space followed by #. Nothing is expanded. An error names the line only,
// never its content.
func Parse(r io.Reader) (map[string]string, error) {
	out := map[string]string{}
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 0, 4096), maxEnvLine)
	for n := 1; sc.Scan(); n++ {
		line := strings.TrimSpace(strings.TrimPrefix(sc.Text(), "\ufeff"))
		if line == "" || line[0] == '#' {
			continue
		}
		line = strings.TrimSpace(strings.TrimPrefix(line, "export "))
		key, rest, ok := strings.Cut(line, "=")
		key = strings.TrimSpace(key)
		if !ok || !envName.MatchString(key) {
			return nil, fmt.Errorf("line %d: want KEY=VALUE", n)
		}
		v, err := envValue(strings.TrimSpace(rest))
		if err != nil {
			return nil, fmt.Errorf("line %d (%s): %w", n, key, err)
		}
		out[key] = v
	}
	return out, sc.Err()
}

func envValue(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	switch s[0] {
	case '\'':
		v, rest, ok := strings.Cut(s[1:], "'")
		if !ok || !tail(rest) {
			return "", errors.New("a quote is not closed, or something follows it")
		}
		return v, nil
	case '"':
		var b strings.Builder
		for i := 1; i < len(s); i++ {
			switch c := s[i]; {
			case c == '"':
				if !tail(s[i+1:]) {
					return "", errors.New("something follows the closing quote")
				}
				return b.String(), nil
			case c == '\\' && i+1 < len(s):
				i++
				switch s[i] {
				case 'n':
					b.WriteByte('\n')
				case 'r':
					b.WriteByte('\r')
				case 't':
					b.WriteByte('\t')
				case '\\', '"', '$':
					b.WriteByte(s[i])
				default:
					b.WriteByte('\\')
					b.WriteByte(s[i])
				}
			default:
				b.WriteByte(c)
			}
		}
		return "", errors.New("a quote is not closed")
	}
	for _, mark := range []string{" #", "\t#"} {
		if i := strings.Index(s, mark); i >= 0 {
			s = s[:i]
		}
	}
	return strings.TrimSpace(s), nil
}

// tail tells whether only a comment follows.
func tail(s string) bool {
	s = strings.TrimSpace(s)
	return s == "" || s[0] == '#'
}
