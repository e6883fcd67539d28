package dataset

import (
	"slices"
	"strings"
	"testing"
)

// A rule is applied to the column that it names, or to another of any name.
func TestRuleColumn(t *testing.T) {
	values := []string{"7", "70", "", "x", "7"}
	for _, c := range []struct {
		rule, column string
		grouped      bool
		classes      string
		labels       []int
	}{
		{"age", "age", false, "7|70|x", []int{0, 1, -1, 2, 0}},
		{"age: <=30; >30", "age", true, "<=30|>30", []int{0, 1, -1, -1, 0}},
		{"age: x; *", "age", true, "x|others", []int{1, 1, -1, 0, 1}},
		{`"a:b": old = >=70; young = <70`, "a:b", true, "old|young", []int{1, 0, -1, -1, 1}},
	} {
		r, err := ParseRule(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		a, err := r.Apply("any", values)
		if err != nil {
			t.Fatalf("%s: %v", c.rule, err)
		}
		if r.Column() != c.column || r.Grouped() != c.grouped || a.Name != "any" || strings.Join(a.Values, "|") != c.classes || !slices.Equal(a.Labels, c.labels) {
			t.Errorf("%s: column %q, grouped %t, %+v", c.rule, r.Column(), r.Grouped(), a)
		}
	}
}

func TestRuleColumnRefuses(t *testing.T) {
	many := make([]string, maxClasses+1)
	for i := range many {
		many[i] = strings.Repeat("x", i+1)
	}
	for _, c := range []struct {
		rule, want string
		values     []string
	}{
		{"age: a; b", "b", []string{"a", "a"}},
		{"age: <=30; <=40", "30", []string{"7", "35"}},
		{"age", "has 101 values", many},
	} {
		r, err := ParseRule(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		if a, err := r.Apply("any", c.values); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "any") {
			t.Errorf("%s: %+v, %v", c.rule, a, err)
		}
	}
}
