package onnx

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"tattle/internal/engine/nn"
)

// A certificate is about one input at a time. It holds for a batch only where the net
// computes every example of a batch by itself. A file whose first dimension is fixed to
// 1 runs on single inputs only. A file that leaves it open is read again with batches of
// 2 and of 7, the whole batch as one input of the graph, and is refused unless random
// inputs have the same outputs in these batches as alone. This also finds a net that
// computes something else in a larger batch. Larger nets are compared in the smaller one
// only: see maxComparison.
var batches = []int{2, 7}

const (
	// fixBatch is how every refusal ends.
	fixBatch = "certificates are about one input at a time: remove this from the model, or export it with the batch fixed to 1 if it only ever runs on single inputs"

	// maxComparison is the most multiply-adds of a comparison in the larger batch, about a
	// second of two cores: a Swin-T takes 1.8e10 in batches of 2, and 6.3e10 in those of 7.
	maxComparison = 2e10

	// workPerByte and workPerElement bound a comparison by the size of the file and
	// by the constants that it may make, so that a small file that claims large
	// tensors is read quickly: with few weights, some 5e8 multiply-adds for each example.
	workPerByte    = 1 << 12
	workPerElement = 1 << 6

	// entryWork is counted for each entry of a tensor, in multiply-adds.
	entryWork = 16

	// agreement is the largest difference, relative to the largest output, of results
	// that float64 rounds differently: 2⁻⁵³ magnified by up to 2²³.
	agreement = 0x1p-30
)

// checkBatches returns an error if the net that one holds, read at batch 1, mixes the
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
	limit, most := workPerByte*int64(len(data))+workPerElement*int64(folded), batches[1]
	if 2*int64(most)*work > min(limit, maxComparison) {
		most = batches[0]
	}
	if 2*int64(most)*work > limit {
		return one.refuseBatch("may mix the examples of a batch, and computes too much for a file of its size to compare batches")
	}
	p := nn.Size(one.graph.InputShape)
	x := examplesOf(most, p)
	alone := run(one.graph, x, most)
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
		if batch <= most && !many.agrees(one, alone[:len(alone)/most*batch], run(many.graph, x[:batch*p], 1)) {
			return one.refuseBatch(fmt.Sprintf("mixes the examples of a batch, or depends on its size: in a batch of %d its output for an example is not what it is alone", batch))
		}
	}
	return nil
}

// refuseBatch is the refusal that names the node of the file that computes the output.
func (d *decoder) refuseBatch(what string) error {
	n := d.usage.all[d.usage.from[d.graph.Output]]
	return &UnsupportedError{Parts: []Unsupported{{n.name, n.op, what + "; " + fixBatch}}}
}

// agrees reports whether examples have the same outputs together, in one input of many, as alone.
func (many *decoder) agrees(one *decoder, alone, together []float64) bool {
	if len(alone) != len(together) || len(alone) == 0 {
		return false
	}
	// Each example has run neighbours in the output, whose first dimension that differs holds the batch.
	each, run := len(alone)/many.batch, len(alone)/many.batch
	for k, n := range one.shapes[one.graph.Output] {
		if shape := many.shapes[many.graph.Output]; k < len(shape) && shape[k] != n {
			run = nn.Size(one.shapes[one.graph.Output][k:])
			break
		}
	}
	worst, scale := 0.0, 0.0
	for i, y := range together {
		a := alone[i/run%many.batch*each+i/(run*many.batch)*run+i%run]
		switch gap := math.Abs(a - y); {
		case a == y || a != a && y != y:
		case gap-gap != 0:
			return false
		default:
			worst = max(worst, gap)
		}
		if a-a == 0 {
			scale = max(scale, math.Abs(a))
		}
	}
	return worst <= agreement*scale
}

// examplesOf returns inputs that differ in every entry, in scale and in kind: beside normal numbers
// zeros, numbers that are all the same, and bytes.
func examplesOf(batch, p int) []float64 {
	r, x := rand.New(rand.NewPCG(15, 0)), make([]float64, batch*p)
	for i := range x {
		switch example := i / p; example {
		case 3:
		case 4:
			x[i] = .5
		case 5:
			x[i] = float64(r.IntN(256))
		default:
			x[i] = r.NormFloat64() * math.Ldexp(1, example%3-1)
		}
	}
	return x
}

// run computes the outputs of a graph for the given number of inputs in x. It returns nil if the graph cannot be run.
func run(g *nn.Graph, x []float64, inputs int) []float64 {
	net, err := nn.NewNet(g)
	if err != nil {
		return nil
	}
	_, n := net.Dims()
	y := make([]float64, inputs*n)
	net.Forward64(y, x)
	return y
}
