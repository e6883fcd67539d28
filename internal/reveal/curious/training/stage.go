package training

import (
	"context"
	"fmt"
	"maps"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"tattle/internal/report"
	"tattle/internal/run"
	"tattle/internal/run/folders"
)

// stage makes the folders of trainings.
type stage struct {
	seeds []Seed
	data  *Data
	o     Options

	mu    sync.Mutex
	steps map[string]int // that this process has done of the trainings under way, by name
	count int            // trainings done
	done  int            // their steps
	total int            // steps of all that were missing
	kept  string         // what the last training that was interrupted left
	took  map[string]time.Duration
}

const seedPrefix = "seed-"

// SeedFolder returns the name of the folder of a training with a seed.
func SeedFolder(seed uint64) string { return seedPrefix + strconv.FormatUint(seed, 10) }

// of returns the training in a folder: one of the stage's, or one of them with another seed.
func (s *stage) of(name string) (Seed, bool) {
	seed, err := strconv.ParseUint(strings.TrimPrefix(path.Base(name), seedPrefix), 10, 64)
	for _, x := range s.seeds {
		if x.Folder == "." && name == "." {
			return x, true
		}
		if err == nil && x.Folder != "." && path.Join(path.Dir(x.Folder), SeedFolder(seed)) == name {
			x.Folder, x.Options.Seed = name, seed
			return x, true
		}
	}
	return Seed{}, false
}

// Manifest implements folders.Set.
func (s *stage) Manifest(ctx context.Context, names []string) (run.Manifest, error) {
	m := run.Manifest{Command: "train", Shards: len(names), Hashes: map[string]string{}}
	var common map[string]string
	for _, name := range names {
		of, _ := s.of(name)
		p, err := s.data.Labels(ctx, of.Source)
		if err != nil {
			return m, err
		}
		m.Hashes["data of "+p.Train.YName] = p.Sum()
		settings := of.Settings(p)
		if name != "." { // which says the seed
			delete(settings, "seed")
		}
		if common == nil {
			common = settings
		}
		maps.DeleteFunc(common, func(k, v string) bool { return settings[k] != v })
	}
	m.Settings = folders.Settings{Common: common, Names: names}
	return m, nil
}

// Finished implements folders.Set.
func (s *stage) Finished(name, dir string) ([]string, error) {
	of, _ := s.of(name)
	r, err := of.finished(dir, s.data.opened(of.Source))
	if r == nil {
		return nil, err
	}
	return r.names(), nil
}

// Make implements folders.Set.
func (s *stage) Make(ctx context.Context, name, dir string) error {
	of, _ := s.of(name)
	p, whole, err := s.data.Open(ctx, of.Source)
	if err != nil {
		return err
	}
	steps := of.steps(p)
	r, err := of.run(ctx, s.o.Files, dir, p, whole, func(done, total int) { s.progress(name, steps*done/total) })
	if err != nil && r != nil {
		s.mu.Lock()
		s.kept = fmt.Sprintf("the best of %s is in %s", report.Many(len(r.Epochs), "epoch"), dir)
		s.mu.Unlock()
	}
	return err
}

// Label implements folders.Set.
func (s *stage) Label(name string) string {
	of, ok := s.of(name)
	if !ok {
		return ""
	}
	return strings.TrimPrefix(path.Base(path.Dir(name))+", ", "., ") + seedName(of.Options.Seed)
}

// seedName names a training with a seed for people.
func seedName(seed any) string { return fmt.Sprintf("seed %v", seed) }

// Unpacked implements folders.Set.
func (s *stage) Unpacked(name, dir string) error {
	of, _ := s.of(name)
	return of.Source.write(s.o.Files, dir)
}

// Done implements folders.Set.
func (s *stage) Done(name string, took time.Duration) {
	of, _ := s.of(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.steps, name)
	s.count++
	s.done += of.steps(s.data.opened(of.Source))
	if took > 0 {
		s.took[s.Label(name)] = took
	}
	s.report()
}

// progress notes the steps of a training under way.
func (s *stage) progress(name string, done int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps[name] = done
	s.report()
}

// report calls Progress with the steps of all trainings.
func (s *stage) report() {
	if s.o.Progress == nil {
		return
	}
	sum := s.done
	for _, n := range s.steps {
		sum += n
	}
	s.o.Progress(sum, s.total)
}
