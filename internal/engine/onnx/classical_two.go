package onnx

import (
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/classical"
)

// negative reports whether a weight of the trees is negative.
func negative(t *classical.Trees) bool {
	return slices.ContainsFunc(t.Leaves, func(l []classical.Vote) bool {
		return slices.ContainsFunc(l, func(v classical.Vote) bool { return v.Weight < 0 })
	})
}

// twoClasses makes the outputs of a classifier of two classes, whose leaves often vote for
// one of them only. What the scores of the other are then, the standard leaves open. These
// are ONNX Runtime's answers (1.30), and so is the label.
func (r *nodeReader) twoClasses(c *chain, t *classical.Trees, k classes, base []float64, how string) {
	threshold := .5
	if negative(t) {
		threshold = 0
	}
	first, second := voted(t, 0), voted(t, 1)
	one := func() *chain { // the only score
		if len(base) == 1 && second == noLeaf {
			t.Base = base
		}
		for _, l := range t.Leaves {
			for i := range l {
				l[i].Output = 0
			}
		}
		t.Outputs = 1
		mustBeSoundTrees(t)
		return c.opaque(t.Opaque())
	}
	switch {
	case len(base) > 2:
		panic(malformedf("has %d base values for 2 classes", len(base)))
	case second == someLeaves || second == noLeaf && first == noLeaf:
		panic(unsupportedf("leaves that vote for the second class beside leaves that do not"))
	case second == noLeaf && len(base) == 2:
		s := one()
		r.label(s.affine(1, []float64{1}, base[:1]), k, threshold)
		r.scores(s.affine(2, []float64{1, 0}, []float64{base[0], 0}).transform(how), k)
	case second == noLeaf:
		s := one()
		r.label(s, k, threshold)
		if threshold == 0 && how != "LOGISTIC" && how != "PROBIT" {
			r.scores(s.second(0), k)
			return
		}
		r.scores(s.both(how), k)
	case first == noLeaf && len(base) == 2:
		panic(unsupportedf("base values of two classes where leaves vote for the second only"))
	case first == noLeaf:
		s := one()
		r.label(s, k, threshold)
		r.scores(s.affine(2, []float64{0, 1}, nil).transform(how), k)
	default:
		r.twoScores(c.opaque(t.Opaque()), k, base, how)
	}
}

// twoScores makes the outputs of two classes that leaves vote for.
func (r *nodeReader) twoScores(c *chain, k classes, base []float64, how string) {
	switch len(base) {
	case 1:
		c = c.then(&nn.Binary{Operator: "Add", Constant: r.fixedParam("base_values", []float64{base[0], 0}, 2)})
	case 2:
		c = c.affine(2, []float64{-1, 0, 1, 0}, []float64{-base[1], base[1]})
	}
	if r.usage.readers[r.outputs[0]] > 0 {
		label := k
		if k.element == typeInt64 { // ONNX Runtime answers 0 and 1, whatever the labels
			label.codes = []float64{0, 1}
		}
		r.label(c.then(&nn.Gather{Axis: len(c.shape) - 1, Indices: []int{1}, Dims: []int{1}}), label, 0)
	}
	r.scores(c.transform(how), k)
}

// voted returns which leaves vote for an output.
func voted(t *classical.Trees, output int32) int {
	votes := func(i int32) bool {
		return slices.ContainsFunc(t.Leaves[^i], func(v classical.Vote) bool { return v.Output == output })
	}
	some := false
	for _, l := range t.Leaves {
		some = some || slices.ContainsFunc(l, func(v classical.Vote) bool { return v.Output == output })
	}
	if !some {
		return noLeaf
	}
	seen := make([]bool, len(t.Branches))
	for _, root := range t.Roots {
		every := true
		for todo := []int32{root}; len(todo) > 0 && every; {
			i := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			switch {
			case i < 0:
				every = votes(i)
			case !seen[i]:
				seen[i] = true
				todo = append(todo, t.Branches[i].True, t.Branches[i].False)
			}
		}
		if every {
			return everyLeaf
		}
	}
	return someLeaves
}
