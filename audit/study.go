package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"runtime"

	"tattle/internal/file"
	"tattle/run"
)

// The settings of a study.
const (
	// studyReferences is the number of honest classifiers that each audit compares with:
	// the default of an audit.
	studyReferences = DefaultReferences
	// studyConfidence is that of the study's own intervals.
	studyConfidence = .99
	// studyStrong is the true excess that an audit of 2,000 examples must not miss.
	studyStrong = .10
)

// StudyOptions says what a study audits; the zero value is glyphs alone.
type StudyOptions struct {
	Seed   uint64
	MNIST  string   // folder of MNIST's pictures; "" leaves them out
	Labels string   // folder of QMNIST's labels; "" is MNIST
	Quick  bool     // a few small audits, for trying it: its rates say little
	Resume bool     // go on with the study in the folder
	Pool   run.Pool // trains and audits; nil is run.Leader
	// Progress, unless nil, is called as each stage begins and after each training and
	// each audit.
	Progress func(stage string, done, total int)
}

// RunStudy trains honest and curious classifiers, audits their outputs, whose true excess it
// measures, and counts the verdicts. Every training and
// every audit is kept in the folder dir as soon as it is done, so that a study goes on
// where it ended. It returns an error if the data cannot be read, if the folder holds
// another study, as the pool does, and when ctx ends.
func RunStudy(ctx context.Context, dir string, o StudyOptions) (*Study, error) {
	tasks, err := studyTasks(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("study: %w", err)
	}
	s, err := newBench(dir, tasks, o).run(ctx)
	if err != nil {
		return nil, fmt.Errorf("study: %w", err)
	}
	return s, nil
}

// bench is a study as it goes on. Its stages are the nets, then the positive controls,
// then the audits, in a folder each.
type bench struct {
	dir      string
	o        StudyOptions
	tasks    []*studyTask
	plan     *plan
	hashes   map[string]string
	nets     []*netCell
	positive []Control
	records  []StudyAudit
}

func newBench(dir string, tasks []*studyTask, o StudyOptions) *bench {
	if o.Pool == nil {
		o.Pool = run.Leader{}
	}
	b := &bench{dir: dir, o: o, tasks: tasks, plan: newPlan(tasks, o), hashes: map[string]string{}}
	for _, t := range tasks {
		b.hashes[t.name] = t.parts.Train.Sum()
	}
	return b
}

// run goes through all stages.
func (b *bench) run(ctx context.Context) (*Study, error) {
	for _, stage := range []func(context.Context) error{b.trainings, b.controls, b.audits} {
		if err := stage(ctx); err != nil {
			return nil, err
		}
	}
	return b.tabulate(), nil
}

// studySettings is what decides a study's outcome.
type studySettings struct {
	Layout     int    `json:"layout"` // of the shards
	Stage      string `json:"stage"`
	Seed       uint64 `json:"seed"`
	Quick      bool   `json:"quick"`
	References int    `json:"references"`
}

// studyLayout changes with what a shard holds, or how it is made.
const studyLayout = 5

// kept returns the contents of the n shards of a stage, computed one on each core: they are too small
// to divide. Each is computed once and kept as JSON. What a shard holds depends on its number alone.
func kept[T any](ctx context.Context, b *bench, stage string, n int, do func(ctx context.Context, i int) (T, error)) ([]T, error) {
	f, err := b.o.Pool.Run(ctx, run.Work{
		Dir: filepath.Join(b.dir, stage+"s"),
		Manifest: run.Manifest{
			Command: "detection", Shards: n, Hashes: b.hashes,
			Settings: studySettings{studyLayout, stage, b.o.Seed, b.o.Quick, studyReferences},
		},
		Resume: b.o.Resume, AtOnce: runtime.GOMAXPROCS(0),
		Do: func(ctx context.Context, i int, w io.Writer) error {
			v, err := do(ctx, i)
			if err != nil {
				return err
			}
			return json.NewEncoder(w).Encode(v)
		},
		Name: func(i int) string { return fmt.Sprintf("%s %d", stage, i+1) },
		Progress: func(f *run.Folder) {
			if b.o.Progress != nil {
				b.o.Progress(stage, f.Len()-len(f.Remaining()), f.Len())
			}
		},
	})
	if err != nil {
		return nil, err
	}
	all := make([]T, n)
	for i := range all {
		data, err := file.ReadFile(f.Path(i))
		if err == nil {
			err = json.Unmarshal(data, &all[i])
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Path(i), err)
		}
	}
	return all, nil
}
