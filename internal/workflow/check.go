package workflow

import (
	"fmt"
	"net/url"
	"sort"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// check holds what the shape of the file alone can't say.
func (d *decoder) check(o Overrides) {
	w := d.w
	for _, name := range sorted(o.Vars) {
		if _, ok := w.Vars[name]; !ok {
			do := "the file has no vars"
			if len(w.Vars) > 0 {
				do = "its vars are " + strings.Join(sorted(w.Vars), ", ")
			}
			d.problemAt(0, 0, do, "there is no variable %q to set", name)
			continue
		}
		w.Vars[name] = o.Vars[name]
	}
	if o.Start != "" {
		w.Start = o.Start
	}
	required := []struct{ key, do string }{
		{"name", "add “name: …”, what the run is called in reports"},
		{"done_when", "add a list of what must be true at the end, for example “- The page shows \"Saved\"”"},
	}
	if o.Start == "" {
		required = append(required, struct{ key, do string }{"start", "add “start: https://…”"})
	}
	for _, r := range required {
		if d.at[r.key] == nil {
			d.problemAt(0, 0, r.do, "the key %q is missing", r.key)
		}
	}
	switch steps, goal := d.at["steps"], d.at["goal"]; {
	case steps != nil && goal != nil:
		d.problem(goal, "keep steps (run by rules) or goal (needs a model)", "a workflow has steps or a goal, not both")
	case steps == nil && goal == nil:
		d.problemAt(0, 0, "add steps: a list of instructions, or goal: a text", "the workflow has neither steps nor a goal")
	}
	d.references()
	d.addresses()
}

func (d *decoder) references() {
	w := d.w
	remembered := w.remembered()
	for _, name := range sorted(w.Vars) {
		d.refs(lineOf(d.at["vars."+name]), w.Vars[name], func(ref string) bool { return false },
			"a variable's value may name secrets, not other variables")
	}
	known := func(name string) bool { _, ok := w.Vars[name]; return ok || remembered[name] }
	onlyVars := func(name string) bool { _, ok := w.Vars[name]; return ok }
	d.refs(lineOf(d.at["start"]), w.Start, onlyVars, "")
	d.refs(lineOf(d.at["goal"]), w.Goal, onlyVars, "")
	for i, origin := range w.AllowedOrigins {
		d.refs(lineOf(d.at["origin."+strconv.Itoa(i)]), origin, onlyVars, "")
	}
	for _, s := range w.Steps {
		d.refs(s.At, s.Text, known, "")
		for _, e := range s.Expect {
			d.refs(e.At, e.Text, known, "")
		}
	}
	for _, l := range w.DoneWhen {
		d.refs(l.At, l.Text, known, "")
	}
}

func lineOf(n ast.Node) int {
	if n == nil {
		return 0
	}
	return n.GetToken().Position.Line
}

// refs checks each ${…} in text: the form, and that the name is known.
func (d *decoder) refs(line int, text string, known func(string) bool, why string) {
	for rest := text; ; {
		i := strings.Index(rest, "${")
		if i < 0 {
			return
		}
		rest = rest[i:]
		m := reference.FindStringSubmatch(rest)
		if m == nil || !strings.HasPrefix(rest, m[0]) {
			end := strings.IndexByte(rest, '}')
			if end < 0 || end > 60 {
				end = min(len(rest), 20) - 1
			}
			d.blame(line, rest[:end+1], "write ${name} or ${secret:NAME}", "%q is no reference", rest[:end+1])
			rest = rest[2:]
			continue
		}
		name := m[2]
		switch {
		case m[1] != "" && !has(d.w.Secrets, name):
			do := fmt.Sprintf("add %q to secrets", name)
			if n := nearest(name, d.w.Secrets); n != "" {
				do = fmt.Sprintf("did you mean ${secret:%s}? Or %s", n, do)
			}
			d.blame(line, m[0], do, "unknown secret %q", name)
		case m[1] == "" && why != "":
			d.blame(line, m[0], "write the value out", "%s", why)
		case m[1] == "" && !known(name):
			do := fmt.Sprintf("add %q to vars, or remember it in a step before", name)
			if has(d.w.Secrets, name) {
				do = fmt.Sprintf("a secret is written ${secret:%s}", name)
			} else if n := nearest(name, sorted(d.w.Vars)); n != "" {
				do = fmt.Sprintf("did you mean ${%s}? Or %s", n, do)
			}
			d.blame(line, m[0], do, "unknown variable %q", name)
		}
		rest = rest[len(m[0]):]
	}
}

// blame points at words on a line; a folded text may hold them further down.
func (d *decoder) blame(line int, words, do, format string, args ...any) {
	for l := max(line, 1); l <= len(d.source) && l < line+20; l++ {
		if i := strings.Index(d.source[l-1], words); i >= 0 {
			d.problemAt(l, len([]rune(d.source[l-1][:i]))+1, do, format, args...)
			return
		}
	}
	d.problemAt(line, 0, do, format, args...)
}

func (d *decoder) addresses() {
	w := d.w
	start := w.Expand(w.Start)
	if start != "" {
		origin, err := originOf(start)
		if err != "" {
			d.problem(d.at["start"], "write a whole address, https://host/path", "start %q %s", start, err)
		} else if len(w.AllowedOrigins) == 0 {
			w.AllowedOrigins = []string{origin}
		}
	}
	w.Start, w.Goal = start, w.Expand(w.Goal)
	for i, o := range w.AllowedOrigins {
		expanded := w.Expand(o)
		origin, err := originOf(expanded)
		if err == "" {
			if u, _ := url.Parse(expanded); u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" {
				err = "has a path"
			}
		}
		if err != "" {
			d.problem(d.at["origin."+strconv.Itoa(i)], "write scheme://host[:port] only", "the origin %q %s", expanded, err)
			continue
		}
		w.AllowedOrigins[i] = origin
	}
}

// originOf is scheme://host[:port] of an http address without the default port.
func originOf(address string) (origin, wrong string) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return "", "is no address"
	case u.Scheme != "http" && u.Scheme != "https":
		return "", "must begin with http:// or https://"
	case u.Hostname() == "":
		return "", "has no host"
	case strings.Contains(u.Host, "*"):
		return "", "has a wildcard, which is not supported"
	case u.User != nil:
		return "", "holds a user name; use a secret and a step"
	}
	host := strings.ToLower(u.Hostname())
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if p := u.Port(); p != "" && (u.Scheme != "http" || p != "80") && (u.Scheme != "https" || p != "443") {
		host += ":" + p
	}
	return u.Scheme + "://" + host, ""
}

func (d *decoder) ordered() Problems {
	// What is missing comes last: a misspelled key above may explain it.
	sort.SliceStable(d.problems, func(i, j int) bool {
		a, b := d.problems[i].Line, d.problems[j].Line
		return a != 0 && (b == 0 || a < b)
	})
	return d.problems
}
