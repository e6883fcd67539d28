package audit

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tattle/curious"
	"tattle/dataset"
	"tattle/internal/must"
	"tattle/internal/shared"
)

// rowsOf returns n rows of a table whose inputs say y and, where clear, s; and a sample of a
// model that releases y alone.
func rowsOf(n int, clear bool) (*dataset.Set, *Sample) {
	r := rand.New(rand.NewPCG(3, 5))
	set := &dataset.Set{Name: "made", Shape: []int{2}, YName: "y", YNames: []string{"no", "yes"}}
	s := &Sample{Name: "made", Kind: curious.Raw, Target: set.YName, Classes: set.YNames}
	labels := make([]int, n)
	for i := range n {
		y, shown := r.IntN(2), r.IntN(2)
		if labels[i] = r.IntN(2); clear {
			shown = labels[i]
		}
		set.Y, set.Values = append(set.Y, y), append(set.Values, float32(2*y-1), float32(2*shown-1))
		s.Y, s.Outputs = append(s.Y, y), append(s.Outputs, float32(1-y), float32(y))
	}
	set.Sensitive = []dataset.Attribute{{Name: "s", Values: []string{"a", "b"}, Labels: labels}}
	s.Sensitive = []Attribute{{Name: "s", Values: []string{"a", "b"}, Labels: labels}}
	return set, s
}

// TestTaskTraining plants where that can be found: not among few examples, which is noted,
// nor where the inputs do not tell the attribute.
func TestTaskTraining(t *testing.T) {
	shared.Long(t, "trains a net")
	ctx := t.Context()
	if _, note := trainingOfTask(second(rowsOf(999, true))); !strings.Contains(note, "Too few examples to plant") {
		t.Errorf("few: %q", note)
	}
	train := func(clear bool) *Planted {
		training, note := trainingOfTask(second(rowsOf(1100, clear)))
		if training == nil || note != "" {
			t.Fatalf("no training: %q", note)
		}
		x := must.Get(training.Train(ctx, nil))(t)
		return x.Planted
	}
	if p := train(false); p.Rows != nil || !strings.Contains(p.Note, "is used instead") {
		t.Errorf("hidden: planted on %s: %q", p.Where, p.Note)
	}
	p := train(true)
	if p.Rows == nil || p.Sample.Len() != 550 || p.TrueExcess < .3 {
		t.Fatalf("%d examples, a true excess of %.3f", p.Sample.Len(), p.TrueExcess)
	}
	p.Rows = nil
	o := Options{Seed: 1, Attacks: []string{"logistic"}, Permutations: 999}.withDefaults()
	r, record := &Result{}, &Record{Comparison: Comparison{Planted: p, Task: p}}
	if err := record.plantedControls(ctx, r, o); err != nil || record.Notes != nil || len(r.Controls) != 2 || !r.Controls[1].Passed {
		t.Errorf("%q, %v, %+v", record.Notes, err, r.Controls)
	}
	weak := *p
	weak.TrueExcess = .05
	r, record.Task = &Result{}, &weak
	if err := record.plantedControls(ctx, r, o); err != nil || len(r.Controls) != 1 || len(record.Notes) != 1 || !strings.Contains(record.Notes[0], "Only the one planted on glyphs counts") {
		t.Errorf("%q, %v, %+v", record.Notes, err, r.Controls)
	}
}

// second arranges the arguments of trainingOfTask.
func second(set *dataset.Set, s *Sample) (*Sample, *dataset.Set, uint64) { return s, set, 1 }

// TestHalves: what a model is planted by and what it is asked about are disjoint and in
// order.
func TestHalves(t *testing.T) {
	set, _ := rowsOf(1001, true)
	for i := range set.Len() {
		set.Values[2*i] = float32(i)
	}
	p := halves(set, 0)
	seen := map[float32]bool{}
	for _, s := range []*dataset.Set{p.Train, p.Validation, p.Test} {
		var first []float32
		for i := 0; i < len(s.Values); i += 2 {
			first = append(first, s.Values[i])
			seen[s.Values[i]] = true
		}
		if !slices.IsSorted(first) {
			t.Error("the order of the examples is lost")
		}
	}
	if len(seen) != 1001 || p.Train.Len()+p.Validation.Len()+p.Test.Len() != 1001 || p.Test.Len() != 501 || p.Validation.Len() != 50 {
		t.Errorf("%d in all: %d, %d, %d", len(seen), p.Train.Len(), p.Validation.Len(), p.Test.Len())
	}
}
