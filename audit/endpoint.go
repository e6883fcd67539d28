package audit

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"tattle/dataset"
	"tattle/nn"
	"tattle/npy"
	"tattle/run"
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
// batches that were answered before an interruption are not requested again.
func fromEndpoint(ctx context.Context, e Endpoint, set *dataset.Set, dir string, o endpointOptions) (*Sample, error) {
	if err := auditable(set); err != nil {
		return nil, err
	}
	if o.Batch < 0 {
		return nil, fmt.Errorf("batches of %d examples: want 1 or more", o.Batch)
	}
	a := &asker{endpoint: e, set: set, batch: cmp.Or(o.Batch, defaultBatch)}
	outputs, err := a.outputs(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	s, err := (&answers{outputs: outputs}).ofSet(set)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.URL(), err)
	}
	return s, nil
}

// asker collects the answers to batches of a set.
type asker struct {
	endpoint Endpoint
	set      *dataset.Set
	batch    int
}

// outputs returns the outputs of all examples. The first batch that fails stops the others.
func (a *asker) outputs(ctx context.Context, dir string, o endpointOptions) (all []float32, err error) {
	within, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	n := a.set.Len()
	shards := (n + a.batch - 1) / a.batch
	if o.Pool == nil {
		o.Pool = run.Leader{}
	}
	f, err := o.Pool.Run(within, run.Work{
		Dir: dir, Resume: o.Resume, AtOnce: inFlight,
		Manifest: run.Manifest{
			Command: "audit", Shards: shards,
			Settings: map[string]any{"endpoint": a.endpoint.URL(), "batch": a.batch, "examples": n},
			Hashes:   map[string]string{"data": a.set.Sum()},
		},
		Do: func(ctx context.Context, i int, w io.Writer) error {
			err := a.ask(ctx, i*a.batch, w)
			if err != nil {
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
	for i := range shards {
		kept, err := npy.ReadFile(f.Path(i))
		if err != nil {
			return nil, err
		}
		y, err := kept.Float32s()
		from := i * a.batch
		if err == nil {
			err = a.check(from, y)
		}
		if err != nil {
			return nil, err
		}
		if len(y)*from != len(all)*a.size(from) {
			return nil, fmt.Errorf("%s: examples from %d on have %d outputs, others %d: has the model changed? start the audit again", a.endpoint.URL(), from, len(y)/a.size(from), len(all)/from)
		}
		all = append(all, y...)
	}
	return all, nil
}

// size returns the number of examples of the batch that begins with one.
func (a *asker) size(from int) int { return min(a.batch, a.set.Len()-from) }

// ask writes the outputs of one batch to w.
func (a *asker) ask(ctx context.Context, from int, w io.Writer) error {
	n := a.size(from)
	x := make([]float32, n*nn.Size(a.set.Shape))
	a.set.Examples(x, span(from, from+n))
	y, _, err := a.endpoint.Infer(ctx, x, n)
	if err != nil {
		return fmt.Errorf("examples %d to %d: %w", from, from+n-1, err)
	}
	if err := a.check(from, y); err != nil {
		return err
	}
	return npy.Write(w, []int{n, len(y) / n}, y)
}

// check returns an error unless a batch has outputs for each example, all finite: what cannot be audited is not kept, so
// that it is requested again.
func (a *asker) check(from int, y []float32) error {
	n := a.size(from)
	width := len(y) / n
	if width < 1 || len(y) != width*n || width > maxColumns {
		return fmt.Errorf("%s: %d outputs of %d examples from %d on: want 1 to %d for each", a.endpoint.URL(), len(y), n, from, maxColumns)
	}
	if width > maxScores/a.set.Len() {
		return fmt.Errorf("%s: %d outputs of %d examples are more than %d: audit fewer examples", a.endpoint.URL(), width, a.set.Len(), maxScores)
	}
	if err := checkFinite(y, width, from); err != nil {
		return fmt.Errorf("%s: %w", a.endpoint.URL(), err)
	}
	return nil
}
