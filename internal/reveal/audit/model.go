package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/file"
	"tattle/internal/npy"
	"tattle/internal/reveal/curious"
	"tattle/internal/run"
)

// fromModel evaluates a net on a set with its target and sensitive attributes: a classifier, whose outputs are soft if
// every row is a distribution, as after a Softmax; or the net up to the node or the tensor called at, whose output is a
// vector. Nodes that are not needed for that may be computed, too.
func fromModel(ctx context.Context, g *nn.Graph, at string, set *dataset.Set) (*Sample, error) {
	if err := auditable(set); err != nil {
		return nil, err
	}
	a := &answers{classes: curious.ClassesOf(g)}
	if at != "" {
		node := g.Node(at)
		if node == nil {
			_, _, err := g.Cut(at) // which lists similar names
			return nil, fmt.Errorf("%w; tattle inspect lists the nodes", err)
		}
		shapes, err := g.Shapes()
		if err != nil {
			return nil, err
		}
		width := nn.Size(shapes[node.Output])
		if err := checkWidth(width, set.Len()); err != nil {
			return nil, fmt.Errorf("node %q: %w; choose another node, or fewer examples", at, err)
		}
		g = &nn.Graph{Name: g.Name, Input: g.Input, InputShape: g.InputShape, Output: node.Output, Nodes: g.Nodes[:slices.Index(g.Nodes, node)+1]}
		a.kind = Vector
	}
	var err error
	if a.outputs, err = curious.Predict(ctx, g, set); err != nil {
		return nil, err
	}
	s, err := a.ofSet(set)
	if err == nil && at != "" {
		s.note("the output of the node %s is audited, %d numbers", file.Shown(at), s.Width)
	}
	return s, err
}

// ofSet makes the sample of the answers and the labels of a set; without a target, or with a numeric one, they are
// vectors.
func (a *answers) ofSet(set *dataset.Set) (*Sample, error) {
	if err := checkOutputs(a.outputs, set.Len(), 0, set.Len()); err != nil {
		return nil, err
	}
	a.width, a.sensitive, a.group, a.ordered = len(a.outputs)/set.Len(), set.Sensitive, set.Group, true
	a.place = func(i int) string { return fmt.Sprintf("example %d (from 0)", i) }
	if set.Y == nil || set.YNumbers != nil {
		a.kind = Vector
	}
	if set.Y != nil {
		a.target = &Attribute{Name: cmp.Or(set.YName, "y"), Values: slices.Clone(set.YNames), Labels: set.Y, Numbers: set.YNumbers}
		for i := len(set.YNames); i <= slices.Max(set.Y); i++ {
			a.target.Values = append(a.target.Values, strconv.Itoa(i))
		}
	}
	s, err := a.sample()
	if err != nil {
		return nil, err
	}
	s.Name = set.Name
	return s, s.Check()
}

// auditable returns an error if a set lacks what an audit needs, or has names that a file of
// outputs cannot have: this is found before the model is run.
func auditable(set *dataset.Set) error {
	switch {
	case set.Len() == 0:
		return errors.New("the data has no examples: give some")
	case len(set.Sensitive) == 0:
		return errors.New("the data has no sensitive attribute: name one, or a rule that makes it")
	}
	return checkNames(set.YNames, set.Sensitive)
}

// checkWidth returns an error unless each of n examples can have as many outputs.
func checkWidth(width, n int) error {
	if most := min(maxColumns, maxScores/n); width < 1 || width > most {
		return fmt.Errorf("%d outputs of each example: want 1 to %d of each of %d", width, most, n)
	}
	return nil
}

