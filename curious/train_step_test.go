package curious

import (
	"context"
	"slices"
	"testing"
)

// TestSharedPass holds that a net without batch norm and dropout takes the same steps
// whether its pass in evaluation mode is shared or not.
func TestSharedPass(t *testing.T) {
	p := pictures(100)
	var want []uint32
	for _, alike := range []bool{false, true} {
		o := Options{Attack: Parameterized, Net: plainNet, Attributes: []int{0}}.withDefaults()
		tr, err := newTraining(context.Background(), p, o)
		if err != nil {
			t.Fatal(err)
		}
		if !tr.alike {
			t.Fatal("the net is said to differ in evaluation")
		}
		tr.alike = alike
		for range 3 {
			if err := tr.step(every(100)); err != nil {
				t.Fatal(err)
			}
		}
		got := parameters(tr.scores, tr.attacks[0].graph)
		if alike && !slices.Equal(got, want) {
			t.Error("a shared pass gives other parameters")
		}
		want = got
	}
}

// TestStepsAreApart holds that G's step leaves F's bytes as they are, running
// statistics too, and F's step those of G.
func TestStepsAreApart(t *testing.T) {
	p := pictures(120)
	for _, o := range []Options{{Net: smallNet}, {Net: smallNet, Outputs: Soft}, {Net: plainNet}, {Net: plainNet, Outputs: Soft}} {
		o.Attack, o.Attributes = Parameterized, []int{0}
		o = o.withDefaults()
		tr, err := newTraining(context.Background(), p, o)
		if err != nil {
			t.Fatal(err)
		}
		g := tr.attacks[0].graph
		for range 2 {
			tr.load(every(o.Batch))
			f0, g0 := parameters(tr.scores), parameters(g)
			if err := tr.stepAttacks(); err != nil {
				t.Fatal(err)
			}
			f1, g1 := parameters(tr.scores), parameters(g)
			if !slices.Equal(f0, f1) || slices.Equal(g0, g1) {
				t.Errorf("%s: G's step: F is the same: %v, G is another: %v", o.Outputs, slices.Equal(f0, f1), !slices.Equal(g0, g1))
			}
			if _, err := tr.stepClassifier(); err != nil {
				t.Fatal(err)
			}
			f2, g2 := parameters(tr.scores), parameters(g)
			if slices.Equal(f1, f2) || !slices.Equal(g1, g2) {
				t.Errorf("%s: F's step: F is another: %v, G is the same: %v", o.Outputs, !slices.Equal(f1, f2), slices.Equal(g1, g2))
			}
		}
	}
}
