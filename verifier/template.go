package verifier

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/quartet-agents/quartet/observer/aria"
)

// A template is a partial tree in the playwright form:
//
//   - heading "Invoices" [level=1]
//   - list:
//   - listitem: /Invoice \d+/
//
// A node of it matches a node of the page with the same role, whose name and
// text fit (quoted: the same text; between slashes: a regular expression) and
// which has the states in brackets. Its children match in order, others may
// stand between them and generic nodes around them.
type template struct {
	role     string // "text" for text, "" for the root of several
	name     matcher
	text     matcher
	states   map[string]string
	children []*template
	line     int
}

// A matcher fits a text; the zero matcher fits any.
type matcher struct {
	exact string
	set   bool
	re    *regexp.Regexp
}

func (m matcher) fits(s string) bool {
	switch {
	case m.re != nil:
		return m.re.MatchString(squeeze(s))
	case m.set:
		return squeeze(s) == squeeze(m.exact)
	}
	return true
}

var templateLine = regexp.MustCompile(`^- ([a-zA-Z]+)(?: ("(?:[^"\\]|\\.)*"|/(?:[^/\\]|\\.)*/))?((?: \[[^\]]*\])*)(:)?(?: (.+))?$`)

// parseTemplate reads a template. The error names the line.
func parseTemplate(s string) (*template, error) {
	root := &template{}
	type level struct {
		indent int
		node   *template
	}
	stack := []level{{-1, root}}
	n := 0
	for raw := range strings.Lines(s) {
		n++
		line := strings.TrimRight(raw, " \r\n")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if n > 2000 {
			return nil, fmt.Errorf("the template has more than 2000 lines")
		}
		body := strings.TrimLeft(line, " ")
		indent := len(line) - len(body)
		f := templateLine.FindStringSubmatch(body)
		if f == nil {
			return nil, fmt.Errorf("line %d of the template is not of the form - role \"name\" [state]: %q", n, body)
		}
		if f[4] == "" && f[5] != "" {
			return nil, fmt.Errorf("line %d of the template has text without a colon before it: %q", n, body)
		}
		t := &template{role: f[1], line: n, states: map[string]string{}}
		var err error
		if t.name, err = readMatcher(f[2]); err != nil {
			return nil, fmt.Errorf("line %d of the template: %w", n, err)
		}
		if t.text, err = readMatcher(f[5]); err != nil {
			return nil, fmt.Errorf("line %d of the template: %w", n, err)
		}
		for st := range strings.FieldsSeq(strings.NewReplacer("[", " ", "]", " ").Replace(f[3])) {
			k, v, ok := strings.Cut(st, "=")
			if !ok {
				v = "true"
			}
			if !knownState(k) {
				return nil, fmt.Errorf("line %d of the template has an unknown state %q", n, k)
			}
			t.states[k] = v
		}
		for stack[len(stack)-1].indent >= indent {
			stack = stack[:len(stack)-1]
		}
		up := stack[len(stack)-1].node
		up.children = append(up.children, t)
		stack = append(stack, level{indent, t})
	}
	if len(root.children) == 0 {
		return nil, fmt.Errorf("the template is empty")
	}
	return root, nil
}

func readMatcher(s string) (matcher, error) {
	switch {
	case s == "":
		return matcher{}, nil
	case strings.HasPrefix(s, "\""):
		u, err := strconv.Unquote(s)
		if err != nil {
			return matcher{}, fmt.Errorf("the name %s is not a quoted text", s)
		}
		return matcher{exact: u, set: true}, nil
	case len(s) > 1 && s[0] == '/' && s[len(s)-1] == '/':
		re, err := regexp.Compile(s[1 : len(s)-1])
		if err != nil {
			return matcher{}, fmt.Errorf("the expression %s: %w", s, err)
		}
		return matcher{re: re}, nil
	}
	return matcher{exact: s, set: true}, nil
}

func knownState(k string) bool {
	switch k {
	case "checked", "pressed", "selected", "expanded", "disabled", "level", "active", "invalid", "required":
		return true
	}
	return false
}

// matches tells whether the template fits anywhere in the tree, else which of
// its lines was not found.
func (t *template) matches(tree *aria.Tree) (ok bool, missing int) {
	missing = t.children[0].line
	found := false
	try := func(siblings []*aria.Node) {
		if found {
			return
		}
		at := 0
		found = inOrder(t.children, siblings, &at)
		missing = max(missing, at)
	}
	if tree.Root == nil {
		return false, missing
	}
	try([]*aria.Node{tree.Root})
	tree.Walk(func(n *aria.Node, _ []*aria.Node) bool {
		if !found {
			try(n.Children)
		}
		return !found
	})
	return found, missing
}

// inOrder matches the templates against a run of siblings, each to the first
// that fits, looking into nodes that only group. at is set to the line that
// found no match.
func inOrder(ts []*template, siblings []*aria.Node, at *int) bool {
	flat := flatten(siblings)
	i := 0
	for _, t := range ts {
		for i < len(flat) && !t.fits(flat[i], at) {
			i++
		}
		if i == len(flat) {
			*at = max(*at, t.line)
			return false
		}
		i++
	}
	return true
}

// flatten replaces generic nodes by their children.
func flatten(nodes []*aria.Node) []*aria.Node {
	var out []*aria.Node
	for _, n := range nodes {
		if n.Role == "generic" && n.Name == "" && len(n.Children) > 0 {
			out = append(out, flatten(n.Children)...)
		} else {
			out = append(out, n)
		}
	}
	return out
}

func (t *template) fits(n *aria.Node, at *int) bool {
	if t.role == "text" {
		return n.Role == "text" && t.text.fits(n.Text)
	}
	if n.Role != t.role || !t.name.fits(n.Name) {
		return false
	}
	for k, want := range t.states {
		if state(n, k) != want {
			return false
		}
	}
	if t.text != (matcher{}) && !t.text.fits(aria.TextOf(n)) && (n.Value == nil || !t.text.fits(*n.Value)) && !t.text.fits(n.Name) {
		return false
	}
	return len(t.children) == 0 || inOrder(t.children, n.Children, at)
}

// state returns a state of a node as the playwright form writes it.
func state(n *aria.Node, k string) string {
	b := func(v bool) string { return strconv.FormatBool(v) }
	switch k {
	case "checked":
		return orFalse(n.Checked)
	case "pressed":
		return orFalse(n.Pressed)
	case "selected":
		return orFalse(n.Selected)
	case "expanded":
		return orFalse(n.Expanded)
	case "invalid":
		return orFalse(n.Invalid)
	case "disabled":
		return b(n.Disabled)
	case "active":
		return b(n.Active)
	case "required":
		return b(n.Required)
	case "level":
		return strconv.Itoa(n.Level)
	}
	return ""
}

func orFalse(s string) string {
	if s == "" {
		return "false"
	}
	return s
}
