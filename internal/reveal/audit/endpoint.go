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

// The requests that Request.ask makes.
const (
	// defaultBatch is the number of examples in a request: as many as nets are evaluated
	// on at once here, so that their outputs are the same bits.
	defaultBatch = 128
	// inFlight is the number of requests at a time: enough to hide the latency of
	// the network, and few enough for the server's other clients.
	inFlight = 2
)

// Server is a model on a server, such as an infer.Client: Infer returns
// its outputs [n, Y] of n examples x, and their shape. It is safe for concurrent use.
type Server interface {
	Infer(ctx context.Context, x []float32, n int) (y []float32, shape []int, err error)
	URL() string // without user or token
	// PictureShape returns the shape [channels, rows, columns] of a picture that it takes, nil if it does not say.
	PictureShape(ctx context.Context) ([]int, error)
}

// ask requests the outputs of a set's examples from an endpoint; the same outputs
// give the same sample as with fromModel. The folder dir keeps each batch of answers, so that
// batches that were answered before an interruption are not requested again. The first batch that fails stops the
// others.
func (q *Request) ask(ctx context.Context, e Server, set *dataset.Set, dir string) (*Sample, error) {
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
