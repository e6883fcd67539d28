package training

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"tattle/dataset"
	"tattle/internal/file"
	"tattle/run"
)

// Options are the settings of Train.
type Options struct {
	Dir   string   // of the run; several seeds have folders of their own below it
	Stage string   // folder of the shards
	Pool  run.Pool // computes what is missing
	// Start, unless nil, is called with the number of trainings that are missing.
	Start func(missing int)
	// Progress, unless nil, is called with the steps done of all missing trainings, as
	// far as this process knows. Calls do not overlap.
	Progress func(done, total int)
}

// Trained are the results of Train.
type Trained struct {
	Results []*Result                // by seed
	Took    map[string]time.Duration // of what this process trained, by "seed N"
}

// Train computes the trainings that are missing in the run's folder, and returns all of
// them. They differ in their seed only. Interrupted, it keeps what Seed's folders can keep
// and returns ctx's error.
func Train(ctx context.Context, seeds []Seed, p *dataset.Parts, o Options) (*Trained, error) {
	s := newStage(seeds, p, o)
	err := s.folders().Run(ctx, func(missing []string) error {
		s.missing = len(missing)
		if o.Start != nil {
			o.Start(len(missing))
		}
		return nil
	})
	if err != nil && s.kept != "" {
		err = &run.InterruptedError{Kept: fmt.Sprintf("%d of %s finished, and %s", len(seeds)-s.missing+s.done, count(len(seeds), "training"), s.kept), Cause: err}
	}
	if err != nil {
		return nil, err
	}
	t := &Trained{Took: s.took}
	t.Results, err = s.results()
	return t, err
}

// Folder returns the name of the folder of seed i below the run's: the run's own, ".", if
// there is one seed.
func Folder(seeds []Seed, i int) string {
	if len(seeds) == 1 {
		return "."
	}
	return seedFolder(seeds[i].Options.Seed)
}

const seedPrefix = "seed-"

func seedFolder(seed uint64) string { return seedPrefix + strconv.FormatUint(seed, 10) }

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

// results reads all trainings. It returns an error if one has failed, and forgets that
// result, so that it is trained again the next time.
func (s *stage) results() ([]*Result, error) {
	all := make([]*Result, len(s.seeds))
	var failed error
	for i, seed := range s.seeds {
		name := Folder(s.seeds, i)
		dir := filepath.Join(s.o.Dir, name)
		r, err := seed.finished(dir, s.parts)
		if err != nil {
			return nil, err
		}
		if r == nil {
			return nil, fmt.Errorf("%s: its models were changed as they were written", dir)
		}
		if all[i] = r; r.Failed == "" {
			continue
		}
		if failed == nil {
			failed = errors.New(r.Failed)
			if len(s.seeds) > 1 {
				failed = fmt.Errorf("%s: %s", s.Label(name), r.Failed)
			}
		}
		forget(dir, name)
	}
	return all, failed
}

// forget removes the result of a training that failed, and its folder if nothing is left
// in it.
func forget(dir, name string) {
	file.Remove(filepath.Join(dir, ResultFile))
	file.Remove(filepath.Join(dir, SourceFile))
	if name != "." {
		file.Remove(dir)
	}
}
