package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"tattle/dataset"
	"tattle/internal/file"
	"tattle/run"
)

// seeds are trainings that differ in their seed.
type seeds struct {
	runs  []seedRun
	parts *dataset.Parts
	bar   *meter

	mu      sync.Mutex
	missing int
	steps   map[string]int // of the trainings under way, by name
	done    int            // trainings
	unit    int            // steps of one, as far as this process knows
	kept    string         // what the last one that was interrupted left
	took    map[string]time.Duration
}

// train trains what is not finished yet, and returns what all came to.
func (s *seeds) train(ctx context.Context, e *env, dir string) ([]*seedResult, error) {
	s.bar = newMeter(e.stderr, "training", 0, false)
	defer s.bar.close()
	t := &trainings{env: e, dir: dir, atOnce: s.atOnce(), trainingSet: s}
	for i := range s.runs {
		t.names = append(t.names, seedName(s.runs, i))
	}
	err := t.run(ctx, func(missing []string) error {
		s.missing = len(missing)
		if len(s.runs) > 1 {
			s.bar.name(fmt.Sprintf("training %d seeds", len(missing)))
		}
		return nil
	})
	if err != nil && s.kept != "" {
		err = fmt.Errorf("%s: %w", s.kept, err)
	}
	if err != nil {
		return nil, err
	}
	return s.results(t)
}

// atOnce is how many trainings share this process: small nets leave cores idle one
// after the other (two at once on two cores: twice as fast on rows, 1.16 times on
// digits); those of paper B's pictures do not (1.0 times at 64×64, 1.05 at 32×32), and
// have gigabytes of activations.
func (s *seeds) atOnce() int {
	if shape := s.parts.Train.Shape; len(shape) == 3 && shape[1]%16 == 0 {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// results reads all. What failed is not trained: it would fail again.
func (s *seeds) results(t *trainings) ([]*seedResult, error) {
	all := make([]*seedResult, len(s.runs))
	var failed error
	for i, name := range t.names {
		r, err := s.runs[i].finished(t.at(name), s.parts)
		if err != nil {
			return nil, err
		}
		if r == nil {
			return nil, fmt.Errorf("%s: its models were changed as they were written", t.at(name))
		}
		if all[i] = r; r.Failed == "" {
			continue
		}
		if failed == nil {
			failed = errors.New(r.Failed)
			if len(s.runs) > 1 {
				failed = fmt.Errorf("%s: %s", s.label(name), r.Failed)
			}
		}
		file.Remove(filepath.Join(t.at(name), resultFile))
		file.Remove(filepath.Join(t.at(name), sourceFile))
		if name != "." {
			file.Remove(t.at(name)) // does nothing unless it is empty
		}
	}
	return all, failed
}

// of is the training of a name, of whatever number of several seeds it was one.
func (s *seeds) of(name string) (seedRun, bool) {
	r := s.runs[0]
	if len(s.runs) == 1 {
		return r, name == "."
	}
	seed, err := strconv.ParseUint(strings.TrimPrefix(name, seedPrefix), 10, 64)
	r.options.Seed = seed
	return r, err == nil && name == seedFolder(seed)
}

// manifest implements trainingSet.
func (s *seeds) manifest(ctx context.Context, _ *env, names []string) (run.Manifest, error) {
	common := s.runs[0].settings(s.parts)
	if len(s.runs) > 1 {
		delete(common, "seed")
	}
	return run.Manifest{
		Command: "train", Shards: len(names), Settings: stageSettings{common, names},
		Hashes: map[string]string{"data": digestOf(s.parts)},
	}, nil
}

// finished implements trainingSet.
func (s *seeds) finished(name, dir string) (*trained, error) {
	of, _ := s.of(name)
	r, err := of.finished(dir, s.parts)
	if r == nil {
		return nil, err
	}
	return &r.trained, nil
}

// make implements trainingSet.
func (s *seeds) make(ctx context.Context, e *env, name, dir string) error {
	of, _ := s.of(name)
	r, err := of.run(ctx, e, dir, s.parts, func(done, total int) { s.progress(name, done, total) })
	if err != nil && r != nil {
		s.mu.Lock()
		s.kept = fmt.Sprintf("the best of %d epochs is in %s", len(r.Epochs), dir)
		s.mu.Unlock()
	}
	return err
}

// label implements trainingSet.
func (s *seeds) label(name string) string {
	if of, ok := s.of(name); ok {
		return "seed " + strconv.FormatUint(of.options.Seed, 10)
	}
	return ""
}

// onUnpacked implements trainingSet.
func (s *seeds) onUnpacked(dir string) error { return s.runs[0].source.write(dir) }

// onDone implements trainingSet.
func (s *seeds) onDone(_ *env, name string, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.steps, name)
	s.done++
	if took > 0 {
		s.took[name] = took
	}
	s.show()
}

// progress notes how far a training has come.
func (s *seeds) progress(name string, done, total int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps[name], s.unit = done, total
	s.show()
}

func (s *seeds) show() {
	sum := s.done * s.unit
	for _, n := range s.steps {
		sum += n
	}
	s.bar.set(int64(sum), int64(s.missing*s.unit))
}
