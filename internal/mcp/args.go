package mcp

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/quartet-agents/quartet/bus"
	"github.com/quartet-agents/quartet/observer/aria"
	"github.com/quartet-agents/quartet/planner/playbook"
)

const (
	// maxArguments bounds what a call may bring, in bytes of JSON: with its
	// receipt it must fit into a message of the bus.
	maxArguments = 64 << 10
	maxExpect    = 20
)

// onElement are the arguments of whatever acts on one element.
type onElement struct {
	Element string `json:"element,omitempty" jsonschema:"the element in words, a second key: words that mean another element stop the act"`
	Ref     string `json:"ref,omitempty" jsonschema:"the element's ref, as a snapshot shows it: e12, in a frame f2e12"`
	Target  string `json:"target,omitempty" jsonschema:"the same as ref"`
}

// target is the element that is meant; what names the act for an error.
func (a onElement) target(what string) (*bus.Target, error) {
	ref, err := refOf(what, a.Ref, a.Target)
	if err != nil {
		return nil, err
	}
	return &bus.Target{Ref: ref, Words: strings.TrimSpace(a.Element)}, nil
}

// given tells whether an element is named at all.
func (a onElement) given() bool { return a.Ref != "" || a.Target != "" }

var refForm = regexp.MustCompile(`^(f\d+)?e\d+$`)

// refOf is the ref of two arguments for it. A selector is none.
func refOf(what, ref, target string) (string, error) {
	if ref != "" && target != "" && ref != target {
		return "", fmt.Errorf("%s: ref %q and target %q are two elements; give one", what, ref, target)
	}
	ref = strings.TrimSpace(cmp.Or(ref, target))
	if ref == "" {
		return "", fmt.Errorf("%s wants the ref of an element, as a snapshot shows it", what)
	}
	if inner, ok := strings.CutPrefix(strings.Trim(ref, "[]"), "ref="); ok {
		ref = inner
	}
	if !refForm.MatchString(ref) {
		return "", fmt.Errorf("%s: %q is no ref. A ref is an element's handle such as e12, in a frame f2e12; browser_snapshot and browser_find show them. Selectors are not taken", what, short(ref))
	}
	return ref, nil
}

// partOf is the ref of a part of the page to read; it may be the whole.
func partOf(what, ref string) (string, error) {
	if ref = strings.TrimSpace(ref); ref == aria.PageRef {
		return ref, nil
	}
	return refOf(what, ref, "")
}

// A hope is the argument of whatever can be told what must be true afterwards.
type hope struct {
	Expect sentences `json:"expect,omitempty" jsonschema:"what must be true afterwards: a sentence, a partial tree in the playwright form (- row: …), or a list of them, as in 'The page shows \"Saved\"', 'The \"Name\" field contains \"Ann\"', 'The URL contains \"/done\"'"`
}

// checks reads the sentences.
func (h hope) checks() ([]bus.Expect, error) {
	if len(h.Expect) > maxExpect {
		return nil, fmt.Errorf("expect has %d sentences; the most is %d", len(h.Expect), maxExpect)
	}
	var out []bus.Expect
	var errs []error
	for _, s := range h.Expect {
		es, err := playbook.ReadChecks(s)
		if err != nil {
			errs = append(errs, fmt.Errorf("expect: %w", err))
		}
		out = append(out, es...)
	}
	return out, errors.Join(errs...)
}

// sentences are one sentence or a list of them.
type sentences []string

// UnmarshalJSON takes a string for a list of one.
func (s *sentences) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*s = sentences{one}
		return nil
	}
	var list []string
	if err := json.Unmarshal(data, &list); err != nil {
		return errors.New("expect is a sentence or a list of sentences")
	}
	*s = list
	return nil
}

// schemaOf is the schema of a tool's arguments; what it does not name is refused.
func schemaOf[In any]() (*jsonschema.Schema, error) {
	s, err := jsonschema.For[In](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[sentences](): {AnyOf: []*jsonschema.Schema{{Type: "string"}, {Type: "array", Items: &jsonschema.Schema{Type: "string"}}}},
	}})
	if err == nil {
		notNull(s)
	}
	return s, err
}

// notNull takes back that a list or an optional number may be null: a client that
// reads schemas strictly knows one type for an argument.
func notNull(s *jsonschema.Schema) {
	if types := slices.DeleteFunc(slices.Clone(s.Types), func(t string) bool { return t == "null" }); len(types) == 1 {
		s.Type, s.Types = types[0], nil
	}
	for _, p := range s.Properties {
		notNull(p)
	}
	if s.Items != nil {
		notNull(s.Items)
	}
}

// describe names an element for an intent's text.
func describe(words, ref string) string {
	if words == "" {
		return ref
	}
	return words + " (" + ref + ")"
}

// short is the beginning of what a client wrote, for an error.
func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return s
}
