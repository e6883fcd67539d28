package dataset

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
)

// Columns of a model are read by name, in the model's order, as they are.
func TestModelColumns(t *testing.T) {
	open := func(text string, o Options) (*Set, string, error) {
		path := filepath.Join(t.TempDir(), "a.csv")
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		set, notes, err := OpenInputs(context.Background(), path, o)
		return set, strings.Join(notes, "\n"), err
	}
	named := Options{Target: "y", Missing: true, Words: []string{"f", "m"}, Columns: []nn.Column{{Name: "sex", Width: 1, Type: nn.ColumnText}, {Name: "Age", Width: 1, Type: nn.ColumnNumber}, {Name: "kids", Width: 1, Type: nn.ColumnInteger}}}
	set, notes := must.Get2(open("age,y,sex,kids,other\n20.5,a,m,2,x\n,b,f,0,x\n30,a,q,TRUE,x\n", named))(t)
	nan := float32(math.NaN())
	if want := []float32{1, 20.5, 2, 0, nan, 0, -1, 30, 1}; !slices.EqualFunc(set.Values, want, func(a, b float32) bool { return a == b || a != a && b != b }) {
		t.Errorf("%v, want %v", set.Values, want)
	}
	for _, want := range []string{"all of its 3 examples are used", "1 row of column age have no number", `1 row of column sex have text that the model does not know, such as "q"`} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes %q lack %q", notes, want)
		}
	}
	row := func(width int) Options {
		return Options{Target: "y", Sensitive: []string{"s"}, Columns: []nn.Column{{Name: "input", Width: width, Type: nn.ColumnNumber}}}
	}
	table := "a,s,b,y,name\n1,0,2,u,Ann\n3,1,4,v,Bob\n"
	for width, want := range map[int]string{2: "the target and the sensitive ones: a, b", 3: "but the target: a, s, b"} {
		set, notes, err := open(table, row(width))
		if err != nil || !strings.Contains(notes, want) || set.Values[0] != 1 || set.Values[width-1] != 2 {
			t.Errorf("%d: %v, %q", width, err, notes)
		}
	}
	for want, c := range map[string]struct {
		text string
		o    Options
	}{
		"the model takes 5 columns; the file has 3, and 2 without the sensitive ones": {table, row(5)},
		`the file lacks these: kids`:                        {"age,sex,y\n1,f,a\n", named},
		`row 1, column kids: "1.5" is not an integer`:       {"age,sex,y,kids\n1,f,a,1.5\n", named},
		`"-16777217" is not an integer of at most 16777216`: {"age,sex,y,kids\n1,f,a,-16777217\n", named},
		"column a has 1 row without a number: fill them in": {"a,s,b,y\n,0,2,u\n3,1,4,v\n", row(2)},
		`row 2, column age: "old" is not a number`:          {"age,sex,y,kids\n1,f,a,1\nold,f,b,1\n", named},
	} {
		must.Fail(t, must.Err2(open(c.text, c.o)), want)
	}
}
