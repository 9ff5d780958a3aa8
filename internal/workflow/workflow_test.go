package workflow

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
)

const good = `# a comment
name: Add a seat
start: ${base}/login?next=1
vars:
  base: https://App.example:443
  n: 007
secrets: [PASSWORD]
allowed_origins:
  - https://app.example
  - https://pay.example:8443/
steps:
  - Click "Sign in"
  - step: 'Fill "Name" with "a: b ${n}"'
    expect: '"Saved" is visible'
    risk: idempotent
  - step: Remember the total as TOTAL
    expect:
      - The URL contains "/x"
  - >
    Fill "Amount" with
    ${TOTAL} and "P" with ${secret:PASSWORD}
done_when:
  - The page shows "Done"
limits: {steps: 40, seconds: 1_000, tokens: 5, step_seconds: 30, same_state: 3}
`

func TestParse(t *testing.T) {
	w, err := Parse("w.yaml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	want := &Workflow{File: "w.yaml", Name: "Add a seat", Start: "https://App.example:443/login?next=1",
		Vars: map[string]string{"base": "https://App.example:443", "n": "007"}, Secrets: []string{"PASSWORD"},
		AllowedOrigins: []string{"https://app.example", "https://pay.example:8443"},
		Steps: []Step{
			{Line: Line{`Click "Sign in"`, 12}},
			{Line: Line{`Fill "Name" with "a: b ${n}"`, 13}, Expect: []Line{{`"Saved" is visible`, 14}}, Risk: "idempotent"},
			{Line: Line{`Remember the total as TOTAL`, 16}, Expect: []Line{{`The URL contains "/x"`, 18}}},
			{Line: Line{`Fill "Amount" with ${TOTAL} and "P" with ${secret:PASSWORD}`, 19}},
		},
		DoneWhen: []Line{{`The page shows "Done"`, 23}}, Limits: Limits{40, 1000, 5, 30, 3}}
	if d := cmp.Diff(want, w); d != "" {
		t.Error(d)
	}
	data, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	var back Workflow
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(*w, back); d != "" {
		t.Error("JSON:", d)
	}
	if got := w.Expand("${n} ${secret:PASSWORD} ${TOTAL}"); got != "007 ${secret:PASSWORD} ${TOTAL}" {
		t.Error(got)
	}
}

