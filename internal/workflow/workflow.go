// Package workflow reads workflow files: where a run starts, its steps or its
// goal in plain language, and what must be true at the end.
//
// A file is YAML and read strictly: an unknown key, a missing one, a wrong type
// and a reference to an unknown name are problems, and all of them are reported
// at once, each with file, line, column, an excerpt and what to do. What the
// steps mean is not this package's business, see planner/playbook.
package workflow

import (
	"fmt"
	"os"
	"regexp"
	"sort"
	"strings"

	"github.com/quartet-agents/quartet/bus"
)

// A Workflow is a loaded and valid file. It survives JSON, which is how a run
// carries it in its journal.
type Workflow struct {
	File           string            `json:"file,omitempty"` // as it was named to Load
	Name           string            `json:"name"`
	Start          string            `json:"start"` // URL, variables put in
	Vars           map[string]string `json:"vars,omitempty"`
	Secrets        []string          `json:"secrets,omitempty"`         // names only
	AllowedOrigins []string          `json:"allowed_origins,omitempty"` // scheme://host[:port]; never empty
	Steps          []Step            `json:"steps,omitempty"`
	Goal           string            `json:"goal,omitempty"` // variables put in; instead of Steps
	DoneWhen       []Line            `json:"done_when"`
	Limits         Limits            `json:"limits,omitzero"`
}

// A Step is one instruction in a person's words.
type Step struct {
	Line
	Expect []Line   `json:"expect,omitempty"`
	Risk   bus.Risk `json:"risk,omitempty"` // "" lets the playbook guess
}

// A Line is a sentence of the file, as it was written: ${var} and
// ${secret:NAME} are still in it. Use Expand after it has been understood, so
// that a variable's value can never change what the sentence says.
type Line struct {
	Text string `json:"text"`
	At   int    `json:"line"` // from 1
}

// Limits bound a run; 0 leaves the run's default.
type Limits struct {
	Steps       int `json:"steps,omitempty"`        // intents
	Seconds     int `json:"seconds,omitempty"`      // of the whole run
	Tokens      int `json:"tokens,omitempty"`       // of all models together
	StepSeconds int `json:"step_seconds,omitempty"` // of one attempt
	SameState   int `json:"same_state,omitempty"`   // repeats of the same state
}

// Overrides replace what a file says, before it is checked.
type Overrides struct {
	Start string            // "" keeps the file's
	Vars  map[string]string // each must be one of the file's vars
}

// Load reads and checks the file at path. The error is a Problems, unless the
// file can't be read at all.
func Load(path string, o Overrides) (*Workflow, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("workflow: can't read the file: %w", err)
	}
	return parse(path, data, o)
}

// Parse reads and checks a file's content; name stands for it in problems.
func Parse(name string, data []byte) (*Workflow, error) {
	return parse(name, data, Overrides{})
}

// Reference matches ${var} and ${secret:NAME}; group 1 is "secret:" or "",
// group 2 the name.
var reference = regexp.MustCompile(`\$\{(secret:)?([A-Za-z_][A-Za-z0-9_-]*)\}`)

// Expand puts the values of variables in place of ${var}. Secrets and names
// that are not variables (what a step remembers) stay as they are.
func (w *Workflow) Expand(text string) string {
	if !strings.Contains(text, "${") {
		return text
	}
	return reference.ReplaceAllStringFunc(text, func(ref string) string {
		m := reference.FindStringSubmatch(ref)
		if value, ok := w.Vars[m[2]]; ok && m[1] == "" {
			return value
		}
		return ref
	})
}

// remembers finds the names that a step gives to what it remembers. It is
// generous on purpose: whether the step really remembers, and before the name
// is used, is told by whoever understands the step.
var remembers = regexp.MustCompile(`(?i)\b(?:as|it|under|into|in|name|variable)\s+(?:the\s+)?(?:name\s+|variable\s+)?["'“«]?([A-Za-z_][A-Za-z0-9_-]*)["'”»]?`)

func (w *Workflow) remembered() map[string]bool {
	names := map[string]bool{}
	for _, s := range w.Steps {
		for _, m := range remembers.FindAllStringSubmatch(s.Text, -1) {
			names[m[1]] = true
		}
	}
	return names
}

func sorted(names map[string]string) []string {
	out := make([]string, 0, len(names))
	for n := range names {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}
