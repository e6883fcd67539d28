package main

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"tattle/internal/must"
)

// Of a function with two operators, a test that looks at one of them notices the change of that one.
func TestMutants(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module m\n\ngo 1.26\n",
		"a.go":      "package m\n\nfunc f(a, b int) bool { return a+b < 3 }\n",
		"a_test.go": "package m\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) {\n\tif f(3, 0) || !f(2, 0) {\n\t\tt.Fail()\n\t}\n}\n",
	} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	b, all := must.Get2(compile(t.Context(), dir, t.TempDir()))(t)
	if len(all) != 2 || all[0].now+all[1].now != "<=-" {
		t.Fatalf("%+v", all)
	}
	tests := must.Get(b.tests(t.Context()))(t)
	for i, want := range []bool{true, false} {
		if noticed, met := b.notice(t.Context(), tests, strconv.Itoa(i+1)); noticed != want || met != 1 {
			t.Errorf("%+v: noticed %t, met by %d tests", all[i], noticed, met)
		}
	}
}
