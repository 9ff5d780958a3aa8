package aria

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
)

// ErrTemplate is wrapped by every error about a template that cannot be read.
var ErrTemplate = errors.New("aria template")

// Match reports whether the tree holds the template, a partial tree in the
// playwright form:
//
//	# regular expressions stand between slashes
//	- table "Customers":
//	  - row:
//	    - cell: Acme
//	    - button "Edit" [disabled]
//	- text: /total \d+/
//
// The template's nodes must be found in order, each with its children inside
// it; what the template leaves out may be there. The error is nil, wraps
// ErrTemplate, or says which node is missing.
func Match(template string, t *Tree) error {
	want, err := parseTemplate(template)
	if err != nil {
		return err
	}
	x := newIndex(t)
	if len(x.nodes) == 0 {
		return errors.New("the page is empty")
	}
	_, err = matchIn(x, want, 0, 0, len(x.nodes))
	return err
}

// CheckTemplate returns nil for a template that Match can read, else an error that
// wraps ErrTemplate.
func CheckTemplate(template string) error {
	_, err := parseTemplate(template)
	return err
}

// A pattern is one node of a template.
type pattern struct {
	role string
	name *matcher
	text *matcher // what is read in it, or its value
	attr map[string]string
	prop map[string]*matcher // "/url", "/placeholder", …
	kids []pattern
	line string // for errors
}

// A matcher compares with a string or a regular expression.
type matcher struct {
	exact string
	re    *regexp.Regexp
}

func (m *matcher) fits(s string) bool {
	s = clean(s)
	if m.re != nil {
		return m.re.MatchString(s)
	}
	return s == m.exact
}

// matchIn finds the patterns in order among the nodes from..to, each match
// after the end of the one before. Of several matches the one that ends first
// leaves most room for what follows.
func matchIn(x *index, want []pattern, owner, from, to int) (int, error) {
	for _, p := range want {
		best := -1
		var inside error
		for i := from; i < to; i++ {
			if !p.fits(x.nodes[i]) {
				continue
			}
			if len(p.kids) > 0 {
				if _, err := matchIn(x, p.kids, i, i+1, x.end[i]); err != nil {
					if inside == nil {
						inside = err
					}
					continue
				}
			}
			if best < 0 || x.end[i] < x.end[best] {
				best = i
			}
		}
		if best < 0 {
			if inside != nil {
				return 0, inside
			}
			where := "on the page"
			if owner > 0 {
				where = "in " + Describe(x.nodes[owner])
			}
			if from > owner+1 {
				where += " after what precedes it"
			}
			return 0, fmt.Errorf("no %s %s", p.line, where)
		}
		from = x.end[best]
	}
	return from, nil
}

func (p *pattern) fits(n *Node) bool {
	if p.role == "text" {
		return p.text == nil || (n.Role == "text" || len(n.Children) == 0) && p.text.fits(TextOf(n)) || n.Role == "paragraph" && p.text.fits(TextOf(n))
	}
	if n.Role != p.role && !(p.role == "image" && n.Role == "img" || p.role == "img" && n.Role == "image") {
		return false
	}
	if p.name != nil && !p.name.fits(n.Name) {
		return false
	}
	if p.text != nil && !p.text.fits(TextOf(n)) && !(n.Value != nil && p.text.fits(*n.Value)) {
		return false
	}
	for k, v := range p.attr {
		if attributeOf(n, k) != v {
			return false
		}
	}
	for k, m := range p.prop {
		s := n.URL
		switch k {
		case "placeholder":
			s = n.Placeholder
		case "description":
			s = n.Description
		case "error":
			s = n.InvalidMessage
		}
		if !m.fits(s) {
			return false
		}
	}
	return true
}

// attributeOf is the state as the playwright form writes it, "false" where it
// is absent.
func attributeOf(n *Node, name string) string {
	flag := func(b bool) string { return strconv.FormatBool(b) }
	tri := func(s string) string {
		if s == "" {
			return "false"
		}
		return s
	}
	switch name {
	case "checked":
		return tri(n.Checked)
	case "pressed":
		return tri(n.Pressed)
	case "selected":
		return tri(n.Selected)
	case "expanded":
		return tri(n.Expanded)
	case "invalid":
		return tri(n.Invalid)
	case "disabled":
		return flag(n.Disabled)
	case "active":
		return flag(n.Active)
	case "required":
		return flag(n.Required)
	case "readonly":
		return flag(n.ReadOnly)
	case "modal":
		return flag(n.Modal)
	case "level":
		return strconv.Itoa(n.Level)
	}
	return ""
}

// parseTemplate reads the YAML form.
func parseTemplate(src string) (patterns []pattern, err error) {
	defer func() {
		// The YAML library has panicked on broken input before; a template is
		// input.
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: not YAML", ErrTemplate)
		}
	}()
	var v any
	if err := yaml.UnmarshalWithOptions([]byte(src), &v, yaml.UseOrderedMap()); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrTemplate, strings.SplitN(err.Error(), "\n", 2)[0])
	}
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return nil, fmt.Errorf("%w: must be a list of nodes, one \"- role …\" a line", ErrTemplate)
	}
	return readPatterns(list, nil)
}

