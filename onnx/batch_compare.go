package onnx

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"tattle/nn"
)

const (
	// maxComparison is the most multiply-adds of one comparison, about a second of
	// two cores: a Swin-T takes 1.8e10 in batches of 2.
	maxComparison = 2e10

	// workPerByte and workPerElement bound the comparison by the size of the file and
	// by the constants that it may make, so that a small file that claims large
	// tensors is read quickly.
	workPerByte    = 1 << 12
	workPerElement = 1 << 3

	// entryWork is counted for each entry of a tensor, in multiply-adds.
	entryWork = 16

	// agreement is the largest difference, relative to the largest output, of results
	// that float64 rounds differently: 2⁻⁵³ magnified by up to 2²³.
	agreement = 0x1p-30
)

// work returns the multiply-adds that comparing takes: a batch as one, and its
// examples alone.
func (one *decoder) work(batch int) (int64, error) {
	costs, err := one.graph.Costs()
	if err != nil {
		return 0, err
	}
	shapes, err := one.graph.Shapes()
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, n := range one.graph.Nodes {
		sum += costs[n.Name] + entryWork*int64(nn.Size(shapes[n.Output]))
	}
	return 2 * int64(batch) * sum, nil
}

// comparison has the outputs of a batch and those of its examples alone.
type comparison struct {
	one, many *decoder
	w         *batchWalk
	x         []float64
}

// compare returns an error unless the batch's examples have the same outputs alone and
// together.
func compare(one, many *decoder, w *batchWalk) error {
	c := &comparison{one, many, w, examplesOf(many.batch, nn.Size(one.graph.InputShape))}
	same, differs, err := c.agrees(one.graph.Output)
	switch {
	case err != nil || same && (differs || w.undecided == nil):
		return err
	case same:
		return many.mixes(w.undecided, "may mix the examples of a batch: "+w.reason+", and the outputs of random inputs are all the same or not finite")
	}
	n, err := c.first()
	if err != nil {
		return err
	}
	return many.mixes(n, fmt.Sprintf("mixes the examples of a batch, or depends on its size: in a batch of %d its output for an example is not what it is alone", many.batch))
}

// examplesOf returns inputs that differ in scale, sign and every entry.
func examplesOf(batch, p int) []float64 {
	r := rand.New(rand.NewPCG(15, uint64(batch)))
	x := make([]float64, batch*p)
	for place, b := range r.Perm(batch) {
		for i := range p {
			v := r.NormFloat64()
			if b%2 == 1 { // as pixels
				v = r.Float64()
			}
			x[place*p+i] = v * math.Ldexp(1, b%3-1)
		}
	}
	return x
}

// first returns the first node whose output differs; that of the graph does.
func (c *comparison) first() (*nn.Node, error) {
	if c.w.undecided != nil {
		return c.w.undecided, nil
	}
	var nodes []*nn.Node
	for _, n := range c.many.graph.Nodes {
		if c.one.made[n.Output] != nil && c.w.at[n.Output].depends() {
			nodes = append(nodes, n)
		}
	}
	var failed error
	i := sort.Search(len(nodes)-1, func(i int) bool {
		same, _, err := c.agrees(nodes[i].Output)
		failed = errors.Join(failed, err)
		return !same
	})
	return nodes[i], failed
}

// agrees compares one tensor. differs reports whether it differs between examples; otherwise
// agreement shows nothing.
func (c *comparison) agrees(tensor string) (same, differs bool, err error) {
	alone, err := run(c.one.graph, tensor, c.x, c.many.batch)
	if err != nil {
		return false, false, err
	}
	together, err := run(c.many.graph, tensor, c.x, 1)
	if err != nil || len(alone) != len(together) {
		return false, false, err
	}
	each := len(alone) / c.many.batch
	stride := c.w.at[tensor].stride
	if stride == 0 {
		stride = each
	}
	next := make([]int, c.many.batch)
	worst, scale := 0.0, 0.0
	for i, y := range together {
		b := i / stride % c.many.batch
		a := alone[b*each+next[b]]
		differs = differs || a-alone[next[b]] != 0 && !math.IsNaN(a-alone[next[b]])
		next[b]++
		if !math.IsInf(a, 0) && !math.IsNaN(a) {
			scale = max(scale, math.Abs(a))
		}
		if a == y || math.IsNaN(a) && math.IsNaN(y) {
			continue
		}
		if d := math.Abs(a - y); d > worst || math.IsNaN(d) {
			worst = d
		}
	}
	return worst <= agreement*scale, differs, nil
}

// run computes a tensor of a graph for so many inputs of it.
func run(g *nn.Graph, tensor string, x []float64, inputs int) ([]float64, error) {
	part := *g
	part.Output = tensor
	part.Nodes, _ = neededFor(g, tensor)
	net, err := nn.NewNet(&part)
	if err != nil {
		return nil, err
	}
	_, n := net.Dims()
	y := make([]float64, inputs*n)
	net.Forward64(y, x)
	return y, nil
}
