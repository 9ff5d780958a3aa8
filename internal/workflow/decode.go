package workflow

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/quartet-agents/quartet/bus"
)

// The keys of each mapping, in the order of the documentation.
var (
	fileKeys  = [...]string{"name", "start", "vars", "secrets", "allowed_origins", "steps", "goal", "done_when", "limits"}
	stepKeys  = [...]string{"step", "expect", "risk"}
	limitKeys = [...]string{"steps", "seconds", "tokens", "step_seconds", "same_state"}
	risks     = [...]string{"read", "idempotent", "reversible", "irreversible"}
)

// A decoder walks the parsed file and gathers problems. It works on the syntax
// tree, because decoding into a struct stops at the first problem and forgets
// the lines.
type decoder struct {
	file     string
	source   []string
	problems Problems
	anchors  map[string]ast.Node
	w        *Workflow
	at       map[string]ast.Node // top-level values by key
}

func (d *decoder) problem(n ast.Node, do, format string, args ...any) {
	line, column := 0, 0
	if n != nil && n.GetToken() != nil && n.GetToken().Position != nil {
		line, column = n.GetToken().Position.Line, n.GetToken().Position.Column
	}
	d.problemAt(line, column, do, format, args...)
}

func (d *decoder) problemAt(line, column int, do, format string, args ...any) {
	d.problems = append(d.problems, Problem{File: d.file, Line: line, Column: column,
		What: fmt.Sprintf(format, args...), Do: do, Excerpt: excerpt(d.source, line, column)})
}

func parse(name string, data []byte, o Overrides) (*Workflow, error) {
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	d := &decoder{file: name, source: strings.Split(text, "\n"), anchors: map[string]ast.Node{},
		w: &Workflow{File: name}, at: map[string]ast.Node{}}
	f, err := parser.ParseBytes([]byte(text), 0)
	if err != nil {
		d.syntax(err)
		return nil, d.problems
	}
	root := d.root(f)
	if root == nil {
		return nil, d.problems
	}
	d.fileNode(root)
	d.check(o)
	if len(d.problems) > 0 {
		return nil, d.ordered()
	}
	return d.w, nil
}

func (d *decoder) syntax(err error) {
	var ye yaml.Error
	if errors.As(err, &ye) && ye.GetToken() != nil && ye.GetToken().Position != nil {
		p := ye.GetToken().Position
		do := "correct the YAML; quote a text that holds “: ” or begins with a sign"
		if strings.Contains(ye.GetMessage(), "already defined") {
			do = "keep one of them"
		}
		d.problemAt(p.Line, p.Column, do, "%s", ye.GetMessage())
		return
	}
	d.problemAt(0, 0, "correct the YAML", "%v", err)
}

func (d *decoder) root(f *ast.File) *ast.MappingNode {
	var root *ast.MappingNode
	for _, doc := range f.Docs {
		if doc == nil || doc.Body == nil {
			continue
		}
		if _, ok := doc.Body.(*ast.CommentGroupNode); ok {
			continue
		}
		if root != nil {
			d.problem(doc.Body, "put the second document into a file of its own", "a workflow file holds one document")
			return nil
		}
		if root = mapping(d.resolve(doc.Body)); root == nil {
			d.problem(doc.Body, "begin with “name: …”", "a workflow file is a mapping, not %s", kindOf(doc.Body))
			return nil
		}
	}
	if root == nil {
		d.problemAt(0, 0, "write at least name, start, steps and done_when", "the file is empty")
	}
	return root
}

// resolve follows anchors and aliases, tags are dropped.
func (d *decoder) resolve(n ast.Node) ast.Node {
	for range 16 {
		switch v := n.(type) {
		case *ast.AnchorNode:
			d.anchors[v.Name.String()] = v.Value
			n = v.Value
		case *ast.AliasNode:
			to, ok := d.anchors[v.Value.String()]
			if !ok {
				d.problem(v, "define it above with “&"+v.Value.String()+"”", "the alias %s stands for nothing", v.String())
				return nil
			}
			n = to
		case *ast.TagNode:
			n = v.Value
		default:
			return n
		}
	}
	return nil
}

func mapping(n ast.Node) *ast.MappingNode {
	switch v := n.(type) {
	case *ast.MappingNode:
		return v
	case *ast.MappingValueNode:
		return ast.Mapping(v.Start, false, v)
	}
	return nil
}

