package audit

import (
	"slices"
	"testing"

	"tattle/internal/must"
)

// Columns that are asked for by name mean classes by their names, by what follows their common
// beginning, or by their order.
func TestAskedScores(t *testing.T) {
	for content, columns := range map[string][]string{
		"y,s,class_1,class_2\nclass_1,a,.1,.9\nclass_2,b,.2,.8\n": {"class_1", "class_2"},
		"y,s,q_yes,q_no\nno,a,.1,.9\nyes,b,.2,.8\n":               {"q_yes", "q_no"},
		"y,s,q0,q1\nno,a,.1,.9\nyes,b,.2,.8\n":                    {"q0", "q1"},
	} {
		s, err := ReadOutputs(t.Context(), "x.csv", []byte(content), OpenOptions{Target: "y", Sensitive: []string{"s"}, Columns: columns})
		if err != nil {
			t.Errorf("%v: %v", columns, err)
			continue
		}
		want := []int{0, 1}
		if columns[0] == "q_yes" {
			want = []int{1, 0}
		}
		if !slices.Equal(s.Y, want) {
			t.Errorf("%v: y %v, want %v", columns, s.Y, want)
		}
	}
	must.Fail(t, must.Err(ReadOutputs(t.Context(), "x.csv", []byte("y,s,cat,dog\nno,a,.1,.9\nyes,b,.2,.8\n"), OpenOptions{Target: "y", Sensitive: []string{"s"}, Columns: []string{"cat", "dog"}}))) // cats are no answer
}
