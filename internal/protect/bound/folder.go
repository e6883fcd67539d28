package bound

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"tattle/internal/file"
	"tattle/internal/protect/release"
	"tattle/internal/run"
)

// The files of a run.
const (
	ArraysFile = "arrays.npz"
	shardsDir  = "shards"
)

// manifestFile says what run a folder is of: in the folder of the shards while
// there are any, then beside the arrays.
const manifestFile = "manifest.json"

func (r *runner) path(names ...string) string {
	return filepath.Join(append([]string{r.options.Dir}, names...)...)
}

// settingsIn reads the settings of the run in a folder, nil if there is none. Those that were chosen by its memory, or
// measured, are used again when it is resumed, or shared by several processes. settingsIn does not check
// that it is the same run: opening the folder does.
func settingsIn(dir string) *settings {
	for _, path := range []string{filepath.Join(dir, shardsDir, manifestFile), filepath.Join(dir, manifestFile)} {
		data, err := file.ReadFile(path)
		var m struct{ Settings settings }
		if err == nil && json.Unmarshal(data, &m) == nil && m.Settings.Search.Search != "" {
			return &m.Settings
		}
	}
	return nil
}

// finished makes way for the shards, or loads the arrays of a run that is resumed. It returns nil if there are none, or
// they are damaged, and an error if they are of another run.
func (r *runner) finished() (*Result, error) {
	dir, path := r.options.Dir, r.path(ArraysFile)
	if _, err := os.Lstat(r.path(shardsDir, manifestFile)); err == nil {
		return nil, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look for an earlier run: %w", err)
	}
	if err := r.options.Files.RemoveAll(r.path(shardsDir)); err != nil { // what there may be is left of shards that were merged
		return nil, fmt.Errorf("remove merged shards: %w", err)
	}
	if !r.options.Resume || !file.Exists(path) {
		return nil, nil
	}
	if err := r.manifest().Check(dir); err != nil {
		return nil, err
	}
	if run.Intact(dir) {
		if res, err := Load(path, r.experiment); err == nil && slices.Equal(res.Indices, r.indices) {
			r.count(func(t *tally) { t.kept = len(r.indices) })
			return r.annotate(res), nil
		}
	}
	r.damaged = fmt.Sprintf("the finished %s was damaged: all was computed again", ArraysFile)
	return nil, nil
}

