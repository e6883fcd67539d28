package onnx

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"tattle/internal/engine/nn"
)

// A certificate is about one input at a time. It holds for a batch only where the net
// computes every example of a batch by itself. A file whose first dimension is fixed to
// 1 runs on single inputs only. A file that leaves it open is read again with batches of
// 7 and of 2, the whole batch as one input of the graph, and is refused unless
//
//   - the shapes show it: every operator keeps apart what belongs to different examples,
//     or, at nodes where shapes do not decide it, the comparison below shows it;
//   - the outputs agree: random inputs have the same outputs in these batches as alone.
//     This also finds a net that computes something else in a larger batch. It is left out
//     where the shapes decided everything and it would take more than maxComparison.
var batches = []int{7, 2}

const (
	// fixBatch is how every refusal ends.
	fixBatch = "certificates are about one input at a time: remove this from the model, or export it with the batch fixed to 1 if it only ever runs on single inputs"

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

// batched describes where the examples of a batch of size B lie in a flat tensor: entry i
// depends on example (i/stride) mod B only, in the same way for each example. A reshape does
// not change this layout. A window partition, for example, gives [B·windows, …], whose stride
// is windows times as long.
type batched struct {
	shape  []int
	stride int       // 0 for a constant
	data   []float32 // of a constant, if its value is known
}

// axis returns the dimension that holds the batch, and how many neighbours along it
// belong to one example.
func (b batched) axis(batch int) (k, run int) {
	for k, step := range slices.Backward(steps(b.shape)) {
		if n := step * b.shape[k]; n > b.stride && b.stride%step == 0 && n%(b.stride*batch) == 0 {
			return k, b.stride / step
		} else if n > b.stride {
			break
		}
	}
	panic(unsupported("the batch lies across several of its dimensions"))
}

// checkBatches returns an error if the net that one holds, read at batch 1, may mix the
// examples of a batch.
func (one *decoder) checkBatches(data []byte, folded int) error {
	costs, err := one.graph.Costs()
	if err != nil {
		return err
	}
	var work int64 // of one example
	for _, n := range one.graph.Nodes {
		work += costs[n.Name] + entryWork*int64(nn.Size(one.inner[n.Output]))
	}
	limit := min(maxComparison, workPerByte*int64(len(data))+workPerElement*int64(folded))
	c := &comparison{one: one, alone: map[string][]float64{}}
	for _, batch := range batches {
		many, err := decodeBatch(data, one.options, one.folder.again(), folded, batch)
		if e := new(FormatError); errors.As(err, &e) {
			many.refuse(e.Node, e.Op, e.Detail)
		} else if err != nil {
			return err
		}
		if len(many.refused) > 0 {
			p := many.refused[0]
			p.Detail = fmt.Sprintf("cannot be computed for a batch of %d (%s), though the file leaves the batch open: export it with the batch fixed to 1", batch, p.Detail)
			return &UnsupportedError{Parts: []Unsupported{p}}
		}
		at, open, err := many.followBatch()
		switch {
		case err == nil && 2*int64(batch)*work <= limit:
			c.many, c.at = many, at
			err = c.check(open)
		case err == nil && open != nil:
			err = many.mixes(open, "may mix the examples of a batch, and the net is too large to compare batches")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// mixes is the refusal that names the node of the file which a node of the graph is of.
func (d *decoder) mixes(n *nn.Node, what string) error {
	name, op := n.Name, n.Op.Kind()
	if from := d.owner[n]; from != nil {
		name, op = from.name, from.op
	}
	return &UnsupportedError{Parts: []Unsupported{{name, op, what + "; " + fixBatch}}}
}

// followBatch returns where the examples lie in each tensor, and the first node whose shapes do not
// decide it, or nil. It returns an error if a node mixes them.
func (d *decoder) followBatch() (at map[string]batched, open *nn.Node, err error) {
	g := d.graph
	at = map[string]batched{g.Input: {shape: g.InputShape, stride: nn.Size(g.InputShape) / d.batch}}
	for _, n := range g.Nodes {
		var in []batched
		for _, name := range n.Inputs {
			if b, known := at[name]; known {
				in = append(in, b)
			}
		}
		if len(in) < len(n.Inputs) {
			continue
		}
		switch err := attempt(func() { at[n.Output] = follow(n.Op, d.batch, d.inner[n.Output], in) }).(type) {
		case *FormatError:
			return nil, nil, d.mixes(n, "mixes the examples of a batch: it "+err.Detail)
		case unsupported:
			open = cmp.Or(open, n)
		}
	}
	return at, open, nil
}

// follow returns where the examples lie in the output of an operator. It panics with a FormatError
// if the operator mixes them, and with unsupported if the shapes do not decide that.
func follow(op nn.Op, batch int, shape []int, in []batched) batched {
	out := batched{shape: shape}
	var constants []batched
	hold := func(params ...*nn.Param) {
		for _, p := range params {
			if p != nil {
				constants = append(constants, batched{p.Shape, 0, p.Data})
			}
		}
	}
	perChannel := func(params ...*nn.Param) { // of the first dimension
		for _, p := range params {
			if p != nil && len(shape) > 0 && len(p.Data) == shape[0] {
				along := slices.Repeat([]int{1}, len(shape))
				along[0] = shape[0]
				constants = append(constants, batched{along, 0, p.Data})
			}
		}
	}
	joined := -1 // the dimension of a Concat
	switch op := op.(type) {
	case *nn.Constant:
		out.data = op.Value.Data
		return out
	case *nn.Reshape, *nn.Flatten, *nn.Identity, *nn.Dropout, *nn.ReLU, *nn.LeakyReLU, *nn.Unary:
		return batched{shape, in[0].stride, in[0].data}
	case *nn.Binary:
		hold(op.Constant)
	case *nn.Where:
		hold(op.Condition, op.Then, op.Else)
	case *nn.BatchNorm:
		perChannel(op.Scale, op.Shift, op.Mean, op.Variance)
	case *nn.Concat:
		joined = op.Axis
	}
	for i, b := range in {
		if b.stride == 0 {
			constants = append(constants, b)
			continue
		}
		k, run := b.axis(batch)
		stride := run * nn.Size(shape[moved(op, i, k, run, b.shape, shape)+1:])
		switch {
		case out.stride == 0 || out.stride == stride:
			out.stride = stride
		case joined >= 0:
			panic(unsupported("it joins what has different numbers of entries of each example"))
		default:
			panic(malformedf("combines different examples"))
		}
	}
	if out.stride > 0 {
		out.mustHaveSame(constants, batch, joined)
	}
	return out
}

// mustHaveSame panics unless constants that broadcast to a tensor are the same for each example.
func (b batched) mustHaveSame(constants []batched, batch, joined int) {
	for _, c := range constants {
		if nn.Size(c.shape) <= 1 && joined < 0 {
			continue
		}
		k, run := b.axis(batch)
		at := k - len(b.shape) + len(c.shape)
		switch {
		case k != joined && (at < 0 || c.shape[at] == 1):
		case c.data == nil || k == joined:
			panic(unsupported("it joins a constant to the batch, or has one of no known value"))
		case !repeats(c.data, run*nn.Size(c.shape[at+1:]), batch):
			panic(malformedf("treats the examples differently: its constant is not the same for every example"))
		}
	}
}

// repeats reports whether data are the same for every example of a batch.
func repeats(data []float32, stride, batch int) bool {
	for i, v := range data {
		if first := i - i/stride%batch*stride; math.Float32bits(v) != math.Float32bits(data[first]) {
			return false
		}
	}
	return len(data)%(stride*batch) == 0
}

// needsWhole says how many of the last dimensions an operator, by its kind, computes across.
var needsWhole = map[string]int{
	"Softmax": 1, "Hardmax": 1, "Gemm": 1, "MaxPool": 2, "AveragePool": 2,
	"Conv": 3, "ConvTranspose": 3, "BatchNormalization": 0, "Concat": 0,
}

// moved returns where dimension k of an operator's input i is in its output. k holds the batch, run
// neighbours of each example.
func moved(op nn.Op, i, k, run int, in, out []int) int {
	whole, known := needsWhole[op.Kind()]
	to, changed := k, !known
	switch op := op.(type) {
	case *nn.Binary, *nn.Where:
		return k + len(out) - len(in)
	case *nn.LayerNorm:
		whole, changed = max(op.Axes, 1), false
	case *nn.Opaque:
		whole, changed = 1, false
	case *nn.MatMul:
		if k >= len(in)-2 && (k == len(in)-2+i) != [2]bool{op.TransA, op.TransB}[i] {
			return len(out) - 2 + i
		}
		to, whole, changed = k+len(out)-len(in), 2, false
	case *nn.Transpose:
		to, changed = slices.Index(op.Perm, k), false
	case *nn.Reduce:
		if changed = false; slices.Contains(op.Axes, k) {
			whole = len(in)
		} else if !op.Keep {
			to = len(reducedShape(in[:k], op.Axes, false))
		}
	case *nn.Pad:
		changed = op.Before[k] != 0 || op.After[k] != 0
	case *nn.Slice:
		changed = op.Starts[k] != 0 || op.Counts[k] != in[k]
	case *nn.Gather:
		if changed = k == op.Axis; k > op.Axis {
			to += len(op.Dims) - 1
		}
	}
	switch {
	case k >= len(in)-whole:
		panic(malformedf("computes across the batch"))
	case changed:
		panic(unsupported("the shapes do not decide it"))
	}
	return to
}

// examplesOf returns inputs that differ in scale and every entry.
func examplesOf(batch, p int) []float64 {
	r, x := rand.New(rand.NewPCG(15, 0)), make([]float64, batch*p)
	for i := range x {
		x[i] = r.NormFloat64() * math.Ldexp(1, i/p%3-1)
	}
	return x
}

// comparison holds a net read at batch 1 to the same read with a whole batch as its input.
type comparison struct {
	one, many *decoder
	at        map[string]batched   // where the examples lie, as far as the shapes say
	x         []float64            // examples of the largest batch that is compared
	alone     map[string][]float64 // tensors of these examples alone
}

// check returns an error unless the batch's examples have the same outputs alone and together. It
// names the node that the shapes leave open, or else the first whose output differs.
func (c *comparison) check(open *nn.Node) error {
	same, differ := c.agrees(c.many.graph.Output)
	switch {
	case same && open != nil && !differ:
		return c.many.mixes(open, "may mix the examples of a batch, and the outputs of random inputs are all the same or not finite")
	case same:
		return nil
	case open == nil:
		var nodes []*nn.Node
		for _, n := range c.many.graph.Nodes {
			if c.one.made[n.Output] != nil && c.at[n.Output].stride > 0 {
				nodes = append(nodes, n)
			}
		}
		open = nodes[sort.Search(len(nodes)-1, func(i int) bool {
			same, _ := c.agrees(nodes[i].Output)
			return !same
		})]
	}
	return c.many.mixes(open, fmt.Sprintf("mixes the examples of a batch, or depends on its size: in a batch of %d its output for an example is not what it is alone", c.many.batch))
}

// agrees compares one tensor. differ reports whether it differs between examples; otherwise
// agreement shows nothing.
func (c *comparison) agrees(tensor string) (same, differ bool) {
	batch, p := c.many.batch, nn.Size(c.one.graph.InputShape)
	if c.x == nil {
		c.x = examplesOf(batch, p)
	}
	if c.alone[tensor] == nil {
		c.alone[tensor] = run(c.one.graph, tensor, c.x, len(c.x)/p)
	}
	alone, together := c.alone[tensor], run(c.many.graph, tensor, c.x[:batch*p], 1)
	each := nn.Size(c.one.inner[tensor])
	if len(together) != batch*each || len(alone) < len(together) {
		return false, false
	}
	stride := cmp.Or(c.at[tensor].stride, each)
	worst, scale := 0.0, 0.0
	for i, y := range together {
		b, place := i/stride%batch, i/(stride*batch)*stride+i%stride
		a := alone[b*each+place]
		differ = differ || math.Abs(a-alone[place]) > 0
		if a-a == 0 {
			scale = max(scale, math.Abs(a))
		}
		if gap := math.Abs(a - y); a != y && (a == a || y == y) && worst == worst && !(gap <= worst) {
			worst = gap
		}
	}
	return worst <= agreement*scale, differ
}

// run computes one tensor of a graph, for the given number of inputs in x. It returns nil if the graph cannot be run.
func run(g *nn.Graph, tensor string, x []float64, inputs int) []float64 {
	part := *g
	part.Output = tensor
	part.Nodes, _ = neededFor(g, tensor)
	net, err := nn.NewNet(&part)
	if err != nil {
		return nil
	}
	_, n := net.Dims()
	y := make([]float64, inputs*n)
	net.Forward64(y, x)
	return y
}