// readPatterns reads a list; properties ("/url") go to the owner.
func readPatterns(list []any, owner *pattern) ([]pattern, error) {
	var out []pattern
	for _, item := range list {
		switch item := item.(type) {
		case string:
			p, err := readKey(item)
			if err != nil {
				return nil, err
			}
			out = append(out, p)
		case yaml.MapSlice:
			for _, kv := range item {
				key := fmt.Sprint(kv.Key)
				if strings.HasPrefix(key, "/") {
					if err := readProp(owner, key[1:], kv.Value); err != nil {
						return nil, err
					}
					continue
				}
				p, err := readKey(key)
				if err != nil {
					return nil, err
				}
				switch v := kv.Value.(type) {
				case nil:
				case []any:
					if p.kids, err = readPatterns(v, &p); err != nil {
						return nil, err
					}
				case yaml.MapSlice:
					if p.kids, err = readPatterns([]any{v}, &p); err != nil {
						return nil, err
					}
				default:
					if p.text, err = readMatcher(fmt.Sprint(v)); err != nil {
						return nil, err
					}
					p.line += ": " + quote(fmt.Sprint(v))
				}
				out = append(out, p)
			}
		default:
			return nil, fmt.Errorf("%w: %v is not a node", ErrTemplate, item)
		}
	}
	return out, nil
}

func readProp(owner *pattern, name string, value any) error {
	switch name {
	case "children":
		return nil // "contain" is the only mode; "equal" would be stricter and is not promised
	case "url", "placeholder", "description", "error":
	default:
		return fmt.Errorf("%w: unknown property /%s", ErrTemplate, name)
	}
	if owner == nil {
		return fmt.Errorf("%w: /%s stands outside a node", ErrTemplate, name)
	}
	m, err := readMatcher(fmt.Sprint(value))
	if err != nil {
		return err
	}
	if owner.prop == nil {
		owner.prop = map[string]*matcher{}
	}
	owner.prop[name] = m
	return nil
}

func readMatcher(s string) (*matcher, error) {
	if len(s) > 1 && s[0] == '/' && s[len(s)-1] == '/' {
		re, err := regexp.Compile(s[1 : len(s)-1])
		if err != nil {
			return nil, fmt.Errorf("%w: %v", ErrTemplate, err)
		}
		return &matcher{re: re}, nil
	}
	return &matcher{exact: clean(s)}, nil
}

var (
	keyRole = regexp.MustCompile(`^\s*([A-Za-z][A-Za-z0-9_-]*)`)
	keyName = regexp.MustCompile(`^\s*("(?:[^"\\]|\\.)*"|/(?:[^/\\]|\\.)+/)`)
	keyAttr = regexp.MustCompile(`^\s*\[([a-z-]+)(?:=("(?:[^"\\]|\\.)*"|[^\]]*))?\]`)
)

// readKey reads `role "name" [attribute=value]…`.
func readKey(s string) (pattern, error) {
	p := pattern{line: clean(s)}
	m := keyRole.FindStringSubmatch(s)
	if m == nil {
		return p, fmt.Errorf("%w: %q does not start with a role", ErrTemplate, shorten(s, 60))
	}
	p.role = m[1]
	rest := s[len(m[0]):]
	if m := keyName.FindStringSubmatch(rest); m != nil {
		rest = rest[len(m[0]):]
		name := m[1]
		if name[0] == '"' {
			unquoted, err := strconv.Unquote(name)
			if err != nil {
				return p, fmt.Errorf("%w: name %s: %v", ErrTemplate, name, err)
			}
			p.name = &matcher{exact: clean(unquoted)}
		} else {
			re, err := regexp.Compile(name[1 : len(name)-1])
			if err != nil {
				return p, fmt.Errorf("%w: %v", ErrTemplate, err)
			}
			p.name = &matcher{re: re}
		}
	}
	for {
		m := keyAttr.FindStringSubmatch(rest)
		if m == nil {
			break
		}
		rest = rest[len(m[0]):]
		value := m[2]
		if value == "" {
			value = "true"
		}
		switch m[1] {
		case "ref", "cursor", "box":
			continue // of one observation only
		}
		if attributeOf(&Node{}, m[1]) == "" {
			return p, fmt.Errorf("%w: unknown attribute [%s]", ErrTemplate, m[1])
		}
		if p.attr == nil {
			p.attr = map[string]string{}
		}
		p.attr[m[1]] = value
	}
	if strings.TrimSpace(rest) != "" {
		return p, fmt.Errorf("%w: cannot read %q in %q", ErrTemplate, shorten(strings.TrimSpace(rest), 40), shorten(s, 60))
	}
	return p, nil
}
