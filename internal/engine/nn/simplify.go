package nn

import "slices"

// simplified returns a graph that computes, up to the rounding of float32, what g does
// with less work: nodes that the output does not need, identities and views of views
// are gone; a copy of constants is a constant; a BatchNorm and what
// multiplies or adds a constant per channel are part of the Conv2D, ConvTranspose or
// Dense before them; zeros around an image are part of the Conv2D behind them; a
// LayerNormalization or a Gelu spelt out is one. Neither g nor
// its parameters are changed: the graph returned shares them and has, where it folds
// some into one, parameters of its own that a Net makes anew when those have changed.
// The numbers in a LayerNormalization or Gelu spelt out are settings, read once.
// It panics if g is not well formed.
func simplified(g *Graph) *Graph {
	return rewritten(g, dropIdentities, foldCopies, takeConstants, foldPads, findGelu, findLayerNorm, foldAffine)
}

// tidy is simplified as far as the function stays the same in exact arithmetic: a Gelu spelt
// out is none, as its √2 is rounded.
func tidy(g *Graph) *Graph {
	return rewritten(g, dropIdentities, foldCopies, takeConstants, findLayerNorm)
}

// rewrite is a graph that passes change: its nodes are its own, the operators and
// parameters may be others'.
type rewrite struct {
	*Graph
	shapes   map[string][]int
	producer map[string]*Node // of each tensor but the input
	readers  map[string]int   // how often each tensor is read, as the output too
	learned  map[*Param]bool  // parameters that training changes: no rule may rely on their values
}

// rewritten applies the passes to a copy of g, one after the other, and leaves out
// what the output does not need, before and after each.
func rewritten(g *Graph, passes ...func(*rewrite)) *Graph {
	c := *g
	c.Nodes = make([]*Node, len(g.Nodes))
	for i, n := range g.Nodes {
		c.Nodes[i] = &Node{n.Name, n.Op, slices.Clone(n.Inputs), n.Output}
	}
	shapes := mustFit(g.Shapes())
	r := &rewrite{Graph: &c, shapes: shapes, learned: map[*Param]bool{}}
	for _, p := range g.Params() {
		r.learned[p] = true
	}
	r.survey()
	for _, p := range passes {
		p(r)
		r.survey()
	}
	return r.Graph
}

// survey drops dead nodes and finds producers and readers.
func (r *rewrite) survey() {
	r.Nodes = r.Needed(r.Output, r.Input)
	r.producer, r.readers = map[string]*Node{}, map[string]int{r.Output: 1}
	for _, n := range r.Nodes {
		r.producer[n.Output] = n
		for _, in := range n.Inputs {
			r.readers[in]++
		}
	}
}

// become makes n the node of another operator on these inputs.
func (r *rewrite) become(n *Node, op Op, inputs ...string) {
	for _, in := range n.Inputs {
		r.readers[in]--
	}
	for _, in := range inputs {
		r.readers[in]++
	}
	n.Op, n.Inputs = op, slices.Clone(inputs)
}

// alone returns the node that makes a tensor which is read once, else nil.
func (r *rewrite) alone(tensor string) *Node {
	if r.readers[tensor] != 1 {
		return nil
	}
	return r.producer[tensor]
}

// dropIdentities has the readers of what hands its input on, a Dropout too, read that
// instead, and views of views look at what those look at.
func dropIdentities(r *rewrite) {
	for _, n := range r.Nodes {
		switch n.Op.(type) {
		case *Identity, *Dropout:
			r.skip(n)
		case *Reshape:
			if from := r.producer[n.Inputs[0]]; from != nil {
				if _, view := from.Op.(*Reshape); view {
					r.become(n, n.Op, from.Inputs[0])
				}
			}
			if slices.Equal(r.shapes[n.Inputs[0]], r.shapes[n.Output]) {
				r.skip(n)
			}
		case *Transpose:
			r.mergeTransposes(n)
		default:
			if copiesAll(n.Op, len(n.Inputs)) && slices.Equal(r.shapes[n.Inputs[0]], r.shapes[n.Output]) {
				r.skip(n)
			}
		}
	}
}

// copiesAll reports whether an operator, if its output has the shape of its input, is
// its input.
func copiesAll(op Op, inputs int) bool {
	switch op := op.(type) {
	case *Concat:
		return inputs == 1
	case *Slice:
		return !slices.ContainsFunc(op.Steps, func(s int) bool { return s < 1 })
	case *Pad:
		return !slices.ContainsFunc(slices.Concat(op.Before, op.After), func(n int) bool { return n != 0 })
	}
	return false
}

// skip has the readers of n's output read its input. The graph's output keeps its
// name.
func (r *rewrite) skip(n *Node) {
	for _, m := range r.Nodes {
		for i, in := range m.Inputs {
			if in == n.Output {
				m.Inputs[i] = n.Inputs[0]
				r.readers[n.Output]--
				r.readers[n.Inputs[0]]++
			}
		}
	}
}

// mergeTransposes makes one of a Transpose of a Transpose, or none.
func (r *rewrite) mergeTransposes(n *Node) {
	perm := n.Op.(*Transpose).Perm
	if from := r.producer[n.Inputs[0]]; from != nil {
		if first, ok := from.Op.(*Transpose); ok {
			both := make([]int, len(perm))
			for i, a := range perm {
				both[i] = first.Perm[a]
			}
			perm = both
			r.become(n, &Transpose{Perm: perm}, from.Inputs[0])
		}
	}
	if slices.IsSorted(perm) {
		r.skip(n)
	}
}

// foldPads has a Conv2D add the zeros itself that a Pad adds around images which it alone reads.
func foldPads(r *rewrite) {
	for _, n := range r.Nodes {
		conv, is := n.Op.(*Conv2D)
		if !is {
			continue
		}
		from := r.alone(n.Inputs[0])
		if from == nil {
			continue
		}
		pad, is := from.Op.(*Pad)
		if !is || pad.Value != 0 || slices.Min(slices.Concat(pad.Before, pad.After)) < 0 {
			continue
		}
		planes := len(pad.Before) - 2
		if slices.Max(slices.Concat(pad.Before[:planes], pad.After[:planes])) > 0 {
			continue
		}
		whole := *conv
		for d := range 2 {
			whole.Pad[d] += pad.Before[planes+d]
			whole.Pad[d+2] += pad.After[planes+d]
		}
		if _, err := whole.Shape(r.shapes[from.Inputs[0]]); err == nil {
			r.become(n, &whole, from.Inputs[0])
		}
	}
}
