package main

import (
	"os"
	"path/filepath"
	"testing"

	"tattle/internal/must"
)

// Of a function with two operators, a test that looks at one of them notices the change of that one.
func TestMutants(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module m\n",
		"a.go":      "package m\n\nfunc f(a, b int) bool { return a+b < 3 }\n",
		"a_test.go": "package m\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) {\n\tif f(3, 0) || !f(2, 0) {\n\t\tt.Fail()\n\t}\n}\n",
	} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	all := must.Get(mutants(dir, ""))(t)
	if len(all) != 2 || all[0].now+all[1].now != "<=-" {
		t.Fatalf("%+v", all)
	}
	o := options{timeout: 1e11}
	for i, noticed := range []bool{true, false} {
		if out, err := o.test(t.Context(), dir, &all[i]); (err != nil) != noticed {
			t.Errorf("%+v: %v\n%s", all[i], err, out)
		}
	}
}
