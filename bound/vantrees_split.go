package bound

import "tattle/nn"

// affinityBlock is how many numbers the displacements of one pass through the model and
// the changes that they cause may be: so few that they stay in a processor's cache.
const affinityBlock = 1 << 18

// split finds the layers of a net up to its first that is not affine. A displacement
// changes their output by the same at every input, which needs to be computed once.
func (a *affinities) split() error {
	a.affine, a.rest = nil, a.m
	net, ok := a.m.(*nn.Net)
	if !ok {
		return nil
	}
	g := net.Graph()
	var front, rest *nn.Graph
	for _, n := range g.Nodes {
		if !isAffine(n.Op) {
			break
		}
		if f, r, err := g.Cut(n.Name); err == nil {
			front, rest = f, r
		}
	}
	if front == nil {
		return nil
	}
	affine, err := nn.NewNet(front)
	if err != nil {
		return err
	}
	after, err := nn.NewNet(rest)
	if err != nil {
		return err
	}
	a.affine, a.rest = affine, after
	return nil
}

// bent returns what the affine layers make of inputs x.
func (a *affinities) bent(x []float32, count int) []float32 {
	if a.affine == nil {
		return x
	}
	q, _ := a.rest.Dims()
	out := make([]float32, count*q)
	a.affine.Forward(out, x)
	return out
}

// displace overwrites d, [4, count, q], with how h/2, −h/2, h and −h, h being [count, p],
// change what the affine layers give.
func (a *affinities) displace(d, h []float32, count int) {
	if a.affine != nil {
		q, _ := a.rest.Dims()
		p, _ := a.affine.Dims()
		change := make([]float32, count*q)
		a.affine.Linearize(make([]float32, p)).JVP(change, h)
		h = change
	}
	for i, v := range h {
		for j, by := range []float32{.5, -.5, 1, -1} {
			d[j*len(h)+i] = by * v
		}
	}
}
