package bound

import (
	"fmt"
	"math"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/math/qp"
	"tattle/internal/math/simd"
)

const (
	// mostRows and mostInputs are the largest programmes that are tried: a step of
	// the interior point method takes some 2·rows²·(inputs + rows/6) operations, a
	// second or two at the most.
	mostRows, mostInputs = 3072, 4096
	// margin: inactive units are kept this far below 0, in units of the inputs and
	// relative to 1 plus the largest distance, so that neither the tolerance of a
	// programme nor rounding activates them.
	margin = 1e-5
)

// A level is a layer whose output is all that later layers depend on. Its last tensor
// holds the values before the ReLU or, if the level is affine, the values themselves; the
// other tensors are the inputs of the ReLUs before it.
type level struct {
	relu    bool
	tensors []tensor
	rows    []float64 // the Jacobian, where it is the same for all inputs, else nil
}

// A tensor is a net up to the tensor of that name.
type tensor struct {
	name string
	net  *nn.Net
	n    int
}

// levelsOf returns the layers of a net that twins can be held at: those that end in a ReLU
// in order, then affine ones with fewer values than there are inputs. It returns an error,
// with the reason, if there are none.
func levelsOf(g *nn.Graph, p int) ([]*level, error) {
	shapes, err := g.Shapes()
	if err != nil {
		return nil, err
	}
	b := levelBuilder{g: g, p: p, shapes: shapes, bends: map[string][]string{g.Input: nil}}
	for _, n := range g.Nodes {
		b.visit(n)
		if b.err != nil {
			return nil, b.err
		}
	}
	levels := append(b.relus, b.affine...)
	switch {
	case len(levels) > 0:
		return levels, nil
	case b.large != "":
		return nil, fmt.Errorf("twins: %s", b.large)
	case b.stop != nil:
		return nil, fmt.Errorf("twins: node %q (%s) is not affine between ReLUs, and no layer before it holds all that comes after", b.stop.Name, b.stop.Op.Kind())
	}
	return nil, fmt.Errorf("twins: no layer has fewer values than the %d inputs", p)
}

// levelBuilder walks a graph from its input on.
type levelBuilder struct {
	g             *nn.Graph
	p             int
	shapes        map[string][]int
	bends         map[string][]string // for tensors that are piecewise linear: what enters the ReLUs before them
	relus, affine []*level
	large         string // why a level is too large
	stop          *nn.Node
	err           error
}

// visit decides whether a node is piecewise linear, and whether it is a level.
func (b *levelBuilder) visit(n *nn.Node) {
	var bends []string
	for _, in := range n.Inputs {
		before, ok := b.bends[in]
		if !ok {
			return
		}
		for _, t := range before {
			if !slices.Contains(bends, t) {
				bends = append(bends, t)
			}
		}
	}
	relu, bent := n.Op.(*nn.ReLU)
	if bent && n.Inputs[0] == b.g.Input || !bent && !isAffine(n.Op) {
		b.stop = n
		return
	}
	if size := nn.Size(b.shapes[n.Output]); bent && relu.Slope == 0 {
		b.add(n, n.Inputs[0], bends, true)
	} else if size < b.p {
		b.add(n, n.Output, bends, false)
	}
	if bent && !slices.Contains(bends, n.Inputs[0]) {
		bends = append(bends, n.Inputs[0])
	}
	b.bends[n.Output] = bends
}

// isAffine reports whether an operator is affine in inference.
func isAffine(op nn.Op) bool {
	switch op := op.(type) {
	case *nn.Dense, *nn.Conv2D, *nn.BatchNorm, *nn.AveragePool, *nn.Reshape, *nn.Identity, *nn.Dropout:
		return true
	case *nn.Binary:
		return op.Operator == "Add" && op.Constant == nil
	case *nn.Reduce:
		return op.Function == "Mean" || op.Function == "Sum"
	}
	return false
}

// add adds a level whose last tensor is last, unless it is too large or something
// after it needs more than it.
func (b *levelBuilder) add(n *nn.Node, last string, bends []string, relu bool) {
	if _, _, err := b.g.Cut(n.Name); err != nil {
		return
	}
	rows := nn.Size(b.shapes[last])
	for _, t := range bends {
		rows += nn.Size(b.shapes[t])
	}
	if rows > mostRows || b.p > mostInputs {
		b.large = fmt.Sprintf("%d units up to %q and %d inputs are too many for a dense programme: at most %d and %d", rows, n.Name, b.p, mostRows, mostInputs)
		return
	}
	l := &level{relu: relu}
	for _, t := range append(bends[:len(bends):len(bends)], last) {
		l.tensors = append(l.tensors, b.tensor(t))
	}
	if b.err != nil {
		return
	}
	if len(bends) == 0 {
		l.rows = Jacobians(l.tensors[0].net.Clone(), make([]float64, b.p))[0].Rows
	}
	if relu {
		b.relus = append(b.relus, l)
	} else {
		b.affine = append(b.affine, l)
	}
}