// checkOutputs returns an error unless n examples have equally many outputs, all of them finite. The first of the
// examples is number from of the set, which has total examples.
func checkOutputs(outputs []float32, n, from, total int) error {
	width := len(outputs) / n
	if width*n != len(outputs) {
		return fmt.Errorf("%d outputs of %d examples: want as many for each", len(outputs), n)
	}
	for i, v := range outputs {
		if v-v != 0 {
			return fmt.Errorf("example %d (from 0): output %d is %v: a model whose outputs are not finite cannot be audited; check the preprocessing of its inputs", from+i/width, i%width, v)
		}
	}
	return checkWidth(width, total)
}

// The requests that Request.ask makes.
const (
	// defaultBatch is the number of examples in a request: as many as nets are evaluated
	// on at once here, so that their outputs are the same bits.
	defaultBatch = 128
	// inFlight is the number of requests at a time: enough to hide the latency of
	// the network, and few enough for the server's other clients.
	inFlight = 2
)

// Endpoint is a model on a server, such as an infer.Client: Infer returns
// its outputs [n, Y] of n examples x, and their shape. It is safe for concurrent use.
type Endpoint interface {
	Infer(ctx context.Context, x []float32, n int) (y []float32, shape []int, err error)
	URL() string // without user or token
}

// Server is an Endpoint that may say which pictures it takes: the shape [channels, rows, columns] of one, nil if it does not say.
type Server interface {
	Endpoint
	PictureShape(ctx context.Context) ([]int, error)
}

// ask requests the outputs of a set's examples from an endpoint; the same outputs
// give the same sample as with fromModel. The folder dir keeps each batch of answers, so that
// batches that were answered before an interruption are not requested again. The first batch that fails stops the
// others.
func (q *Request) ask(ctx context.Context, e Endpoint, set *dataset.Set, dir string) (*Sample, error) {
	if err := auditable(set); err != nil {
		return nil, err
	}
	pool, tell := cmp.Or[run.Pool](q.Pool, run.Leader{}), q.progress("asking the endpoint, batches")
	batch, n := cmp.Or(q.Batch, defaultBatch), set.Len()
	rows := func(i int) []int { return span(i*batch, min((i+1)*batch, n)) } // of batch i
	within, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	f, err := pool.Run(within, run.Work{
		Dir: dir, Resume: q.Resume, AtOnce: inFlight,
		Manifest: run.Manifest{
			Command: "audit", Shards: (n + batch - 1) / batch,
			Settings: map[string]any{"endpoint": e.URL(), "batch": batch, "examples": n},
			Hashes:   map[string]string{"data": set.Sum()},
		},
		Do: func(ctx context.Context, i int, w io.Writer) error {
			rows := rows(i)
			x := make([]float32, len(rows)*nn.Size(set.Shape))
			set.Examples(x, rows)
			y, _, err := e.Infer(ctx, x, len(rows))
			if err == nil {
				err = checkOutputs(y, len(rows), rows[0], n)
			}
			if err != nil { // what cannot be audited is not kept, so that it is requested again
				err = fmt.Errorf("%s: examples from %d on: %w", e.URL(), i*batch, err)
				stop(err)
				return err
			}
			return npy.Write(w, []int{len(rows), len(y) / len(rows)}, y)
		},
		Progress: func(f *run.Folder) { tell(f.Len()-len(f.Remaining()), f.Len()) },
	})
	if within.Err() != nil {
		return nil, context.Cause(within)
	} else if err != nil {
		return nil, err
	}
	a, width := &answers{}, 0
	for i := range f.Len() {
		kept, err := npy.ReadFile(f.Path(i))
		if err != nil {
			return nil, err
		}
		y, err := kept.Float32s()
		if err != nil {
			return nil, err
		}
		if width = cmp.Or(width, len(y)/len(rows(i))); len(y) != width*len(rows(i)) {
			return nil, fmt.Errorf("%s: %d examples from %d on have %d outputs, others %d each: has the model changed? start the audit again", e.URL(), len(rows(i)), i*batch, len(y), width)
		}
		a.outputs = append(a.outputs, y...)
	}
	sample, err := a.ofSet(set)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.URL(), err)
	}
	return sample, nil
}
