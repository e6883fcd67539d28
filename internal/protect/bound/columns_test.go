package bound

import (
	"slices"
	"testing"

	"tattle/internal/must"
)

// TestColumns: the bands of a table are its columns by name, each once, and the last ones together
// if there are many; columns that do not cover the inputs are refused.
func TestColumns(t *testing.T) {
	c := must.Get(Columns([]Column{{"age", 2, 1, 0}, {"all", 3, 3, 0}, {"age", 1, 1, 0}}, 6))(t)
	want := []Band{{Name: AllBand}, {"age", []int{0}}, {"all (2)", []int{2, 3, 4}}, {"age (2)", []int{5}}}
	if got := Octaves(c); len(got) != len(want) {
		t.Fatalf("bands %v, want %v", got, want)
	} else {
		for i, b := range got {
			if b.Name != want[i].Name || !slices.Equal(b.Keep, want[i].Keep) {
				t.Errorf("band %v, want %v", b, want[i])
			}
		}
	}
	many := make([]Column, mostColumns+5)
	for i := range many {
		many[i] = Column{Name: string(rune('A' + i)), Width: 1, Keep: 1}
	}
	c = must.Get(Columns(many, len(many)))(t)
	bands := Octaves(c)
	if last := bands[len(bands)-1]; len(bands) != mostColumns+1 || last.Name != "6 other columns" || len(last.Keep) != 6 {
		t.Errorf("%d bands, the last %v", len(bands), last)
	}
	for _, bad := range [][]Column{{{"a", 2, 1, 0}}, {{"a", 4, 1, 0}}, {{"a", 3, 0, 0}}, {{"a", 3, 4, 0}}, {{"a", 0, 0, 0}, {"b", 3, 1, 0}}} {
		if _, err := Columns(bad, 3); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}
