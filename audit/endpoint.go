package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"tattle/dataset"
	"tattle/nn"
	"tattle/npy"
	"tattle/run"
)

// The defaults of endpointOptions.
const (
	// DefaultBatch is the number of examples in a request: as many as nets are evaluated
	// on at once here, so that their outputs are the same bits.
	DefaultBatch = 128
	// DefaultInFlight is the number of requests at a time: enough to hide the latency of
	// the network, and few enough for the server's other clients.
	DefaultInFlight = 2
)

// Endpoint is a model that is reached from afar, such as an infer.Client: Infer returns
// its outputs [n, Y] of n examples x, and their shape. It is safe for concurrent use.
type Endpoint interface {
	Infer(ctx context.Context, x []float32, n int) (y []float32, shape []int, err error)
	URL() string // without user or token
}

// endpointOptions are the options of fromEndpoint; the zero value is the default.
type endpointOptions struct {
	ModelOptions
	Batch    int                   // 0 is DefaultBatch
	InFlight int                   // 0 is DefaultInFlight
	Folder   string                // keeps the outputs of each batch; "" keeps none
	Resume   bool                  // goes on with what Folder holds, if it holds anything
	Progress func(done, total int) // of batches; nil, or called from one goroutine at a time
}

// fromEndpoint requests the outputs of a set's examples from an endpoint; the same outputs
// give the same sample as with fromModel. If a folder is given, batches that were answered
// before an interruption are not requested again.
func fromEndpoint(ctx context.Context, e Endpoint, set *dataset.Set, o endpointOptions) (*Sample, error) {
	if err := auditable(set); err != nil {
		return nil, err
	}
	if o.Batch == 0 {
		o.Batch = DefaultBatch
	}
	if o.InFlight == 0 {
		o.InFlight = DefaultInFlight
	}
	if o.Batch < 0 || o.InFlight < 0 {
		return nil, fmt.Errorf("batches of %d examples, %d at a time: want numbers of 1 or more", o.Batch, o.InFlight)
	}
	a := &asker{endpoint: e, set: set, o: o, answers: make([][]float32, (set.Len()+o.Batch-1)/o.Batch)}
	outputs, err := a.outputs(ctx)
	if err != nil {
		return nil, err
	}
	s, err := fromSet(set, outputs, nil, o.ModelOptions)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.URL(), err)
	}
	return s, nil
}

// asker collects the answers to batches of a set.
type asker struct {
	endpoint Endpoint
	set      *dataset.Set
	o        endpointOptions
	folder   *run.Folder // nil for none
	answers  [][]float32 // of each batch
	width    atomic.Int64
	done     int
}

// outputs returns the outputs of all examples.
func (a *asker) outputs(ctx context.Context) ([]float32, error) {
	missing, err := a.open()
	if err != nil {
		return nil, err
	}
	a.progress(len(a.answers) - len(missing))
	if err := a.askAll(ctx, missing); err != nil {
		return nil, err
	}
	var all []float32
	for _, y := range a.answers {
		all = append(all, y...)
	}
	return all, nil
}

// progress counts batches.
func (a *asker) progress(n int) {
	if a.done += n; a.o.Progress != nil {
		a.o.Progress(a.done, len(a.answers))
	}
}

// askAll requests batches, several at a time, in their order.
func (a *asker) askAll(ctx context.Context, batches []int) error {
	inner, stop := context.WithCancel(ctx)
	defer stop()
	next, answered := hand(inner, batches), make(chan error)
	var workers sync.WaitGroup
	for range min(a.o.InFlight, len(batches)) {
		workers.Go(func() {
			for i := range next {
				answered <- a.ask(inner, i)
			}
		})
	}
	go func() {
		workers.Wait()
		close(answered)
	}()
	var first error
	for err := range answered {
		if err == nil {
			a.progress(1)
			continue
		}
		stop() // the others' errors only say so
		if first == nil {
			first = err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return first
}

// hand returns a channel of the batches, in their order, that ends with them or with ctx.
func hand(ctx context.Context, batches []int) <-chan int {
	next := make(chan int)
	go func() {
		defer close(next)
		for _, i := range batches {
			select {
			case next <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	return next
}

// span returns the first example of a batch and their number.
func (a *asker) span(i int) (from, n int) {
	from = i * a.o.Batch
	return from, min(a.o.Batch, a.set.Len()-from)
}

// ask gets the outputs of one batch and keeps them.
func (a *asker) ask(ctx context.Context, i int) error {
	from, n := a.span(i)
	x := make([]float32, n*nn.Size(a.set.Shape))
	a.set.Examples(x, span(from, from+n))
	y, _, err := a.endpoint.Infer(ctx, x, n)
	if err != nil {
		return fmt.Errorf("examples %d to %d: %w", from, from+n-1, err)
	}
	if err := a.take(i, y); err != nil {
		return fmt.Errorf("%s: %w", a.endpoint.URL(), err)
	}
	if a.folder == nil {
		return nil
	}
	return a.folder.Commit(i, func(w io.Writer) error { return npy.Write(w, []int{n, len(y) / n}, y) })
}

// take checks that an answer has as many outputs for an example as the others, and
// that they are finite: what could not be audited is not kept, and requested again.
func (a *asker) take(i int, y []float32) error {
	from, n := a.span(i)
	width := len(y) / n
	if width < 1 || len(y) != width*n || width > maxColumns {
		return fmt.Errorf("%d outputs of %d examples from %d on: want 1 to %d for each", len(y), n, from, maxColumns)
	}
	if a.width.CompareAndSwap(0, int64(width)); a.width.Load() != int64(width) {
		return fmt.Errorf("examples from %d on have %d outputs, others %d: has the model changed? start the audit again", from, width, a.width.Load())
	}
	if total := width * a.set.Len(); total > maxScores {
		return fmt.Errorf("%d outputs of %d examples are more than %d: audit fewer examples", width, a.set.Len(), maxScores)
	}
	if err := checkFinite(y, width, from); err != nil {
		return err
	}
	a.answers[i] = y
	return nil
}

// open opens the folder, if there is one, and returns the batches that it lacks.
func (a *asker) open() (missing []int, err error) {
	if a.o.Folder == "" {
		for i := range a.answers {
			missing = append(missing, i)
		}
		return missing, nil
	}
	m := a.manifest()
	_, err = os.Stat(filepath.Join(a.o.Folder, "manifest.json"))
	if begun := err == nil; begun && a.o.Resume {
		a.folder, err = run.Open(a.o.Folder, m)
	} else if begun || errors.Is(err, os.ErrNotExist) {
		a.folder, err = run.Create(a.o.Folder, m)
	}
	if err != nil {
		return nil, err
	}
	for i := range a.answers {
		if !a.folder.Done(i) {
			missing = append(missing, i)
		} else if err := a.restore(i); err != nil {
			return nil, err
		}
	}
	return missing, nil
}

// manifest describes the requests.
func (a *asker) manifest() run.Manifest {
	return run.Manifest{
		Command: "audit", Shards: len(a.answers),
		Settings: map[string]any{"endpoint": a.endpoint.URL(), "batch": a.o.Batch, "examples": a.set.Len()},
		Hashes:   map[string]string{"data": a.set.Sum()},
	}
}

// restore reads a batch that was answered before.
func (a *asker) restore(i int) error {
	kept, err := npy.ReadFile(a.folder.Path(i))
	if err != nil {
		return err
	}
	y, err := kept.Float32s()
	if err != nil {
		return err
	}
	return a.take(i, y)
}
