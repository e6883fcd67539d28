package bound

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"tattle/npy"
	"tattle/run"
)

// manifestFile says what run a folder is of: in the folder of the shards while
// there are any, then beside the arrays.
const manifestFile = "manifest.json"

func (r *runner) path(names ...string) string {
	return filepath.Join(append([]string{r.options.Dir}, names...)...)
}

// open opens the folder of the shards, new or, if resuming, as it was left.
// Where the arrays are finished it returns their result instead.
func (r *runner) open() (finished *Result, err error) {
	shards, manifest := r.path(shardsDir), r.manifest()
	begun, err := exists(filepath.Join(shards, manifestFile))
	if err != nil {
		return nil, err
	}
	if r.options.Resume && begun {
		if r.folder, err = run.Open(shards, manifest); err != nil {
			return nil, err
		}
		if n := len(r.folder.Corrupt()); n > 0 {
			r.damaged = fmt.Sprintf("%d of %d shards were damaged: they were computed again", n, r.folder.Len())
		}
		return nil, nil
	}
	if !begun { // what there may be is left of shards that were merged
		if err := os.RemoveAll(shards); err != nil {
			return nil, fmt.Errorf("remove merged shards: %w", err)
		}
	}
	if r.options.Resume {
		if finished, err = r.finished(manifest); finished != nil || err != nil {
			return finished, err
		}
	}
	r.folder, err = run.Create(shards, manifest)
	return nil, err
}

// finished loads the arrays of this run, nil where there are none or they are
// damaged. It errs where they are of another run.
func (r *runner) finished(m run.Manifest) (*Result, error) {
	path := r.path(ArraysFile)
	if there, err := exists(path); !there {
		return nil, err
	}
	if _, err := run.Open(r.options.Dir, m); err != nil {
		return nil, err
	}
	var res *Result
	if r.whole(path) {
		res, _ = Load(path, r.experiment)
	}
	if res == nil || !slices.Equal(res.Indices, r.indices) {
		r.damaged = fmt.Sprintf("the finished %s was damaged: all was computed again", ArraysFile)
		return nil, nil
	}
	r.progress(float64(len(r.indices)))
	return res, nil
}

// whole tells whether all arrays are there with a row for each example.
func (r *runner) whole(path string) bool {
	f, err := npy.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	p, _ := r.model.Dims()
	_, total, err := r.experiment.layout(p).open(f, path)
	return err == nil && total == len(r.indices)
}

func exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for an earlier run: %w", err)
	}
	return true, nil
}
