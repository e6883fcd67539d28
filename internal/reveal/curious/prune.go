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

// PruneOptions says what Prune compares; the zero value is what paper B's section
// 5.7 does.
type PruneOptions struct {
	Global bool // all weights with each other, instead of each tensor's own
}

// Prune returns a copy of g in which the given fraction of the weights, those least
// in magnitude, are zero (B section 5.7): of each tensor of convolutions and affine
// layers its own, or with Global of all together; biases and batch norms stay.
// As PyTorch's l1_unstructured it rounds fraction·n to the nearest, half to even;
// of equal magnitudes the first are taken. It returns an error unless 0 ≤ fraction ≤ 1.
func Prune(g *nn.Graph, fraction float64, o PruneOptions) (*nn.Graph, error) {
	if !(fraction >= 0 && fraction <= 1) {
		return nil, fmt.Errorf("prune: fraction %v is not in [0, 1]", fraction)
	}
	c, ws := ownWeights(g)
	c.Metadata = maps.Clone(g.Metadata)
	if c.Metadata == nil {
		c.Metadata = map[string]string{}
	}
	c.Metadata[metaPruned] = number(fraction)
	if o.Global {
		prune(ws, fraction)
		return c, nil
	}
	for i := range ws {
		prune(ws[i:i+1], fraction)
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

// prune sets the fraction of all entries of the tensors to zero.
func prune(ws []*nn.Param, fraction float64) {
	var all []*float32
	for _, w := range ws {
		for i := range w.Data {
			all = append(all, &w.Data[i])
		}
	}
	size := func(v *float32) float64 { return math.Abs(float64(*v)) }
	slices.SortStableFunc(all, func(a, b *float32) int { return cmp.Compare(size(a), size(b)) })
	for _, v := range all[:int(math.RoundToEven(fraction*float64(len(all))))] {
		*v = 0
	}
	for _, w := range ws {
		w.Changed()
	}
}

// Pruned is what was measured after a fraction of the weights was pruned.
type Pruned struct {
	Fraction  float64               `json:"fraction"`
	Honesty   classify.Proportion   `json:"honesty"`
	Curiosity []classify.Proportion `json:"curiosity"` // by attack
}

// EvaluatePruned evaluates f on the test part with each fraction of its weights pruned.
// progress, unless nil, is called with the number of fractions done.
func EvaluatePruned(ctx context.Context, f *nn.Graph, attacks []Attack, test *dataset.Set, fractions []float64, o PruneOptions, progress func(done int)) (out []Pruned, err error) {
	for i, fraction := range fractions {
		g, err := Prune(f, fraction, o)
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
