package measure

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/bound"
)

// A column of numbers keeps its unit where some of them are missing.
func TestColumnWithMissingNumbers(t *testing.T) {
	set := &dataset.Set{Columns: []dataset.Column{{Width: 1, Name: "age", Unit: 12}, {Width: 1, Name: "age"}, {Width: 2, Name: "job"}}}
	want := []bound.Column{{Name: "age", Width: 2, Keep: 1, Unit: 12}, {Name: "job", Width: 2, Keep: 2}}
	if got := Columns(set); !slices.Equal(got, want) {
		t.Errorf("columns %v, want %v", got, want)
	}
}

// A limit in number holds for what adversaries learn from, too; indices are of the measured part.
func TestTrainingLimit(t *testing.T) {
	measured := &dataset.Set{Shape: []int{1}, SHA256: "test"}
	for _, c := range []struct {
		in   Inputs
		want string // limits of the training data that are read, in turn
	}{
		{Inputs{}, "all"},
		{Inputs{Limit: dataset.Limit{Most: 7}}, "7"},
		{Inputs{Limit: dataset.Limit{Indices: "some.npy"}}, "some.npy all"},
		{Inputs{Limit: dataset.Limit{Most: 3, Indices: "some.npy"}}, "3,some.npy 3"},
	} {
		var read []string
		_, _, err := c.in.Training("", measured, func(in Inputs) (*dataset.Set, error) {
			read = append(read, in.Limit.String())
			return &dataset.Set{Shape: []int{1}, SHA256: "train"}, nil
		})
		if got := strings.Join(read, " "); err != nil || got != c.want {
			t.Errorf("%+v: %s, want %s; %v", c.in, got, c.want, err)
		}
	}
	_, _, err := Inputs{Limit: dataset.Limit{Indices: "some.npy"}}.Training("", measured, func(in Inputs) (*dataset.Set, error) { return measured, nil })
	if !errors.Is(err, errOnePart) {
		t.Errorf("one part: %v", err)
	}
}

// Training data are apart from the inputs if their path is another one, however it is written.
func TestLearnedApart(t *testing.T) {
	in := Inputs{Path: "a.csv"}
	if in.Learned("a.csv").apart || in.Learned(Absolute("a.csv")).apart || !in.Learned("b.csv").apart {
		t.Error("the same path is apart, or another is not")
	}
}

// Examples with more or fewer values than the model takes are refused, and columns of a table that
// are too many are named.
func TestTakes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "people.csv")
	var rows strings.Builder
	rows.WriteString("age,city,y\n")
	for i := range 40 {
		fmt.Fprintf(&rows, "%d,%s,%d\n", 20+i, []string{"Rome", "Oslo"}[i/2%2], i%2)
	}
	must.Do(t, os.WriteFile(path, []byte(rows.String()), 0o644))
	for inputs, want := range map[int]string{3: "", 1: "3 values, and the model takes 1: .*--sensitive.*the number is right without city$", 5: "3 values, and the model takes 5"} {
		m := &Model{Graph: &nn.Graph{InputShape: []int{inputs}}}
		_, _, err := Inputs{Path: path, Part: "test", Target: "y"}.Open(t.Context(), m, nil)
		if (err == nil) != (want == "") || err != nil && !regexp.MustCompile(want).MatchString(err.Error()) {
			t.Errorf("%d inputs: %v, want %q", inputs, err, want)
		}
	}
}

// Vectors without a model are read alike each time, although a column has the name of a target: a run and its check find the same.
func TestVectorsReadAlike(t *testing.T) {
	path := filepath.Join(t.TempDir(), "people.csv")
	rows := "e_0,e_1,y\n" + strings.Repeat("1,2,0\n3,4,1\n", 20)
	must.Do(t, os.WriteFile(path, []byte(rows), 0o644))
	in, m := Inputs{Path: path, Part: "test", Vectors: true, Columns: []string{"e_*"}}, new(Model)
	first, _ := must.Get2(in.Open(t.Context(), m, nil))(t)
	if again, _ := must.Get2(in.Open(t.Context(), m, nil))(t); again.SHA256 != first.SHA256 || again.Y != nil {
		t.Errorf("read again with the target %q", again.YName)
	}
}
