package dataset

import (
	"testing"

	"tattle/internal/must"
)

// Too many combinations, and two with one name, are refused.
func TestIntersectionRefuses(t *testing.T) {
	many := &intersection{text: "a*b", factors: []int{0, 1}}
	eleven := Attribute{Name: "a", Values: ClassNumbers(11)}
	must.Fail(t, must.Err(many.of([]Attribute{eleven, eleven})), "121 combinations, more than 100")
	alike := []Attribute{{Name: "a", Values: []string{"x", "x y"}}, {Name: "b", Values: []string{"y z", "z"}}}
	must.Fail(t, must.Err(many.of(alike)), "one name")
	has := func(string) bool { return false }
	must.Fail(t, must.Err(ParseSensitive([]string{"race: A; *", "race: B; *", "race*sex"}, has)), "race is asked for twice")
}
