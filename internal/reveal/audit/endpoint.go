package audit

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/npy"
	"tattle/internal/run"
)

// The requests that fromEndpoint makes.
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

// endpointOptions are the options of fromEndpoint; the zero value is the default.
type endpointOptions struct {
	Pool     run.Pool              // asks; nil is run.Leader
	Batch    int                   // 0 is defaultBatch
	Resume   bool                  // go on with what the folder holds, if it holds anything
	Progress func(done, total int) // of batches; nil, or called from one goroutine at a time
}

// fromEndpoint requests the outputs of a set's examples from an endpoint; the same outputs
// give the same sample as with fromModel. The folder dir keeps each batch of answers, so that
// batches that were answered before an interruption are not requested again. The first batch that fails stops the
// others.
func fromEndpoint(ctx context.Context, e Endpoint, set *dataset.Set, dir string, o endpointOptions) (*Sample, error) {
	if err := auditable(set); err != nil {
		return nil, err
	}
	if o.Batch < 0 {
		return nil, fmt.Errorf("batches of %d examples: want 1 or more", o.Batch)
	}
	if o.Pool == nil {
		o.Pool = run.Leader{}
	}
	batch, n := cmp.Or(o.Batch, defaultBatch), set.Len()
	rows := func(i int) []int { return span(i*batch, min((i+1)*batch, n)) } // of batch i
	within, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	f, err := o.Pool.Run(within, run.Work{
		Dir: dir, Resume: o.Resume, AtOnce: inFlight,
		Manifest: run.Manifest{
			Command: "audit", Shards: (n + batch - 1) / batch,
			Settings: map[string]any{"endpoint": e.URL(), "batch": batch, "examples": n},
			Hashes:   map[string]string{"data": set.Sum()},
		},
		Do: func(ctx context.Context, i int, w io.Writer) error {
			err := ask(ctx, e, set, rows(i), w)
			if err != nil {
				err = fmt.Errorf("%s: examples from %d on: %w", e.URL(), i*batch, err)
				stop(err)
			}
			return err
		},
		Progress: func(f *run.Folder) {
			if o.Progress != nil {
				o.Progress(f.Len()-len(f.Remaining()), f.Len())
			}
		},
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case within.Err() != nil:
		return nil, context.Cause(within)
	case err != nil:
		return nil, err
	}
	a := &answers{}
	for i := range f.Len() {
		kept, err := npy.ReadFile(f.Path(i))
		if err != nil {
			return nil, err
		}
		y, err := kept.Float32s()
		if err != nil {
			return nil, err
		}
		if i == 0 {
			a.width = len(y) / len(rows(i))
		}
		if len(y) != a.width*len(rows(i)) {
			return nil, fmt.Errorf("%s: %d examples from %d on have %d outputs, others %d each: has the model changed? start the audit again", e.URL(), len(rows(i)), i*batch, len(y), a.width)
		}
		a.outputs = append(a.outputs, y...)
	}
	sample, err := a.ofSet(set)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.URL(), err)
	}
	return sample, nil
}

// ask writes the outputs of some examples to w. What cannot be audited is an error and is not kept, so that it is
// requested again.
func ask(ctx context.Context, e Endpoint, set *dataset.Set, rows []int, w io.Writer) error {
	n := len(rows)
	x := make([]float32, n*nn.Size(set.Shape))
	set.Examples(x, rows)
	y, _, err := e.Infer(ctx, x, n)
	if err == nil {
		err = checkOutputs(y, n, rows[0], set.Len())
	}
	if err != nil {
		return err
	}
	return npy.Write(w, []int{n, len(y) / n}, y)
}
