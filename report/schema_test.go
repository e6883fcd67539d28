package report

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tattle/design"
	"tattle/internal/must"
)

// schemaFolder holds the published schemas; `make golden` rewrites them.
const schemaFolder = "../../docs/schema" // from testdata

// schemaKinds are the kinds of document, with the parts that each must have. Fields that are added
// to a report are no change of its schema, so unknown ones are valid.
var schemaKinds = map[string][]string{
	"bound":   {"release", "bounds"},
	"audit":   {"audit"},
	"curious": {"curiosity"},
	"design":  {"design"},
}

// reportSchema returns the schema of report.json, made from the type.
func reportSchema() map[string]any {
	g := schemaMaker{}
	s := g.structure(reflect.TypeFor[Report]())
	s["$schema"], s["$id"], s["title"] = draft, "report.json", "report.json of tattle, "+Schema
	s["$defs"] = map[string]any(g)
	s["properties"].(map[string]any)["schema"] = map[string]any{"const": Schema}
	return s
}

const draft = "https://json-schema.org/draft/2020-12/schema"

// A schemaMaker holds the definitions of structures, by the names of their types.
type schemaMaker map[string]any

// of returns the schema of the JSON that encoding/json writes for a type.
func (g schemaMaker) of(t reflect.Type) map[string]any {
	null := map[string]any{"type": "null"}
	switch {
	case t == reflect.TypeFor[Number](): // null stands for what is not a finite number
		return map[string]any{"type": []string{"number", "null"}}
	case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return map[string]any{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return map[string]any{"anyOf": []any{g.of(t.Elem()), null}}
	case reflect.Slice:
		return map[string]any{"type": []string{"array", "null"}, "items": g.of(t.Elem())}
	case reflect.Array:
		return map[string]any{"type": "array", "items": g.of(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Map:
		return map[string]any{"type": []string{"object", "null"}, "additionalProperties": g.of(t.Elem())}
	case reflect.Struct:
		if g[t.String()] == nil {
			g[t.String()] = map[string]any{} // ends recursion
			g[t.String()] = g.structure(t)
		}
		return map[string]any{"$ref": "#/$defs/" + t.String()}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	}
	return map[string]any{"type": "integer"}
}

// structure returns the schema of a structure, with the fields of embedded ones.
func (g schemaMaker) structure(t reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" || !f.IsExported() || name == "-" {
			continue
		}
		if properties[cmp.Or(name, f.Name)] = g.of(f.Type); !strings.HasPrefix(options, "omit") {
			required = append(required, cmp.Or(name, f.Name))
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

// schemas returns every published file.
func schemas() map[string]any {
	all := map[string]any{"report.json": reportSchema()}
	for kind, parts := range schemaKinds {
		all[kind+".json"] = map[string]any{
			"$schema": draft, "$id": kind + ".json",
			"title":    "report.json of kind " + kind + ", " + Schema,
			"allOf":    []any{map[string]any{"$ref": "report.json"}},
			"required": parts,
		}
	}
	return all
}

// TestSchemaGolden: the published schemas are those of the types.
func TestSchemaGolden(t *testing.T) {
	for name, s := range schemas() {
		golden(t, filepath.Join(schemaFolder, name), func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", " ")
			return e.Encode(s)
		})
	}
}

var compiledSchemas sync.Map // those compiled so far, by their kind

// compiled returns the published schema of a kind.
func compiled(t *testing.T, kind string) *jsonschema.Schema {
	t.Helper()
	if s, ok := compiledSchemas.Load(kind); ok {
		return s.(*jsonschema.Schema)
	}
	c := jsonschema.NewCompiler()
	for _, name := range []string{"report.json", kind + ".json"} {
		b := must.Get(os.ReadFile(filepath.Join("testdata", schemaFolder, name)))(t)
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
		if err == nil {
			err = c.AddResource(name, document)
		}
		must.Do(t, err)
	}
	s := must.Get(c.Compile(kind + ".json"))(t)
	compiledSchemas.Store(kind, s)
	return s
}

// TestSchemas: the reports of the golden files are valid for the schema of their kind and for
// no other, and one with a wrong value is not.
func TestSchemas(t *testing.T) {
	promised := promised(t, design.Limits{Identify: .12, Candidates: 60000})
	promised.Design = nothingPromised(t).Design
	reports := map[string]*Report{
		"bound": sample(t), "audit": auditReport(), "curious": curiousReport(t), "design": promised,
	}
	for kind, r := range reports {
		r.Schema = Schema
		var b bytes.Buffer
		must.Do(t, r.WriteJSON(&b))
		for other := range schemaKinds {
			err := validate(t, other, b.String())
			if other == kind && err != nil {
				t.Errorf("%s: %v", kind, err)
			}
			if other != kind && other != "bound" && err == nil { // every report has a list of bounds
				t.Errorf("a report of kind %s is valid as %s", kind, other)
			}
		}
		if validate(t, kind, strings.Replace(b.String(), `"title": "`, `"title": 1, "was": "`, 1)) == nil {
			t.Errorf("%s: a title that is a number is valid", kind)
		}
	}
}

func validate(t *testing.T, kind, document string) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(document))
	if err != nil {
		return err
	}
	return compiled(t, kind).Validate(v)
}
