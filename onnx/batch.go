package onnx

import (
	"errors"
	"fmt"
	"slices"

	"tattle/nn"
)

// A certificate is about one input at a time. It holds for a batch only where the net
// computes every example of a batch by itself. A file whose first dimension is fixed to
// 1 runs on single inputs only. A file that leaves it open is read again with
// batches of 2 and of 7, the whole batch as one input of the graph, and is refused
// unless
//
//   - the shapes show it (batch_axis.go): every operator keeps apart what belongs to
//     different examples, and does the same at every place of the batch; or, at nodes
//     where shapes do not decide it, the comparison below does;
//   - the outputs agree (batch_compare.go): random inputs, shuffled, have the same
//     outputs in these batches as alone. The comparison also finds a net that computes
//     something else in a larger batch. It is left out where the shapes decided
//     everything and it would take more than maxComparison.
//
// What neither can decide is refused.
var batches = []int{2, 7}

// fixBatch is how every refusal ends.
const fixBatch = "certificates are about one input at a time: remove this from the model, or export it with the batch fixed to 1 if it only ever runs on single inputs"

// checkBatches returns an error if the net that one holds, read at batch 1, may mix the
// examples of a batch.
func (one *decoder) checkBatches(data []byte, folded int) error {
	for _, batch := range batches {
		many, err := one.again(data, folded, batch)
		if err != nil {
			return err
		}
		w, err := many.walk()
		if err != nil {
			return err
		}
		work, err := one.work(batch)
		if err != nil {
			return err
		}
		limit := min(maxComparison, workPerByte*int64(len(data))+workPerElement*int64(folded))
		switch {
		case work <= limit:
			err = compare(one, many, w)
		case w.undecided != nil:
			err = many.mixes(w.undecided, "may mix the examples of a batch, and the net is too large to compare batches: "+w.reason)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// again reads the file with a batch of that size.
func (one *decoder) again(data []byte, folded, batch int) (*decoder, error) {
	w := &wire{}
	m := w.model(data)
	d := newDecoder(m, one.options)
	d.batch, d.folder = batch, one.folder.again()
	d.room, d.foldable = batch*(maxGrowth*len(data)+1<<12), batch*(folded+len(data))
	err := d.decode(m)
	var format *FormatError
	var refused Unsupported
	switch {
	case errors.As(err, &format):
		refused = Unsupported{format.Node, format.Op, format.Detail}
	case err != nil:
		return nil, err
	case len(d.refused) > 0:
		refused = d.refused[0]
	default:
		return d, nil
	}
	refused.Detail = fmt.Sprintf("cannot be computed for a batch of %d (%s), though the file leaves the batch open: export it with the batch fixed to 1", batch, refused.Detail)
	return nil, &UnsupportedError{Parts: []Unsupported{refused}}
}

// mixes is the refusal that names the node of the file which a node of the graph is of.
func (d *decoder) mixes(n *nn.Node, what string) error {
	name, op := n.Name, n.Op.Kind()
	if from := d.owner[n]; from != nil {
		name, op = from.name, from.op
	}
	return &UnsupportedError{Parts: []Unsupported{{name, op, what + "; " + fixBatch}}}
}

// batchWalk follows the batch through a graph whose input is a whole batch.
type batchWalk struct {
	at        map[string]batched
	undecided *nn.Node // the first whose shapes do not decide it, or nil
	reason    string
}

// walk returns an error if a node of the graph mixes the examples of its input's batch.
func (d *decoder) walk() (*batchWalk, error) {
	g := d.graph
	shapes, err := g.Shapes()
	if err != nil {
		return nil, err
	}
	w := &batchWalk{at: map[string]batched{}}
	w.at[g.Input] = batched{shape: g.InputShape, stride: nn.Size(g.InputShape) / d.batch}
	for _, n := range g.Nodes {
		in := make([]batched, len(n.Inputs))
		for i, name := range n.Inputs {
			in[i] = w.at[name]
		}
		out, err := follow(n.Op, d.batch, shapes[n.Output], in)
		var open undecided
		switch {
		case errors.As(err, &open):
			if w.undecided == nil {
				w.undecided, w.reason = n, string(open)
			}
			out = batched{unknown: true}
		case err != nil:
			return nil, d.mixes(n, err.Error())
		}
		out.shape = shapes[n.Output]
		w.at[n.Output] = out
	}
	return w, nil
}

// follow returns where the batch is in the output of an operator. It returns an error if the
// operator mixes examples.
func follow(op nn.Op, batch int, out []int, in []batched) (batched, error) {
	s := step{op, batch, out, in}
	if slices.ContainsFunc(in, func(b batched) bool { return b.unknown }) {
		return batched{unknown: true}, nil
	}
	if !slices.ContainsFunc(in, batched.depends) {
		return s.ofConstants(), nil
	}
	return s.follow()
}