func kindOf(n ast.Node) string {
	switch n.(type) {
	case nil, *ast.NullNode:
		return "nothing"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.BoolNode:
		return "true or false"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	}
	return "a text"
}

// each calls f with the keys and values of a mapping; keys that known does not
// hold are problems.
func (d *decoder) each(m *ast.MappingNode, of string, known []string, f func(key string, k, v ast.Node)) {
	seen := map[string]bool{}
	for _, kv := range m.Values {
		k := kv.Key
		key, ok := scalar(k)
		if _, merge := k.(*ast.MergeKeyNode); merge || !ok {
			d.problem(k, "write the keys out", "%s can't be a key here", k.String())
			continue
		}
		if seen[key] {
			d.problem(k, "keep one of them", "the key %q is there twice", key)
			continue
		}
		seen[key] = true
		if known != nil && !has(known, key) {
			do := "the keys of " + of + " are " + strings.Join(known, ", ")
			if n := nearest(key, known); n != "" {
				do = fmt.Sprintf("did you mean %q? %s", n, do)
			}
			d.problem(k, do, "unknown key %q", key)
			continue
		}
		f(key, k, d.resolve(kv.Value))
	}
}

func has(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// scalar is the text of a scalar as it was written, 007 included.
func scalar(n ast.Node) (string, bool) {
	switch v := n.(type) {
	case *ast.StringNode:
		return v.Value, true
	case *ast.LiteralNode:
		return v.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	case *ast.MappingKeyNode:
		return scalar(v.Value)
	}
	return "", false
}

// text wants a non-empty text; a number or true is refused where it can't be
// told whether the words or the value were meant.
func (d *decoder) text(n, blame ast.Node, what string) string {
	switch v := n.(type) {
	case *ast.StringNode, *ast.LiteralNode:
		s, _ := scalar(v)
		if strings.TrimSpace(s) == "" {
			d.problem(blame, "write it out", "%s is empty", what)
		}
		return strings.TrimSpace(s)
	}
	do := "write it as a text"
	if mapping(n) != nil {
		do = "a text that holds “: ” must be quoted as a whole, with single quotes"
	}
	d.problem(blame, do, "%s must be a text, not %s", what, kindOf(n))
	return ""
}

func (d *decoder) list(n, blame ast.Node, what string, f func(item ast.Node)) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		d.problem(blame, "write it as a list, one “- …” a line", "%s must be a list, not %s", what, kindOf(n))
		return
	}
	if len(seq.Values) == 0 {
		d.problem(blame, "leave the key out or fill the list", "%s is an empty list", what)
	}
	for _, v := range seq.Values {
		f(d.resolve(v))
	}
}

func (d *decoder) line(n ast.Node, what string, blame ast.Node) Line {
	if n == nil {
		d.problem(blame, "write it out", "%s is empty", what)
		return Line{}
	}
	return Line{Text: d.text(n, n, what), At: n.GetToken().Position.Line}
}

func (d *decoder) fileNode(root *ast.MappingNode) {
	w := d.w
	d.each(root, "a workflow", fileKeys[:], func(key string, k, v ast.Node) {
		d.at[key] = k
		switch key {
		case "name":
			w.Name = d.text(v, k, "name")
		case "start":
			w.Start = d.text(v, k, "start")
		case "goal":
			w.Goal = d.text(v, k, "goal")
		case "vars":
			d.vars(v, k)
		case "secrets":
			d.list(v, k, "secrets", func(item ast.Node) { d.secret(item, k) })
		case "allowed_origins":
			d.list(v, k, "allowed_origins", func(item ast.Node) { d.origin(item, k) })
		case "steps":
			d.list(v, k, "steps", func(item ast.Node) { d.step(item, k) })
		case "done_when":
			w.DoneWhen = d.lines(v, k, "done_when", false)
		case "limits":
			d.limits(v, k)
		}
	})
}

// lines reads a list of sentences; a single sentence is allowed where one is
// natural (expect).
func (d *decoder) lines(v, k ast.Node, what string, single bool) []Line {
	if _, ok := v.(*ast.SequenceNode); !ok && single {
		return []Line{d.line(v, what, k)}
	}
	var out []Line
	d.list(v, k, what, func(item ast.Node) { out = append(out, d.line(item, "an item of "+what, k)) })
	return out
}

