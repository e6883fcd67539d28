package audit

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"tattle/internal/engine/nn/zoo"
	"tattle/internal/must"
)

// The classes of a model are those that it names, whatever their order in the data. If they cannot
// be distinguished, there is an error or a note.
func TestFromModelClasses(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		data, model string
		width       int
		want        string // the classes, in which example 0 keeps its own
		y           []int  // of each class of the data
		note, err   string
	}{
		{"low,middle,high", "low,middle,high", 3, "low,middle,high", []int{0, 1, 2}, "", ""},
		{"low,middle,high", "high,low,middle", 3, "high,low,middle", []int{1, 2, 0}, "go by their names", ""},
		{"low,middle,high", "low,middle,high,more", 4, "low,middle,high,more", []int{0, 1, 2}, "", ""},
		{"low,middle,high", "none,low,middle,high", 4, "none,low,middle,high", []int{1, 2, 3}, "go by their names", ""},
		{"low,middle,high", "a,b,c", 3, "low,middle,high", []int{0, 1, 2}, "unless these are the same", ""},
		{"low,middle,high", "low,middle,rest", 3, "low,middle,high", []int{0, 1, 2}, "unless these are the same", ""},
		{"low,middle,high", "high,middle,rest", 3, "", nil, "", "name the target"},
		{"low,middle,high", "high,middle,low,more", 3, "", nil, "", "name the target"}, // four names of three outputs
		{"low,middle,high", "low,low,high", 3, "", nil, "", "name the target"},
		{"low,high", "high,low", 1, "high,low", []int{1, 0}, "go by their names", ""},
	} {
		set := people(40)
		set.YNames = strings.Split(c.data, ",")
		for i := range set.Y {
			set.Y[i] = i % len(set.YNames)
		}
		g := zoo.Table(6, c.width, 5)
		names, _ := json.Marshal(strings.Split(c.model, ","))
		g.Metadata = map[string]string{"tattle.classes": string(names)}
		s, err := fromModel(ctx, g, "", set)
		if c.err != "" {
			must.Fail(t, err, c.err)
			continue
		}
		if err != nil {
			t.Errorf("%s by a model of %s: %v", c.data, c.model, err)
			continue
		}
		if got := strings.Join(s.Classes, ","); got != c.want || !slices.Equal(s.Y[:len(c.y)], c.y) || !strings.Contains(strings.Join(s.Notes, "\n"), c.note) || c.note == "" && len(s.Notes) > 0 {
			t.Errorf("%s by a model of %s: %s, labels %v, notes %q", c.data, c.model, got, s.Y[:len(c.y)], s.Notes)
		}
		if c.width == 1 && !strings.Contains(strings.Join(s.Notes, "\n"), "a score z of class low") {
			t.Errorf("a single output: %q", s.Notes)
		}
	}
}
