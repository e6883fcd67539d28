package curious

import (
	"fmt"

	"tattle/internal/engine/nn"
)

// mixtureGraph joins classifiers fy of Y and fs of S ≤ Y classes of the same inputs into
// one of Y outputs (B section 3.2),
//
//	ŷ = βy·⌊z^y⌉ + βs·⌊z^s⌉,  z the softmax of the scores,
//
// where the hard mixture rounds each z to 1 at its largest entry and 0 elsewhere, the
// normal one leaves them, and z^s is padded with zeros; βy + βs is scaled to 1. ŷ is
// a distribution, as soft outputs are. The parameters are shared with fy and fs,
// either of which may end in a Softmax already. Without βy > βs > 0 the label would not be fy's.
func mixtureGraph(fy, fs *nn.Graph, y, s int, b Beta, hard bool) *nn.Graph {
	w := b.shares()
	g := newGraph("mixture", fy.InputShape...)
	g.Metadata = map[string]string{metaOutputs: string(Soft)}
	zy, zs := embed(g, "y.", fy), embed(g, "s.", fs)
	zy, zs = probabilities(g, zy, fy, hard), probabilities(g, zs, fs, hard)
	appendNode(g, "share.y", diagonal("share.y", y, y, w.Y), zy)
	appendNode(g, "share.s", diagonal("share.s", s, y, w.S), zs)
	appendNode(g, "mixture", &nn.Binary{Operator: "Add"}, "share.y", "share.s")
	return g
}

// checkMixture says what keeps a mixture's label from being that of y, or the
// hard one from being taken apart in float32.
func (b Beta) checkMixture() error {
	w := b.shares()
	y, s := float32(w.Y), float32(w.S) // as a graph has them
	if !(s > 0 && y > s && y+s > y) {
		return fmt.Errorf("mixture: beta %v: βy must be larger than βs and both positive, as in .8,.2", b)
	}
	return nil
}

// shares returns βy and βs scaled to a sum of 1.
func (b Beta) shares() Beta {
	total := b.Y + b.S
	return Beta{Y: b.Y / total, S: b.S / total}
}

// probabilities appends what makes scores the outputs to be mixed. Hardmax needs no
// softmax before it, which keeps the order but might round unequal scores to equal.
func probabilities(g *nn.Graph, scores string, f *nn.Graph, hard bool) string {
	switch {
	case hard:
		return appendNode(g, "hard."+scores, &nn.Hardmax{}, scores)
	case released(f) == Soft:
		return scores
	}
	return appendNode(g, "soft."+scores, &nn.Softmax{}, scores)
}

// mixtureDecoder takes a hard mixture of y and s classes apart without error: what
// βy·⌊z^y⌉, which is largest where ŷ is, leaves of ŷ is βs·⌊z^s⌉.
func mixtureDecoder(y, s int, b Beta) *nn.Graph {
	g := newGraph("mixture attack", y)
	appendNode(g, "label", &nn.Hardmax{}, g.Input)
	appendNode(g, "less", diagonal("less", y, y, -b.shares().Y), "label")
	appendNode(g, "rest", &nn.Binary{Operator: "Add"}, g.Input, "less")
	appendNode(g, "scores", diagonal("scores", y, s, 1), "rest")
	return g
}

// mixtureThreshold takes a normal mixture of two classes each apart by B eq. (2) with
// τ′ = tau, in terms of the second output: s̄ = 1 where it exceeds τ′ and the label is
// 0, or exceeds 1 − τ′ and the label is 1. Eq. (2) gives each boundary to the range
// above it, this to the one below: at ŷ = 1/2 F's label is 0, the first of equal ones.
func mixtureThreshold(tau float64) *nn.Graph {
	g := newGraph("mixture threshold", 2)
	above, less := zeroAffine("above", 2, 2), zeroAffine("less", 2, 2)
	above.Weight.Data[3], above.Bias.Data[1] = 1, float32(-tau)
	less.Weight.Data[3] = float32(2*tau - 1)
	appendNode(g, "above", above, g.Input)
	appendNode(g, "label", &nn.Hardmax{}, g.Input)
	appendNode(g, "less", less, "label")
	appendNode(g, "scores", &nn.Binary{Operator: "Add"}, "above", "less")
	return g
}

// newGraph returns a graph without nodes.
func newGraph(name string, input ...int) *nn.Graph {
	return &nn.Graph{Name: name, Input: "input", InputShape: input, Output: "input"}
}

// appendNode appends an operator, whose node and tensor are called name, and returns
// that.
func appendNode(g *nn.Graph, name string, op nn.Op, inputs ...string) string {
	g.Nodes = append(g.Nodes, &nn.Node{Name: name, Op: op, Inputs: inputs, Output: name})
	g.Output = name
	return name
}

// embed appends the nodes of another graph, on the same input, with the prefix
// before their names, and returns the tensor of its output.
func embed(g *nn.Graph, prefix string, from *nn.Graph) string {
	tensor := func(name string) string {
		if name == from.Input {
			return g.Input
		}
		return prefix + name
	}
	for _, n := range from.Nodes {
		in := make([]string, len(n.Inputs))
		for i, name := range n.Inputs {
			in[i] = tensor(name)
		}
		g.Nodes = append(g.Nodes, &nn.Node{Name: prefix + n.Name, Op: n.Op, Inputs: in, Output: tensor(n.Output)})
	}
	return tensor(from.Output)
}

// diagonal returns an affine layer that multiplies each input by a factor and cuts
// off, or pads with zeros, what is longer or shorter.
func diagonal(name string, in, out int, factor float64) *nn.Dense {
	w := param(name+".weight", out, in)
	for i := range min(in, out) {
		w.Data[i*in+i] = float32(factor)
	}
	return &nn.Dense{In: in, Out: out, Weight: w}
}
