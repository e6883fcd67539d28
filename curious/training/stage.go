package training

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"tattle/dataset"
	"tattle/run"
	"tattle/run/folders"
)

// stage makes the folders of trainings that differ in their seed.
type stage struct {
	seeds []Seed
	parts *dataset.Parts
	o     Options

	mu      sync.Mutex
	missing int
	steps   map[string]int // of the trainings under way, by name
	done    int            // trainings
	unit    int            // steps of one, as far as this process knows
	kept    string         // what the last training that was interrupted left
	took    map[string]time.Duration
}

func newStage(seeds []Seed, p *dataset.Parts, o Options) *stage {
	return &stage{seeds: seeds, parts: p, o: o, steps: map[string]int{}, unit: 1, took: map[string]time.Duration{}}
}

// folders returns the stage of the run.
func (s *stage) folders() *folders.Stage {
	f := &folders.Stage{Dir: s.o.Stage, Root: s.o.Dir, AtOnce: atOnce(s.parts), Pool: s.o.Pool, Set: s}
	for i := range s.seeds {
		f.Names = append(f.Names, Folder(s.seeds, i))
	}
	return f
}

// of returns the training with a name.
func (s *stage) of(name string) (Seed, bool) {
	r := s.seeds[0]
	if len(s.seeds) == 1 {
		return r, name == "."
	}
	seed, err := strconv.ParseUint(strings.TrimPrefix(name, seedPrefix), 10, 64)
	r.Options.Seed = seed
	return r, err == nil && name == seedFolder(seed)
}

// Manifest implements folders.Set.
func (s *stage) Manifest(_ context.Context, names []string) (run.Manifest, error) {
	common := s.seeds[0].Settings(s.parts)
	if len(s.seeds) > 1 {
		delete(common, "seed")
	}
	return run.Manifest{
		Command: "train", Shards: len(names), Settings: folders.Settings{Common: common, Names: names},
		Hashes: map[string]string{"data": s.parts.Sum()},
	}, nil
}

// Finished implements folders.Set.
func (s *stage) Finished(name, dir string) ([]string, error) {
	of, _ := s.of(name)
	r, err := of.finished(dir, s.parts)
	if r == nil {
		return nil, err
	}
	return r.Names(), nil
}

// Make implements folders.Set.
func (s *stage) Make(ctx context.Context, name, dir string) error {
	of, _ := s.of(name)
	r, err := of.run(ctx, dir, s.parts, func(done, total int) { s.progress(name, done, total) })
	if err != nil && r != nil {
		s.mu.Lock()
		s.kept = fmt.Sprintf("the best of %s is in %s", count(len(r.Epochs), "epoch"), dir)
		s.mu.Unlock()
	}
	return err
}

// Label implements folders.Set.
func (s *stage) Label(name string) string {
	if of, ok := s.of(name); ok {
		return "seed " + strconv.FormatUint(of.Options.Seed, 10)
	}
	return ""
}

// Unpacked implements folders.Set.
func (s *stage) Unpacked(dir string) error { return s.seeds[0].Source.write(dir) }

// Done implements folders.Set.
func (s *stage) Done(name string, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.steps, name)
	s.done++
	if took > 0 {
		s.took[s.Label(name)] = took
	}
	s.report()
}

// progress notes the steps of a training under way.
func (s *stage) progress(name string, done, total int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps[name], s.unit = done, total
	s.report()
}

// report calls Progress with the steps of all trainings.
func (s *stage) report() {
	if s.o.Progress == nil {
		return
	}
	sum := s.done * s.unit
	for _, n := range s.steps {
		sum += n
	}
	s.o.Progress(sum, s.missing*s.unit)
}
