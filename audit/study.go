package audit

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"tattle/run"
)

// The settings of a study.
const (
	// StudyReferences is how many honest classifiers each audit compares with: what
	// an audit trains unless told otherwise.
	StudyReferences = DefaultReferences
	// StudyConfidence is that of the study's own intervals.
	StudyConfidence = .99
	// StudyStrong is the true excess that an audit of 2,000 examples must not miss.
	StudyStrong = .10
)

// StudyOptions says what a study audits; the zero value is glyphs alone.
type StudyOptions struct {
	Seed   uint64
	MNIST  string // folder of MNIST's pictures; "" leaves them out
	Labels string // folder of QMNIST's labels; "" is MNIST
	Quick  bool   // a few small audits, for trying it: its rates say little
	Resume bool   // go on with the study in the folder
	// Progress, unless nil, is called after each training and each audit.
	Progress func(stage string, done, total int)
}

// RunStudy trains honest and curious classifiers, audits their outputs, of which it
// knows the true excess, and counts what the audits call them. Every training and
// every audit is kept in the folder dir as soon as it is done, so that a study goes on
// where it ended. It errs where the data cannot be read, where the folder holds
// another study, and when ctx ends.
func RunStudy(ctx context.Context, dir string, o StudyOptions) (*Study, error) {
	b := &bench{o: o}
	var err error
	if b.tasks, err = studyTasks(ctx, o); err != nil {
		return nil, fmt.Errorf("study: %w", err)
	}
	b.plan = newPlan(b.tasks, o)
	if b.folder, err = b.open(dir); err != nil {
		return nil, fmt.Errorf("study: %w", err)
	}
	if err := b.trainings(ctx); err != nil {
		return nil, fmt.Errorf("study: %w", err)
	}
	if err := b.controls(ctx); err != nil {
		return nil, fmt.Errorf("study: %w", err)
	}
	if err := b.audits(ctx); err != nil {
		return nil, fmt.Errorf("study: %w", err)
	}
	return b.tabulate()
}

// bench is a study as it goes on. The folder's shards are the nets, then the positive
// controls, then the audits.
type bench struct {
	o        StudyOptions
	tasks    []*studyTask
	plan     *plan
	folder   *run.Folder
	nets     []*netCell
	positive []Control
	records  []StudyAudit
}

// studySettings is what decides a study's outcome.
type studySettings struct {
	Layout     int    `json:"layout"` // of the shards
	Seed       uint64 `json:"seed"`
	Quick      bool   `json:"quick"`
	References int    `json:"references"`
}

// studyLayout changes with what a shard holds, or how it is made.
const studyLayout = 2

// open starts or goes on with the study in dir.
func (b *bench) open(dir string) (*run.Folder, error) {
	m := run.Manifest{
		Command: "detection", Shards: len(b.plan.nets) + len(b.plan.controls) + len(b.plan.audits),
		Settings: studySettings{studyLayout, b.o.Seed, b.o.Quick, StudyReferences},
		Hashes:   map[string]string{},
	}
	for _, t := range b.tasks {
		m.Hashes[t.name] = t.parts.Train.Sum()
	}
	if b.o.Resume {
		return run.Open(dir, m)
	}
	return run.Create(dir, m)
}

// each does what remains of the shards first … first+n−1, a worker on each core: the
// pieces are too small to divide. What a shard holds depends on its number alone.
func (b *bench) each(ctx context.Context, stage string, first, n int, do func(ctx context.Context, i int) error) error {
	var todo []int
	for i := range n {
		if !b.folder.Done(first + i) {
			todo = append(todo, i)
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	queue, finished := make(chan int), b.counter(stage, n-len(todo), n)
	for range min(runtime.GOMAXPROCS(0), len(todo)) {
		wg.Go(func() {
			for i := range queue {
				if err := do(ctx, i); err != nil {
					cancel(fmt.Errorf("%s %d: %w", stage, i, err))
					continue
				}
				finished()
			}
		})
	}
	for _, i := range todo {
		if ctx.Err() != nil {
			break
		}
		queue <- i
	}
	close(queue)
	wg.Wait()
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return ctx.Err()
}

// counter returns what is called as each piece of a stage is done, from any worker.
func (b *bench) counter(stage string, done, total int) func() {
	var mu sync.Mutex
	return func() {
		mu.Lock()
		defer mu.Unlock()
		done++
		if b.o.Progress != nil {
			b.o.Progress(stage, done, total)
		}
	}
}