func TestLoadOverrides(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.yaml")
	if err := os.WriteFile(path, []byte(good), 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := Load(path, Overrides{Vars: map[string]string{"base": "http://localhost:8080", "n": "1"}})
	if err != nil {
		t.Fatal(err)
	}
	if w.Start != "http://localhost:8080/login?next=1" || w.Vars["n"] != "1" {
		t.Errorf("%+v", w)
	}
	if _, err := Load(path, Overrides{Vars: map[string]string{"nope": "1"}}); err == nil || !strings.Contains(err.Error(), "base, n") {
		t.Error(err)
	}
	if _, err := Load(path, Overrides{Vars: map[string]string{"base": "${secret:OTHER}"}}); err == nil {
		t.Error("an override named an unknown secret")
	}
	if _, err := Load(path+"x", Overrides{}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

const head = "name: x\nstart: https://a.example\n"
const tail = "done_when: [The page shows \"A\"]\n"

// bad files: each says where, what, what to do. schema tells whether the
// published schema can and must refuse the file as well.
var bad = []struct {
	name, file string
	at         string // position of the first problem
	says       []string
	schema     bool
}{
	{"unknown key", head + "stepz: [a]\n" + tail, "w.yaml:3:1", []string{`unknown key "stepz"`, `did you mean "steps"`, "> "}, true},
	{"unknown step key", head + "steps:\n  - step: a\n    expct: b\n" + tail, "w.yaml:5:5", []string{`"expct"`, `"expect"`}, true},
	{"unknown limit", head + "steps: [a]\nlimits: {step: 1}\n" + tail, "w.yaml:4:10", []string{`did you mean "steps"`}, true},
	{"no steps", head + tail, "w.yaml:", []string{"neither steps nor a goal"}, true},
	{"both", head + "steps: [a]\ngoal: b\n" + tail, "w.yaml:4:1", []string{"not both"}, true},
	{"no name", "start: https://a.example\nsteps: [a]\n" + tail, "w.yaml:", []string{`"name" is missing`}, true},
	{"no start", "name: x\nsteps: [a]\n" + tail, "w.yaml:", []string{`"start" is missing`}, true},
	{"no done_when", head + "steps: [a]\n", "w.yaml:", []string{`"done_when" is missing`}, true},
	{"empty list", head + "steps: []\n" + tail, "w.yaml:3:1", []string{"empty list"}, true},
	{"colon in a step", head + "steps:\n  - Fill \"A\": \"b\"\n" + tail, "w.yaml:", nil, true},
	{"step without step", head + "steps:\n  - expect: b\n" + tail, "w.yaml:4", []string{"has no “step”"}, true},
	{"number as a step", head + "steps: [12]\n" + tail, "w.yaml:3:9", []string{"must be a text"}, true},
	{"null step", head + "steps:\n  -\n" + tail, "w.yaml:", nil, true},
	{"risk", head + "steps:\n  - {step: a, risk: high}\n" + tail, "w.yaml:4:15", []string{`unknown risk "high"`, "irreversible"}, true},
	{"limit zero", head + "steps: [a]\nlimits: {steps: 0}\n" + tail, "w.yaml:4:10", []string{"whole number"}, true},
	{"limit text", head + "steps: [a]\nlimits: {seconds: soon}\n" + tail, "w.yaml:4:10", []string{"whole number"}, true},
	{"limits list", head + "steps: [a]\nlimits: [1]\n" + tail, "w.yaml:4:1", []string{"mapping"}, true},
	{"done_when text", head + "steps: [a]\ndone_when: b\n", "w.yaml:4:1", []string{"must be a list"}, true},
	{"vars list", head + "vars: [a]\nsteps: [a]\n" + tail, "w.yaml:3:1", []string{"mapping"}, true},
	{"var name", head + "vars: {a b: c}\nsteps: [a]\n" + tail, "w.yaml:3:8", []string{"variable's name"}, true},
	{"var value", head + "vars: {a: [c]}\nsteps: [a]\n" + tail, "w.yaml:3:8", []string{"text or a number"}, true},
	{"secret value", head + "secrets: [{A: b}]\nsteps: [a]\n" + tail, "w.yaml:3:", []string{"does not belong"}, true},
	{"secret twice", head + "secrets: [A, A]\nsteps: [a]\n" + tail, "w.yaml:3:14", []string{"twice"}, true},
	{"not http", "name: x\nstart: ftp://a\nsteps: [a]\n" + tail, "w.yaml:2:1", []string{"http"}, true},
	{"origin with path", head + "allowed_origins: ['https://a.example/x']\nsteps: [a]\n" + tail, "w.yaml:3:", []string{"path"}, true},
	{"a list", "- a\n", "w.yaml:1", []string{"mapping"}, true},
	{"empty", "", "w.yaml:", []string{"empty"}, false},
	{"two documents", head + "steps: [a]\n" + tail + "---\nname: y\n", "w.yaml:6", []string{"one document"}, false},
	{"syntax", head + "steps: [a\n" + tail, "w.yaml:", nil, false},
	{"key twice", head + "name: y\nsteps: [a]\n" + tail, "w.yaml:3:1", nil, false},
	{"unknown var", head + "vars: {abc: 1}\nsteps: [a, 'b ${abd}']\n" + tail, "w.yaml:4:15", []string{`unknown variable "abd"`, "${abc}"}, false},
	{"unknown secret", head + "steps: ['b ${secret:X}']\n" + tail, "w.yaml:3:12", []string{`unknown secret "X"`}, false},
	{"secret as var", head + "secrets: [X]\nsteps: ['b ${X}']\n" + tail, "w.yaml:4:12", []string{"${secret:X}"}, false},
	{"bad reference", head + "steps: ['b ${1x}']\n" + tail, "w.yaml:3:12", []string{"no reference"}, false},
	{"var in var", head + "vars: {a: 1, b: '${a}'}\nsteps: [a]\n" + tail, "w.yaml:3:", []string{"not other variables"}, false},
	{"unknown in done_when", head + "steps: [a]\ndone_when: ['${x}']\n", "w.yaml:4:", []string{`"x"`}, false},
}

func TestBadFiles(t *testing.T) {
	for _, c := range bad {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("w.yaml", []byte(c.file))
			var ps Problems
			if !errors.As(err, &ps) || len(ps) == 0 {
				t.Fatalf("got %v", err)
			}
			if !strings.HasPrefix(err.Error(), c.at) {
				t.Errorf("want it at %s:\n%v", c.at, err)
			}
			for _, s := range c.says {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("no %q in\n%v", s, err)
				}
			}
			for _, p := range ps {
				if p.What == "" || p.Do == "" {
					t.Errorf("%+v says too little", p)
				}
			}
		})
	}
}

