package curious

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/classify"
	"tattle/internal/engine/nn"
)

// metaPruned is the fraction that was pruned, in a graph's metadata.
const metaPruned = "tattle.pruned"

// Prune returns a copy of g in which the given fraction of the weights, those least
// in magnitude, are zero (B section 5.7): of each tensor of convolutions and affine
// layers its own; biases and batch norms stay.
// As PyTorch's l1_unstructured it rounds fraction·n to the nearest, half to even;
// of equal magnitudes the first are taken. It returns an error unless 0 ≤ fraction ≤ 1.
func Prune(g *nn.Graph, fraction float64) (*nn.Graph, error) {
	if !(fraction >= 0 && fraction <= 1) {
		return nil, fmt.Errorf("prune: fraction %v is not in [0, 1]", fraction)
	}
	c, ws := ownWeights(g)
	c.Metadata = maps.Clone(g.Metadata)
	if c.Metadata == nil {
		c.Metadata = map[string]string{}
	}
	c.Metadata[metaPruned] = number(fraction)
	for _, w := range ws {
		prune(w, fraction)
	}
	return c, nil
}

// ownWeights returns a graph with copies of the weights of convolutions and affine layers, and these
// copies, each once, in node order. All else is shared with g.
func ownWeights(g *nn.Graph) (*nn.Graph, []*nn.Param) {
	c := *g
	c.Nodes = nil
	var ws []*nn.Param
	copies := map[*nn.Param]*nn.Param{}
	own := func(p *nn.Param) *nn.Param {
		if copies[p] == nil {
			copies[p] = &nn.Param{Name: p.Name, Shape: p.Shape, Data: slices.Clone(p.Data)}
			ws = append(ws, copies[p])
		}
		return copies[p]
	}
	for _, n := range g.Nodes {
		m := *n
		switch op := n.Op.(type) {
		case *nn.Dense:
			d := *op
			d.Weight, m.Op = own(op.Weight), &d
		case *nn.Conv2D:
			d := *op
			d.Weight, m.Op = own(op.Weight), &d
		}
		c.Nodes = append(c.Nodes, &m)
	}
	return &c, ws
}

// prune sets the fraction of a tensor's entries to zero.
func prune(w *nn.Param, fraction float64) {
	order := nn.Indices(len(w.Data))
	size := func(i int) float64 { return math.Abs(float64(w.Data[i])) }
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(size(i), size(j)) })
	for _, i := range order[:int(math.RoundToEven(fraction*float64(len(order))))] {
		w.Data[i] = 0
	}
	w.Changed()
}

// Pruned is what was measured after a fraction of the weights was pruned.
type Pruned struct {
	Fraction  float64               `json:"fraction"`
	Honesty   classify.Proportion   `json:"honesty"`
	Curiosity []classify.Proportion `json:"curiosity"` // by attack
}

// EvaluatePruned evaluates f on the test part with each fraction of its weights pruned.
// progress, unless nil, is called with the number of fractions done.
func EvaluatePruned(ctx context.Context, f *nn.Graph, attacks []Attack, test *dataset.Set, fractions []float64, progress func(done int)) (out []Pruned, err error) {
	for i, fraction := range fractions {
		g, err := Prune(f, fraction)
		if err != nil {
			return nil, err
		}
		e, err := Evaluate(ctx, g, attacks, nil, test) // its baselines are not used
		if err != nil {
			return nil, err
		}
		p := Pruned{Fraction: fraction, Honesty: e.Honesty}
		for _, s := range e.Sensitive {
			p.Curiosity = append(p.Curiosity, s.Curiosity)
		}
		out = append(out, p)
		if progress != nil {
			progress(i + 1)
		}
	}
	return out, nil
}
