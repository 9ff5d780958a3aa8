package middleware

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// MinSecretSubstring is the shortest secret, in characters, that is replaced
// inside a longer string. A shorter one is replaced only where it is a whole
// JSON string value: a PIN "12" must not turn every "2012" into noise.
const MinSecretSubstring = 4

// A Redactor replaces secret values in what leaves a process. It is safe for
// concurrent use; secrets may be added at any time. The zero value redacts
// nothing.
//
// Only JSON string values are touched. Object keys and numbers stay as they
// are, since a key replaced would be a message that nobody can read; a secret
// that is a field name or a number of ours is not one. The URL-escaped forms
// of a secret are replaced too.
type Redactor struct {
	mu      sync.RWMutex
	secrets []secret // longest first, so that a secret inside another goes last
}

type secret struct {
	value, mark string
	whole       bool // only as a whole value
}

// NewRedactor returns a Redactor for the values, without names.
func NewRedactor(values ...string) *Redactor {
	r := &Redactor{}
	for _, v := range values {
		r.Add("", v)
	}
	return r
}

// Add makes value a secret, also in upper and lower case, escaped for a URL and
// in base64, as pages show values back. It is replaced by "[secret:name]", which expands
// to nothing anywhere, or by "[secret]" without a name. An empty value is ignored.
func (r *Redactor) Add(name, value string) {
	if value == "" {
		return
	}
	mark := "[secret]"
	if name != "" {
		mark = "[secret:" + name + "]"
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range []string{value, url.QueryEscape(value), url.PathEscape(value), strings.ToUpper(value), strings.ToLower(value),
		base64.StdEncoding.EncodeToString([]byte(value)), base64.RawStdEncoding.EncodeToString([]byte(value)),
		base64.URLEncoding.EncodeToString([]byte(value)), base64.RawURLEncoding.EncodeToString([]byte(value)),
		// As others write it: encodeURIComponent, HTML, a string in quotes, and a
		// text in which quotation marks were made single.
		strings.ReplaceAll(url.QueryEscape(value), "+", "%20"), component(value), html.EscapeString(value), quoted(value), strings.ReplaceAll(value, `"`, "'")} {
		if slices.ContainsFunc(r.secrets, func(s secret) bool { return s.value == v }) {
			continue
		}
		r.secrets = append(r.secrets, secret{v, mark, utf8.RuneCountInString(value) < MinSecretSubstring})
	}
	slices.SortStableFunc(r.secrets, func(a, b secret) int { return cmp.Compare(len(b.value), len(a.value)) })
}

// component is value as encodeURIComponent writes it.
func component(value string) string {
	return strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*").Replace(url.QueryEscape(value))
}

// quoted is the inside of value as a JSON string.
func quoted(value string) string {
	data, err := json.Marshal(value)
	if err != nil {
		return value
	}
	return strings.Trim(string(data), `"`)
}

// Text redacts plain text; secrets shorter than MinSecretSubstring only where
// they are all of it.
func (r *Redactor) Text(s string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.text(s)
}

func (r *Redactor) text(s string) string {
	for _, x := range r.secrets {
		if s == x.value {
			return x.mark
		}
		if !x.whole {
			s = strings.ReplaceAll(s, x.value, x.mark)
		}
	}
	return s
}

// JSON redacts the string values of a JSON document and leaves every other
// byte alone. Data that is not JSON is redacted as text. The input is not
// changed; it is returned itself where nothing was found.
func (r *Redactor) JSON(data []byte) []byte {
	if r == nil {
		return data
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	if len(r.secrets) == 0 {
		return data
	}
	if !json.Valid(data) {
		if s := r.text(string(data)); s != string(data) {
			return []byte(s)
		}
		return data
	}
	var out []byte // nil until something was replaced
	last := 0
	for i := 0; i < len(data); i++ {
		if data[i] != '"' {
			continue
		}
		start := i
		plain := true
		for i++; data[i] != '"'; i++ {
			if data[i] == '\\' {
				plain = false
				i++
			}
		}
		if isKey(data[i+1:]) {
			continue
		}
		lit := data[start : i+1]
		s := string(lit[1 : len(lit)-1])
		if !plain && json.Unmarshal(lit, &s) != nil {
			continue
		}
		clean := r.text(s)
		if clean == s {
			continue
		}
		quoted, err := json.Marshal(clean)
		if err != nil { // a string always marshals
			continue
		}
		out = append(append(out, data[last:start]...), quoted...)
		last = i + 1
	}
	if out == nil {
		return data
	}
	return append(out, data[last:]...)
}

func isKey(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return len(rest) > 0 && rest[0] == ':'
}

// Redact wraps either side of a call: what the process sends is cleaned, be it
// the request (calling side) or the reply (serving side).
func Redact(r *Redactor, serving bool) Middleware {
	if r == nil {
		return nil
	}
	return func(next Handler) Handler {
		return func(ctx context.Context, m *Message) (*Message, error) {
			if !serving {
				c := *m
				c.Data = r.JSON(m.Data)
				return next(ctx, &c)
			}
			reply, err := next(ctx, m)
			if reply != nil {
				c := *reply
				c.Data = r.JSON(reply.Data)
				reply = &c
			}
			return reply, err
		}
	}
}