func TestAllProblemsAtOnce(t *testing.T) {
	_, err := Parse("w.yaml", []byte("nam: x\nstart: here\nsteps:\n  - a ${b}\n  - {step: c, risk: d}\n"))
	var ps Problems
	if !errors.As(err, &ps) || len(ps) != 6 {
		t.Fatalf("%d problems:\n%v", len(ps), err)
	}
	var one Problem
	if !errors.As(err, &one) || !strings.Contains(one.Excerpt+ps[3].Excerpt, "^") {
		t.Errorf("no mark under the place: %v", err)
	}
}

func schema(t *testing.T) (*jsonschema.Schema, *jsonschema.Resolved) {
	t.Helper()
	data, err := os.ReadFile("../../configs/workflow.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &s, r
}

// The published schema and the loader must agree, on keys and on files.
func TestSchemaAgrees(t *testing.T) {
	s, r := schema(t)
	keys := func(s *jsonschema.Schema) []string {
		var out []string
		for k := range s.Properties {
			out = append(out, k)
		}
		slices.Sort(out)
		return out
	}
	same := func(what string, got []string, want []string) {
		want = slices.Clone(want)
		slices.Sort(want)
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", what, d)
		}
	}
	step := s.Properties["steps"].Items.OneOf[1]
	same("file", keys(s), fileKeys[:])
	same("step", keys(step), stepKeys[:])
	same("limits", keys(s.Properties["limits"]), limitKeys[:])
	var enum []string
	for _, e := range step.Properties["risk"].Enum {
		enum = append(enum, e.(string))
	}
	slices.Sort(enum)
	same("risk", enum, risks[:])

	validate := func(file string) error {
		j, err := yaml.YAMLToJSON([]byte(file))
		if err != nil {
			return err
		}
		var v any
		if err := json.Unmarshal(j, &v); err != nil {
			return err
		}
		return r.Validate(v)
	}
	for name, file := range map[string]string{"whole": good, "least": head + "steps: [a]\n" + tail, "goal": head + "goal: Buy a seat\n" + tail} {
		if _, err := Parse("w.yaml", []byte(file)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := validate(file); err != nil {
			t.Errorf("%s: schema: %v", name, err)
		}
	}
	for _, c := range bad {
		if err := validate(c.file); c.schema && err == nil {
			t.Errorf("%s: the schema accepts what the loader refuses", c.name)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	for _, c := range bad {
		f.Add([]byte(c.file))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		w, err := Parse("w.yaml", data)
		if (w == nil) == (err == nil) {
			t.Fatalf("%v and %v", w, err)
		}
	})
}
