package report

import (
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tattle/internal/must"
)

const (
	schemaPath = "../../docs/schema/report.json"
	draft      = "https://json-schema.org/draft/2020-12/schema"
)

type schema = map[string]any

// schemaOf is the schema of the JSON that encoding/json writes for a type. Keys that are added to a report are no change
// of its schema, so unknown ones are valid.
func schemaOf(t reflect.Type, all schema) schema {
	switch t {
	case reflect.TypeFor[json.RawMessage](): // in the command's own type
		return schema{}
	case reflect.TypeFor[jsonNumber](): // null stands for what is not known
		return schema{"anyOf": []any{schema{"type": []string{"number", "null"}}, schema{"enum": []string{"+Inf", "-Inf"}}}}
	case reflect.TypeFor[Value]():
		t = reflect.TypeFor[jsonValue]()
	case reflect.TypeFor[Series]():
		t = reflect.TypeFor[jsonSeries]()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem(), all)
	case reflect.Slice:
		return schema{"type": []string{"array", "null"}, "items": schemaOf(t.Elem(), all)}
	case reflect.Map:
		return schema{"type": "object", "additionalProperties": schemaOf(t.Elem(), all)}
	case reflect.Struct:
		properties, required := schema{}, []string{}
		for _, f := range reflect.VisibleFields(t) {
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous || name == "-" {
				continue
			}
			properties[cmp.Or(name, f.Name)] = schemaOf(f.Type, all)
			if !strings.HasPrefix(options, "omit") {
				required = append(required, cmp.Or(name, f.Name))
			}
		}
		name := strings.TrimPrefix(t.Name(), "json")
		all[name] = schema{"type": "object", "properties": properties, "required": required}
		return schema{"$ref": "#/$defs/" + name}
	case reflect.String:
		return schema{"type": "string"}
	case reflect.Float64:
		return schema{"type": "number"}
	}
	return schema{"type": "integer"}
}

// TestSchema: the published schema is that of the types, and reports are valid by it.
func TestSchema(t *testing.T) {
	defs := schema{}
	schemaOf(reflect.TypeFor[Report](), defs)
	top := maps.Clone(defs["Report"].(schema))
	delete(defs, "Report")
	top["$schema"], top["$id"], top["title"], top["$defs"] = draft, "report.json", "report.json of tattle, "+Schema, defs
	top["properties"].(schema)["schema"] = schema{"const": Schema}
	var b strings.Builder
	must.Do(t, WriteIndented(&b, top))
	golden(t, "../"+schemaPath, b.String())
	c := jsonschema.NewCompiler()
	must.Do(t, c.AddResource("report.json", must.Get(jsonschema.UnmarshalJSON(strings.NewReader(b.String())))(t)))
	s := must.Get(c.Compile("report.json"))(t)
	for kind, r := range kinds() {
		must.Do(t, s.Validate(must.Get(jsonschema.UnmarshalJSON(strings.NewReader(written(t, r, "json"))))(t)), kind)
	}
	if s.Validate(map[string]any{"schema": Schema}) == nil {
		t.Error("a report without anything is valid")
	}
}
