package cli

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tattle/audit"
	"tattle/curious"
	"tattle/dataset"
)

// rowsOf are examples of a table whose inputs tell y and, where clear, s.
func rowsOf(n int, clear bool) *examples {
	r := rand.New(rand.NewPCG(3, 5))
	set := &dataset.Set{Name: "made", Shape: []int{2}, YName: "y", YNames: []string{"no", "yes"}}
	labels := make([]int, n)
	for i := range n {
		y, shown := r.IntN(2), r.IntN(2)
		if labels[i] = r.IntN(2); clear {
			shown = labels[i]
		}
		set.Y = append(set.Y, y)
		set.Values = append(set.Values, float32(2*y-1), float32(2*shown-1))
	}
	set.Sensitive = []dataset.Attribute{{Name: "s", Values: []string{"a", "b"}, Labels: labels}}
	return &examples{set: set}
}

// sampleOf is what a model of a set might release: nothing but y.
func sampleOf(set *dataset.Set) *audit.Sample {
	s := &audit.Sample{Name: "made", Kind: curious.Raw, Y: set.Y, Target: set.YName, Classes: set.YNames}
	for _, y := range set.Y {
		s.Outputs = append(s.Outputs, float32(1-y), float32(y))
	}
	a := set.Sensitive[0]
	s.Sensitive = []audit.Attribute{{Name: a.Name, Values: a.Values, Labels: a.Labels}}
	return s
}

// TestPlantTask plants where that can be caught: not among few examples, which is said,
// nor where the inputs do not tell the attribute, and never on what it learned from.
func TestPlantTask(t *testing.T) {
	if testing.Short() {
		t.Skip("trains")
	}
	e := &env{ctx: t.Context(), stderr: new(strings.Builder)}
	for _, x := range []struct {
		name  string
		n     int
		clear bool
		said  string
	}{{"clear", 1100, true, ""}, {"few", 999, true, "Too few examples to plant"}, {"hidden", 1000, false, "stands for it"}} {
		d := &audited{examples: rowsOf(x.n, x.clear), options: audit.Options{Margin: new(.02), Confidence: .95, Seed: 1, Attacks: []string{"logistic"}, Permutations: 999}}
		d.sample = sampleOf(d.examples.set)
		c := &auditCmd{}
		if err := c.plantTask(d); err != nil {
			t.Fatal(err)
		}
		if err := c.train(e, t.TempDir(), d); err != nil {
			t.Fatal(err)
		}
		if said := strings.Join(d.notes, " "); (d.task != nil) != (x.said == "") || !strings.Contains(said, x.said) {
			t.Fatalf("%s: planted %v, said %q", x.name, d.task != nil, said)
		}
		if d.task == nil {
			continue
		}
		if d.task.Sample.Len() != x.n/2 || d.task.TrueExcess < .3 {
			t.Errorf("%d examples, a true excess of %.3f", d.task.Sample.Len(), d.task.TrueExcess)
		}
		if k, err := d.taskPositive(t.Context(), 0); err != nil || !k.Passed {
			t.Errorf("%+v, %v", k, err)
		}
		d.task.TrueExcess = .12 // among 1,000 examples as good as two coins
		if k, err := d.taskPositive(t.Context(), .01); err != nil || k != nil || !strings.Contains(strings.Join(d.notes, " "), "stands alone") {
			t.Errorf("%+v, %v, %q", k, err, d.notes)
		}
		if err := (&auditCmd{auditReferenceFlags: auditReferenceFlags{Reference: "x"}}).plantTask(&audited{examples: d.examples, sample: d.sample}); err != nil {
			t.Error(err)
		}
	}
}

// TestTrainingFails: what cannot be trained ends the audit with status 3, named, and what
// could be is kept.
func TestTrainingFails(t *testing.T) {
	d := &audited{examples: rowsOf(60, true)}
	d.sample = sampleOf(d.examples.set)
	trained := func(context.Context, func(done, total int)) (*audit.Trained, error) {
		return &audit.Trained{Sample: d.sample}, nil
	}
	take := func(*audit.Trained) error { return nil }
	d.learn("reference 1", trained, take)
	d.learn("reference 2", func(context.Context, func(done, total int)) (*audit.Trained, error) {
		return nil, errors.New("the loss is NaN")
	}, take)
	d.learn("reference 3", trained, take)
	dir, said := t.TempDir(), new(strings.Builder)
	e := &env{ctx: t.Context(), stderr: said, args: []string{"audit"}}
	status := fail(said, e.unfinished(new(auditCmd).train(e, dir, d), dir))
	if status != statusUnfinished || !strings.Contains(said.String(), "1 of 3 shards failed") || !strings.Contains(said.String(), "reference 2: the loss is NaN") || !strings.Contains(said.String(), "--resume") {
		t.Errorf("status %d: %s", status, said)
	}
	if kept, _ := filepath.Glob(filepath.Join(dir, shardsDir, "shard-*.sha256")); len(kept) != 2 {
		t.Errorf("kept: %q", kept)
	}
}

// TestHalves: what a model is planted by and what it is asked about are apart.
func TestHalves(t *testing.T) {
	x := rowsOf(1001, true)
	for i := range x.set.Len() {
		x.set.Values[2*i] = float32(i)
	}
	p, asked := new(auditCmd).halves(x.set)
	seen := map[float32]bool{}
	for _, s := range []*dataset.Set{p.Train, p.Validation, asked} {
		if !slices.IsSorted(firsts(s)) {
			t.Error("the order of the examples is lost")
		}
		for _, v := range firsts(s) {
			if seen[v] {
				t.Fatalf("example %v twice", v)
			}
			seen[v] = true
		}
	}
	if len(seen) != 1001 || asked.Len() != 501 || p.Validation.Len() != 50 {
		t.Errorf("%d in all: %d, %d, %d", len(seen), p.Train.Len(), p.Validation.Len(), asked.Len())
	}
}

func firsts(s *dataset.Set) (v []float32) {
	for i := 0; i < len(s.Values); i += 2 {
		v = append(v, s.Values[i])
	}
	return v
}