// tensor returns the net up to a tensor.
func (b *levelBuilder) tensor(name string) tensor {
	front := &nn.Graph{Name: b.g.Name, Input: b.g.Input, InputShape: b.g.InputShape, Output: name}
	for _, n := range b.g.Nodes {
		front.Nodes = append(front.Nodes, n)
		if n.Output == name {
			break
		}
	}
	net, err := nn.NewNet(front)
	if err != nil {
		b.err = err
		return tensor{}
	}
	return tensor{name, net, nn.Size(b.shapes[name])}
}

// constrain sets up the polytope of inputs that agree with θ at a level. It reports false
// if that fixes at least as many values as there are inputs, and returns an error if
// values or slopes are not finite.
func (w *twinWorker) constrain(l *level, nets []*nn.Net) (bool, error) {
	values, rows := make([][]float64, len(nets)), make([][]float64, len(nets))
	for k, net := range nets {
		values[k] = make([]float64, l.tensors[k].n)
		if net.Forward64(values[k], w.theta); !nn.Finite(values[k]) {
			return false, l.notFinite(k)
		}
	}
	last, on := len(nets)-1, 0
	for _, v := range values[last] {
		if !l.relu || v > 0 {
			on++
		}
	}
	if on >= w.p {
		return false, nil
	}
	for k, net := range nets {
		if rows[k] = l.rows; l.rows == nil {
			rows[k] = Jacobians(net, w.theta)[0].Rows
		}
		if !nn.Finite(rows[k]) {
			return false, l.notFinite(k)
		}
	}
	c := constraints{p: w.p, rows: w.polytope.Rows[:0], right: w.polytope.Right[:0]}
	equal := c.hold(l, values, rows)
	w.polytope.Rows, w.polytope.Right, w.polytope.Equal = c.rows, c.right, equal
	c.keepOff(equal, w.low, w.high, &w.polytope)
	return true, nil
}

// hold adds the constraints that keep the values of a level and the ReLU pattern before
// it: first equations, whose number it returns, then inequalities for the inactive units
// of the level and for the sign of each unit before it.
func (c *constraints) hold(l *level, values, rows [][]float64) (equal int) {
	last := len(values) - 1
	for j, v := range values[last] {
		if !l.relu || v > 0 {
			c.add(rowOf(rows[last], j, c.p), 0, 1)
		}
	}
	equal = len(c.right)
	for k, v := range values {
		for j, at := range v {
			switch row := rowOf(rows[k], j, c.p); {
			case at <= 0 && (k < last || l.relu):
				c.add(row, -at, 1)
			case k < last:
				c.add(row, at, -1)
			}
		}
	}
	return equal
}

// notFinite is the error where tensor k, or its slopes, are not finite.
func (l *level) notFinite(k int) error {
	return fmt.Errorf("twins: tensor %q of the model, or its Jacobian, is not finite at this input: its weights are too large or not numbers", l.tensors[k].name)
}

// constraints collects rows, scaled to length 1.
type constraints struct {
	p           int
	rows, right []float64
}

// add adds sign·row·ε = right, or ≤ right. Rows of zeros hold of themselves.
func (c *constraints) add(row []float64, right, sign float64) {
	length := math.Sqrt(simd.SumSquares(row))
	if length == 0 {
		return
	}
	n := len(c.rows)
	c.rows = append(c.rows, row...)
	simd.Scale(sign/length, c.rows[n:])
	c.right = append(c.right, right/length)
}

// keepOff tightens the inequalities by the margin, and omits those that the limits imply.
func (c *constraints) keepOff(equal int, low, high []float64, p *qp.Problem) {
	in := margin * (1 + simd.MaxAbs(c.right))
	kept := equal
	for j := equal; j < len(c.right); j++ {
		row := c.rows[j*c.p : (j+1)*c.p]
		most := 0.
		for i, v := range row {
			most += max(v*low[i], v*high[i])
		}
		if right := c.right[j] - in; most > right {
			copy(p.Rows[kept*c.p:(kept+1)*c.p], row)
			p.Right[kept] = right
			kept++
		}
	}
	p.Rows, p.Right = p.Rows[:kept*c.p], p.Right[:kept]
}
