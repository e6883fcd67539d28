package design

import (
	"math"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/must"
	"tattle/internal/protect/measure"
	"tattle/internal/protect/release"
)

// Vectors are in the cell of the nearest of some; equal ones share a cell, which no learning would find empty.
func TestCells(t *testing.T) {
	set := pairs(200, 3)
	for i := range 50 { // of four vectors
		copy(set.Values[i*8:(i+1)*8], set.Values[i%4*8:][:8])
	}
	learn := nn.Indices(50)
	labels := cellsOf(rows{nn.Rows{P: 8, X: set.Values}}, learn, 1)
	seen := map[int]bool{}
	for _, i := range learn {
		seen[labels[i]] = true
		if labels[i] != labels[i%4] {
			t.Errorf("vectors %d and %d are equal, in cells %d and %d", i, i%4, labels[i], labels[i%4])
		}
	}
	for i, cell := range labels {
		if !seen[cell] {
			t.Errorf("vector %d is in cell %d, where none to learn from is", i, cell)
		}
	}
	if len(seen) != 4 {
		t.Errorf("%d cells of 4 vectors", len(seen))
	}
}

// The search for vectors measures what package measure does, and erases what is protected.
func TestVectors(t *testing.T) {
	train, test := pairs(600, 1), pairs(300, 2)
	train.Y, test.Y = nil, nil
	g := measure.NoModel(8).Graph
	use := &release.Use{Task: "recall@5", Metric: release.MetricEuclidean}
	o := searchOptions(Options{Use: use, Nodes: []string{zoo.VectorNode}, Methods: []Method{Isotropic, Erased}})
	o.Identify, o.Candidates, o.Protect, o.Fresh = .05, 300, []Protect{{Attribute: "side"}}, nil
	o.Settle(train, test)
	if p := o.Protect[0].Accuracy; !(p > .6 && p < .9) || math.Round(100*p)/100 != p || must.Err(0, o.Protect[0].check(train, test)) != nil {
		t.Errorf("the least limit is %v", p)
	}
	a := must.Get(Search(t.Context(), g, train, test, o))(t)
	if a.Best == nil || a.Best.Method != Erased || a.Best.Guessed[0].Right > o.Protect[0].Accuracy || a.Clean != 1 {
		t.Fatalf("%v: %+v, at first %v", a.Best, a.Best.Guessed, a.Clean)
	}
	s := must.Get(newSearcher(g, train, test, o))(t)
	c := must.Get(s.cutAt(t.Context(), zoo.VectorNode))(t)
	l := must.Get(s.line(t.Context(), c, place{Node: zoo.VectorNode, Method: Isotropic}))(t)
	head := must.Get(l.head(.5))(t)
	found := must.Get(s.accuracy(t.Context(), c, l, head, .5))(t)[0]
	u := must.Get(measure.Purpose{Use: use, Data: train.Subset(c.validate)}.Utility(t.Context(), nil,
		release.Features{Front: must.Get(measure.NewSplit("", c.front, c.head, nil))(t).Front, Head: must.Get(measure.NewSplit("", c.front, c.head, nil))(t).Head, Noise: release.Gaussian{Sigma: .5}}, release.UtilityOptions{Draws: 4}, nil))(t)
	// Means of 100 queries and more, whose scores vary by .5 at most: five standard errors of both.
	if math.Abs(found-u.Released.Fraction) > .2 || found > .9 || found < .2 {
		t.Errorf("recall %v in the search, %v measured", found, u.Released.Fraction)
	}
}