// inFolder computes the shards of the run and merges them, or loads what they were merged into, while no other may work in
// its folder.
func (r *runner) inFolder(ctx context.Context) (*Result, error) {
	dir := r.options.Dir
	if err := r.options.Files.MkdirAll(dir); err != nil {
		return nil, err
	}
	unlock, err := file.Lock(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	defer unlock()
	if finished, err := r.finished(); finished != nil || err != nil {
		return finished, err
	}
	if err := r.compute(ctx); err != nil {
		return nil, err
	}
	if err := r.merge(ctx); err != nil {
		return nil, err
	}
	res, err := Load(r.path(ArraysFile), r.experiment)
	if err != nil {
		return nil, err
	}
	return r.annotate(res), nil
}

// compute has the pool compute the shards that are missing. Resources, options and model
// were seen to before: what fails here is about a shard, or the pool.
func (r *runner) compute(ctx context.Context) (err error) {
	pool := cmp.Or(r.options.Pool, run.Pool(run.Leader{}))
	r.folder, err = pool.Run(ctx, run.Work{
		Dir: r.path(shardsDir), Manifest: r.manifest(), Resume: r.options.Resume,
		AtOnce: 1, // a shard takes all cores
		Do: func(ctx context.Context, i int, w io.Writer) error { // of several at a time one is computed while others are written
			rec, err := r.examples(ctx, i)
			if err != nil {
				return err
			}
			return rec.write(w)
		},
		Name: r.name, Progress: r.committed,
	})
	switch {
	case err == nil:
		if n := len(r.folder.Corrupt()); n > 0 {
			r.damaged = fmt.Sprintf("%d of %d shards were damaged: they were computed again", n, r.folder.Len())
		}
		return nil
	case ctx.Err() != nil:
		return r.interrupted(ctx)
	}
	return err
}

// name says which examples shard i is about, by their positions in the run.
func (r *runner) name(i int) string {
	lo, hi := r.span(i)
	if hi-lo == 1 {
		return fmt.Sprintf("example %d", lo)
	}
	return fmt.Sprintf("examples %d to %d", lo, hi-1)
}

func (r *runner) interrupted(ctx context.Context) error {
	var kept int
	r.count(func(t *tally) { kept = t.kept })
	return &run.InterruptedError{Kept: fmt.Sprintf("%d of %d examples are finished and kept", kept, len(r.indices)), Cause: ctx.Err()}
}

// tally is the progress of a run, in examples.
type tally struct {
	sync.Mutex
	kept     int     // of shards that are committed, wherever they were computed
	shard    int     // the last one that this process began
	done     float64 // of that shard; 0 once it is committed
	reported int     // the last value passed to Progress; -1 before the first call
}

// count updates the tally, and reports the examples that are done if there are more than before.
func (r *runner) count(update func(t *tally)) {
	t, total := &r.tally, len(r.indices)
	t.Lock()
	defer t.Unlock()
	update(t)
	done := min(int(float64(t.kept)+t.done), total) // a shard may be committed elsewhere meanwhile
	if done > t.reported && r.options.Progress != nil {
		t.reported = done
		r.options.Progress(done, total)
	}
}

// committed counts the examples of the shards that are in the folder.
func (r *runner) committed(f *run.Folder) {
	r.count(func(t *tally) {
		t.kept = len(r.indices)
		for _, i := range f.Remaining() {
			lo, hi := r.span(i)
			t.kept -= hi - lo
		}
		if f.Done(t.shard) {
			t.done = 0
		}
	})
}

// settings is all that decides the outcome, for the manifest of the shards.
type settings struct {
	Settings             // Reasons decide nothing: they are kept, as they may be about a budget that is another now
	Inputs      int      `json:"inputs"`
	Features    int      `json:"features"`
	Noise       string   `json:"noise"`
	Sigma       float64  `json:"sigma"`
	Fisher      float64  `json:"fisher"`
	Queries     int      `json:"queries"`
	Coordinates string   `json:"coordinates"`
	Count       int      `json:"coordinate_count"`
	Detail      string   `json:"coordinate_detail,omitempty"`
	Domains     []string `json:"domain_digests"`                // of near witnesses, far ones, twins and pairs
	Directions  *bool    `json:"barankin_directions,omitempty"` // whether J is decomposed for singular directions; nil where it is, or not, for other reasons
	Shard       int      `json:"shard_examples"`
	Examples    []int    `json:"examples"`
}

// noiseName names a noise, a table without the folder of its file: that is another with
// each who takes part.
func noiseName(n release.Noise) string {
	name, file, ok := strings.Cut(n.String(), ":")
	if !ok || name != "table" {
		return n.String()
	}
	return name + ":" + filepath.Base(file)
}

func (r *runner) manifest() run.Manifest {
	e, detail := r.experiment, ""
	if d, ok := e.Coordinates.(detailed); ok {
		detail = d.detail()
	}
	p, n := r.model.Dims()
	var directions *bool
	if e.SkipCramerRao && e.Barankin.Witnesses > 0 {
		directions = &r.explicit
	}
	return run.Manifest{
		Command: "bound",
		Shards:  (len(r.indices) + r.shard - 1) / r.shard,
		Settings: settings{
			Settings: e.Settings, Inputs: p, Features: n,
			Noise: noiseName(e.Noise), Sigma: e.Noise.Std(), Fisher: e.Noise.Fisher(), Queries: max(1, e.Queries),
			Coordinates: e.Coordinates.Name(), Count: e.Coordinates.Len(), Detail: detail,
			Domains:    []string{e.Domain.digest(), e.Far.Domain.digest(), e.Twins.Domain.digest(), e.Pairs.Domain.digest()},
			Directions: directions, Shard: r.shard, Examples: r.indices,
		},
		Hashes: r.options.Hashes,
	}
}
