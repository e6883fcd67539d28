package dataset

import (
	"slices"
	"strings"
	"testing"

	"tattle/internal/must"
)

// applied returns the classes' names and each value's class.
func applied(t *testing.T, rule string, values ...string) ([]string, []int) {
	t.Helper()
	r := must.Get(ParseRule(rule))(t)
	a := must.Get(Asked{Rule: r}.Of("any", values, maxClasses))(t, rule)
	if a.Name != "any" || !strings.Contains(rule, r.Column) || r.Grouped() != strings.Contains(rule, ": ") {
		t.Errorf("%s: %q of column %q, grouped %t", rule, a.Name, r.Column, r.Grouped())
	}
	return a.Values, a.Labels
}

func TestRules(t *testing.T) {
	list := func(s string) []string { return strings.Split(s, "|") }
	for _, c := range []struct {
		rule, values, classes string
		labels                []int
	}{
		{"gender", "Male|Female|Male", "Female|Male", []int{1, 0, 1}},
		{"age", "9|10|9|100", "9|10|100", []int{0, 1, 0, 2}},
		{"age", "more than 70|3-9|0-2|10-19", "0-2|3-9|10-19|more than 70", []int{3, 1, 0, 2}},
		{"x", "b||a", "a|b", []int{1, -1, 0}},
		{"age: <=30, >30", "30|31|1", "<=30|>30", []int{0, 1, 0}},
		{"age: <=20; 21..35; >35", "20|21|35|36", "<=20|21..35|>35", []int{0, 1, 1, 2}},
		{"age: <=20; 21..35; >35", "20.5|x||35.5", "<=20|21..35|>35", []int{-1, -1, -1, 2}},
		{"race: White; Black, Asian; *", "Asian|White|Black|Indian|", "White|Black, Asian|others", []int{1, 0, 1, 2, -1}},
		{"race: white; *", "WHITE|White|Black", "white|others", []int{0, 0, 1}},
		{"race: White; *", "WHITE|White|Black", "White|others", []int{1, 0, 1}},
		{"age: young = <=30; old = >30", "7|70", "young|old", []int{0, 1}},
		{"age: young = <30, 40; old => 41", "7|40|70|35", "young|old", []int{0, 0, 1, -1}},
		{"age: young = <30;\n old =\n>=30\n", "7|70|3\u00a0–\u00a09|\u2009<\u200930", "young|old", []int{0, 1, 0, 0}},
		{"age: <30; >=30", "20-29|30-39|more than 70|0-2|70+|<20|30 to 40|3–9", "<30|>=30", []int{0, 1, 1, 0, 1, 0, 1, 0}},
		{"t: <0; =0; >0", "-5|-0|1e2|-3--1|-4..-2", "<0|=0|>0", []int{0, 1, 2, 0, 0}},
		{"income: >50K; <=50K", "<=50K|>50K", ">50K|<=50K", []int{1, 0}},
		{`v: "a;b", "c:d"; "*"`, "a;b|c:d|*|e", "a;b, c:d|*", []int{0, 0, 1, -1}},
		{`"a:b": x; y`, "x|y", "x|y", []int{0, 1}},
		{"digit: 0,2,4,6,8; *", "0|1|2|9", "0, 2, 4, 6, 8|others", nil},
	} {
		values := list(c.values)
		if c.labels == nil { // even digits need all that the rule names
			values = list("0|1|2|3|4|5|6|7|8|9")
			c.labels = []int{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}
		}
		classes, labels := applied(t, c.rule, values...)
		if !slices.Equal(classes, list(c.classes)) || !slices.Equal(labels, c.labels) {
			t.Errorf("%s: classes %q, labels %v; want %q, %v", c.rule, classes, labels, c.classes, c.labels)
		}
	}
}

func TestRulesRefuse(t *testing.T) {
	for _, c := range []struct{ rule, values, want string }{
		{"", "a", "names no column"},
		{": a; b", "a", "names no column"},
		{"race: White", "White", "it makes 1 class: want 2 to 100"},
		{"race: White;", "White", "an entry is empty"},
		{"race: White; ,Black", "White", "an entry is empty"},
		{"race: White; Black, White", "White", `"White" stands in it twice`},
		{"race: *; White, *", "White", `"*" stands in it twice`},
		{"race: White; *; Black; *", "White", `"*" stands in it twice`},
		{"age: <5; x", "20-29|3-9|30-39|more than 70", `it has 3-9, 20-29, 30-39, more than 70`},
		{"race: Others; *", "White|Others", `two classes "others": name them apart, as in "rest = *"`},
		{"race: a = White; a = Black", "White", `two classes "a"`},
		{"race: Wite; *", "White|Black", `race has no value "Wite": it has Black, White`},
		{"age: 30..20; *", "25", `age has no value "30..20"`},
		{"age: 20...29; *", "25", `age has no value "20...29"`},
		{"age: <=30; >=30", "30", `age "30" falls into both "<=30" and ">=30"`},
		{"age: <=25; >25", "20-29", `age "20-29" falls into "<=25" only in part`},
		{"age: <=25; *", "20-29", `age "20-29" falls into "<=25" only in part`},
		{`age: "<=25"; *`, "20", `age has no value "<=25"`},
		{"race: white; WHITE", "White", `race "White" is named in two classes`},
	} {
		r, err := ParseRule(c.rule)
		if err == nil {
			_, err = Asked{Rule: r, Class: true}.Of(r.Column, strings.Split(c.values, "|"), maxClasses)
		}
		must.Fail(t, err, c.want)
	}
	many := column{name: "id"}
	for i := range 101 {
		many.values = append(many.values, strings.Repeat("x", i+1))
	}
	must.Fail(t, must.Err(Asked{Class: true}.Of("id", many.values, maxClasses)), "id has 101 values: want at most 100 classes") // 101 values
	must.Fail(t, must.Err(ParseRule(strings.Repeat("a", maxRule+1))))                                                           // a rule without end
}

func FuzzRule(f *testing.F) {
	for _, s := range []string{"gender", "age: <=30, >30", "race: White; Black, Asian; *", "age: young = <=30; old = >30", `"a": "b;c"; *`, "x: \x00; =", "a:1..2;3-4", "a: =;=", `a: "; b`} {
		f.Add(s, "Black\n30\n20-29\n>7\n")
	}
	f.Fuzz(func(t *testing.T, rule, values string) {
		r, err := ParseRule(rule)
		if err != nil {
			return
		}
		c := column{name: r.Column, values: strings.Split(values, "\n")}
		a, err := Asked{Rule: r, Class: true}.Of(c.name, c.values, maxClasses)
		if err != nil {
			return
		}
		if len(a.Labels) != len(c.values) || len(a.Values) > maxClasses {
			t.Fatalf("%d labels of %d rows, %d classes", len(a.Labels), len(c.values), len(a.Values))
		}
		for i, class := range a.Labels {
			if class < -1 || class >= len(a.Values) || class >= 0 && c.values[i] == "" && len(r.classes) == 0 {
				t.Fatalf("row %q has class %d of %q", c.values[i], class, a.Values)
			}
		}
	})
}
