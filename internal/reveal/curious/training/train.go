package training

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"tattle/internal/data/dataset"
	"tattle/internal/file"
	"tattle/internal/report"
	"tattle/internal/run"
	"tattle/internal/run/folders"
)

// Options are the settings of Train.
type Options struct {
	Dir   string          // of the run
	Files *file.Dir       // changes the files in Dir; nil: any files
	Stage string          // folder of the shards
	Pool  run.Pool        // computes what is missing
	Want  func(Seed) bool // the trainings to be computed; nil is all
	// Start, unless nil, is called with the folders of the trainings that are missing, and the
	// steps of all of them.
	Start func(missing []string, steps int) error
	// Progress, unless nil, is called with the steps done of all missing trainings, as
	// far as this process knows. Calls do not overlap.
	Progress func(done, total int)
}

// Trained are the results of Train.
type Trained struct {
	Results []*Result                // by training; nil for one that was not wanted and is not there
	Took    map[string]time.Duration // of what this process trained, by name

	*stage
}

// Train computes the wanted trainings that are missing in the run's folder, and returns all that
// are there. Interrupted, it keeps what Seed's folders can keep and returns ctx's error. It
// returns an *measure.OptionError if one of them cannot be done on its data.
func Train(ctx context.Context, seeds []Seed, d *Data, o Options) (*Trained, error) {
	s := &stage{seeds: seeds, data: d, o: o, steps: map[string]int{}, took: map[string]time.Duration{}}
	f, err := s.folders(ctx)
	if err != nil {
		return nil, err
	}
	found := len(f.Names)
	err = f.Run(ctx, func(missing []string) error {
		found -= len(missing)
		for _, name := range missing {
			of, _ := s.of(name)
			s.total += of.steps(d.opened(of.Source))
		}
		if o.Start == nil {
			return nil
		}
		return o.Start(missing, s.total)
	})
	if err != nil && s.kept != "" {
		err = &run.InterruptedError{Kept: fmt.Sprintf("%d of %s finished, and %s", found+s.count, report.Many(len(f.Names), "training"), s.kept), Cause: err}
	}
	if err != nil {
		return nil, err
	}
	t := &Trained{Took: s.took, stage: s}
	t.Results, err = s.results(ctx, f.Names)
	return t, err
}

// folders returns the stage of the run, whose data it has opened and checked. Those of the first
// training stay open.
func (s *stage) folders(ctx context.Context) (*folders.Stage, error) {
	f := &folders.Stage{Dir: s.o.Stage, Root: s.o.Dir, Pool: s.o.Pool, Files: s.o.Files, Set: s}
	for _, x := range slices.Backward(s.seeds) {
		if s.o.Want != nil && !s.o.Want(x) {
			continue
		}
		p, err := s.data.Labels(ctx, x.Source)
		if err != nil {
			return nil, err
		}
		if err := x.Check(p); err != nil {
			return nil, err
		}
		f.Names, f.AtOnce = append(f.Names, x.Folder), atOnce(p)
	}
	slices.Reverse(f.Names)
	return f, nil
}

// atOnce returns how many trainings share this process: small nets leave cores idle one
// after the other (two at once on two cores: twice as fast on rows, 1.16 times on
// digits); those of paper B's pictures do not (1.0 times at 64×64, 1.05 at 32×32), and
// have gigabytes of activations.
func atOnce(p *dataset.Parts) int {
	if shape := p.Train.Shape; len(shape) == 3 && shape[1]%16 == 0 {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// results reads all trainings: those that were wanted, and what an earlier run left of the others.
func (s *stage) results(ctx context.Context, wanted []string) ([]*Result, error) {
	all := make([]*Result, len(s.seeds))
	for i, x := range s.seeds {
		dir := filepath.Join(s.o.Dir, filepath.FromSlash(x.Folder))
		want := slices.Contains(wanted, x.Folder)
		if !want && !file.Exists(filepath.Join(dir, ResultFile)) {
			continue
		}
		p, err := s.data.Labels(ctx, x.Source)
		if err != nil {
			return nil, err
		}
		if all[i], err = x.finished(dir, p); err != nil {
			return nil, err
		}
		if all[i] == nil && want {
			return nil, fmt.Errorf("%s: its models were changed as they were written", dir)
		}
	}
	return all, nil
}

// Failed returns an error if a training has failed. It removes the results of those, so that they
// are trained again the next time.
func (t *Trained) Failed() (err error) {
	for i, r := range t.Results {
		if r == nil || r.Failed == "" {
			continue
		}
		err = cmp.Or(err, fmt.Errorf("%s: %s", t.Label(t.seeds[i].Folder), r.Failed))
		dir := filepath.Join(t.o.Dir, filepath.FromSlash(t.seeds[i].Folder))
		t.o.Files.Remove(filepath.Join(dir, ResultFile))
		t.o.Files.Remove(filepath.Join(dir, SourceFile))
		if t.seeds[i].Folder != "." {
			t.o.Files.Remove(dir) // does nothing unless it is empty
		}
	}
	return err
}

// Data opens the data of trainings, those of one source at a time: they are large. Sources of the same
// pictures share them.
type Data struct {
	Progress func(done, total int) // examples read; may be nil
	Notes    []string              // on all data that were opened

	mu           sync.Mutex
	decoded      dataset.Decoded
	source       *Source // whose data are open
	parts, whole *dataset.Parts
	labels       map[*Source]*dataset.Parts // of all that were opened: the parts without their inputs
}

// Open returns the data of a source, as Source.Open does. It returns an error if they have
// changed since they were opened first.
func (d *Data) Open(ctx context.Context, s *Source) (parts, whole *dataset.Parts, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.parts != nil && d.source == s {
		return d.parts, d.whole, nil
	}
	d.parts, d.whole = nil, nil
	sharing := *s
	sharing.Decoded = &d.decoded
	if parts, whole, err = sharing.Open(ctx, d.Progress); err != nil {
		return nil, nil, err
	}
	if was := d.labels[s]; was != nil && was.Sum() != parts.Sum() {
		return nil, nil, fmt.Errorf("%s: the data of %s are not those that the run began with: SHA-256 %.16s…, not %.16s…", s.Path, s.Target, parts.Sum(), was.Sum())
	}
	for _, n := range parts.Notes {
		if !slices.Contains(d.Notes, n) {
			d.Notes = append(d.Notes, n)
		}
	}
	if d.labels == nil {
		d.labels = map[*Source]*dataset.Parts{}
	}
	d.labels[s] = &dataset.Parts{Train: labelsOf(parts.Train), Validation: labelsOf(parts.Validation), Test: labelsOf(parts.Test)}
	d.source, d.parts, d.whole = s, parts, whole
	return parts, whole, nil
}

// Labels returns the parts of a source without their inputs. It opens the data unless they
// were open before.
func (d *Data) Labels(ctx context.Context, s *Source) (*dataset.Parts, error) {
	if p := d.opened(s); p != nil {
		return p, nil
	}
	_, _, err := d.Open(ctx, s)
	return d.opened(s), err
}

// opened returns the labels of a source whose data were open, else nil.
func (d *Data) opened(s *Source) *dataset.Parts {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.labels[s]
}

// labelsOf returns a part without its inputs.
func labelsOf(s *dataset.Set) *dataset.Set {
	c := *s
	c.Pixels, c.Values = nil, nil
	return &c
}