func (d *decoder) vars(v, k ast.Node) {
	m := mapping(v)
	if m == nil {
		d.problem(k, "write “name: value” lines under it", "vars must be a mapping, not %s", kindOf(v))
		return
	}
	d.w.Vars = map[string]string{}
	d.each(m, "vars", nil, func(key string, k, v ast.Node) {
		if !nameOK(key) {
			d.problem(k, "use letters, digits, “_” and “-”, a letter first", "%q can't be a variable's name", key)
			return
		}
		s, ok := scalar(v)
		if !ok {
			d.problem(k, "give it a text or a number", "the variable %q must be a text or a number, not %s", key, kindOf(v))
			return
		}
		d.w.Vars[key] = s
		d.at["vars."+key] = k
	})
}

func nameOK(s string) bool {
	m := reference.FindStringSubmatch("${" + s + "}")
	return m != nil && m[0] == "${"+s+"}" && m[1] == ""
}

func (d *decoder) secret(item, k ast.Node) {
	if item == nil {
		d.problem(k, "name the secrets", "an item of secrets is empty")
		return
	}
	if mapping(item) != nil {
		d.problem(item, "list the name only; the value comes from the environment or an env file", "a secret's value does not belong into the file")
		return
	}
	name := d.text(item, item, "a secret's name")
	if name != "" && !nameOK(name) {
		d.problem(item, "use letters, digits, “_” and “-”, a letter first", "%q can't be a secret's name", name)
	}
	if has(d.w.Secrets, name) {
		d.problem(item, "keep one of them", "the secret %q is listed twice", name)
		return
	}
	d.w.Secrets = append(d.w.Secrets, name)
}

func (d *decoder) origin(item, k ast.Node) {
	if item == nil {
		d.problem(k, "write scheme://host[:port]", "an item of allowed_origins is empty")
		return
	}
	s := d.text(item, item, "an origin")
	if s == "" {
		return
	}
	d.w.AllowedOrigins = append(d.w.AllowedOrigins, s)
	d.at["origin."+strconv.Itoa(len(d.w.AllowedOrigins)-1)] = item
}

func (d *decoder) step(item, k ast.Node) {
	m := mapping(item)
	if m == nil {
		d.w.Steps = append(d.w.Steps, Step{Line: d.line(item, "a step", k)})
		return
	}
	s := Step{Line: Line{At: m.GetToken().Position.Line}}
	found := false
	d.each(m, "a step", stepKeys[:], func(key string, k, v ast.Node) {
		switch key {
		case "step":
			found = true
			s.Text = d.text(v, k, "step")
			s.At = k.GetToken().Position.Line
		case "expect":
			s.Expect = d.lines(v, k, "expect", true)
		case "risk":
			if r := d.text(v, k, "risk"); r != "" && !has(risks[:], r) {
				d.problem(k, "use one of "+strings.Join(risks[:], ", "), "unknown risk %q", r)
			} else {
				s.Risk = bus.Risk(r)
			}
		}
	})
	if !found {
		d.problem(m, "a step is a text, or a mapping with “step: …”; quote a text that holds “: ” as a whole", "this step has no “step”")
	}
	d.w.Steps = append(d.w.Steps, s)
}

func (d *decoder) limits(v, k ast.Node) {
	m := mapping(v)
	if m == nil {
		d.problem(k, "write “steps: 50” and the like under it", "limits must be a mapping, not %s", kindOf(v))
		return
	}
	l := &d.w.Limits
	fields := map[string]*int{"steps": &l.Steps, "seconds": &l.Seconds, "tokens": &l.Tokens, "step_seconds": &l.StepSeconds, "same_state": &l.SameState}
	d.each(m, "limits", limitKeys[:], func(key string, k, v ast.Node) {
		number, err := 0, error(nil)
		if i, ok := v.(*ast.IntegerNode); ok {
			number, err = strconv.Atoi(strings.ReplaceAll(i.GetToken().Value, "_", ""))
		}
		if err != nil || number < 1 {
			d.problem(k, "write a whole number from 1", "limits.%s must be a whole number from 1", key)
			return
		}
		*fields[key] = number
	})
}
