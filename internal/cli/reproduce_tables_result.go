package cli

import (
	"slices"
	"strconv"

	"tattle/classify"
	"tattle/curious"
	"tattle/dataset"
	"tattle/reproduce"
)

const cellSchema = "tattle/cell/1"

// cellResult is the result.json of a cell, a training with one seed.
type cellResult struct {
	trained
	Key      string                  `json:"key"`
	Counts   map[string][][]int      `json:"counts"`   // of the training part, by sensitive attribute: class of s × class of y
	Measures map[string]*cellMeasure `json:"measures"` // by outputs, or "student"; none of a cell that failed
}

// cellMeasure is what was measured of one classifier and its attacks, those on the
// training's sensitive attributes in their order.
type cellMeasure struct {
	Evaluation *curious.Evaluation `json:"evaluation"`
	Taus       []float64           `json:"taus"` // of thresholds, in nats; else 0
	Pruned     []prunedMeasure     `json:"pruned,omitempty"`
}

// prunedMeasure is what is left after pruning a fraction of the weights.
type prunedMeasure struct {
	Fraction  float64               `json:"fraction"`
	Honesty   classify.Proportion   `json:"honesty"`
	Curiosity []classify.Proportion `json:"curiosity"`
}

// want is what a finished cell says of itself; its target's data are known.
func (g *grid) want(t reproduce.Training, seed uint64) trained {
	k := trained{Schema: cellSchema, Settings: g.settings(), Data: g.data[t.Target].digest}
	k.Settings["seed"] = strconv.FormatUint(seed, 10)
	return k
}

// newResult is a cell before it is trained, with its data open.
func (g *grid) newResult(t reproduce.Training, seed uint64) *cellResult {
	r := &cellResult{trained: g.want(t, seed), Key: t.Key, Counts: map[string][][]int{}, Measures: map[string]*cellMeasure{}}
	r.Examples = g.parts.Train.Len()
	for _, s := range t.Sensitive {
		r.Counts[s] = jointCounts(g.parts.Train, g.index(t, s))
	}
	return r
}

// index is the position of a sensitive attribute among those of the open data.
func (g *grid) index(t reproduce.Training, sensitive string) int {
	return slices.Index(g.x.Sensitive(t.Target), sensitive)
}

// jointCounts counts the examples by class of s and class of y.
func jointCounts(set *dataset.Set, index int) [][]int {
	s := set.Sensitive[index]
	n := make([][]int, len(s.Values))
	for i := range n {
		n[i] = make([]int, len(set.YNames))
	}
	for i, y := range set.Y {
		n[s.Labels[i]][y]++
	}
	return n
}
