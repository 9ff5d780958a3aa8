package aria_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/quartet-agents/quartet/observer/aria"
)

const schemaFile = "../../configs/observation.schema.json"

// The published schema is made of the types and their comments; the file must
// say what the code says.
func TestSchemaIsCurrent(t *testing.T) {
	docs := comments(t, "tree.go")
	defs := map[string]any{}
	object(defs, docs, reflect.TypeFor[aria.Tree]())
	root := map[string]any{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"$id":         "https://github.com/quartet-agents/quartet/configs/observation.schema.json",
		"title":       "Quartet observation",
		"description": docs["Tree"],
		"$ref":        "#/$defs/tree",
		"$defs":       defs,
	}
	want, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile(schemaFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s is not current; run go test ./observer/aria -run Schema -update", schemaFile)
	}
}

func TestJSONFollowsSchema(t *testing.T) {
	data, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, budget := range []int{0, 400} {
		var v any
		r := aria.Render(office(), aria.JSON, aria.RenderOptions{Budget: budget})
		if err := json.Unmarshal([]byte(r.Text), &v); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(v); err != nil {
			t.Errorf("budget %d: %v", budget, err)
		}
		v.(map[string]any)["root"].(map[string]any)["colour"] = "red"
		if resolved.Validate(v) == nil {
			t.Error("the schema lets an unknown field pass")
		}
	}
}

func comments(t *testing.T, file string) map[string]string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	docs := map[string]string{}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range g.Specs {
			ts, ok := s.(*ast.TypeSpec)
			if !ok {
				continue
			}
			docs[ts.Name.Name] = oneLine(g.Doc.Text())
			if st, ok := ts.Type.(*ast.StructType); ok {
				for _, fl := range st.Fields.List {
					text := fl.Doc.Text()
					if text == "" {
						text = fl.Comment.Text()
					}
					for _, n := range fl.Names {
						docs[ts.Name.Name+"."+n.Name] = oneLine(text)
					}
				}
			}
		}
	}
	return docs
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// object adds the definition of a struct type and those it refers to.
func object(defs map[string]any, docs map[string]string, t reflect.Type) {
	name := strings.ToLower(t.Name())
	if defs[name] != nil {
		return
	}
	props, required := map[string]any{}, []string{}
	def := map[string]any{"type": "object", "description": docs[t.Name()], "properties": props, "additionalProperties": false}
	defs[name] = def
	for _, f := range reflect.VisibleFields(t) {
		key, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		p := property(defs, docs, f.Type)
		if d := docs[t.Name()+"."+f.Name]; d != "" {
			p["description"] = d
		}
		props[key] = p
		if opts != "omitempty" {
			required = append(required, key)
		}
	}
	def["required"] = required
}

func property(defs map[string]any, docs map[string]string, t reflect.Type) map[string]any {
	switch t.Kind() {
	case reflect.Pointer:
		return property(defs, docs, t.Elem())
	case reflect.Slice:
		return map[string]any{"type": "array", "items": property(defs, docs, t.Elem())}
	case reflect.Struct:
		object(defs, docs, t)
		return map[string]any{"$ref": "#/$defs/" + strings.ToLower(t.Name())}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int:
		return map[string]any{"type": "integer"}
	}
	return map[string]any{"type": "number"}
}
