package bound

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"tattle/internal/run"
)

// manifestFile says what run a folder is of: in the folder of the shards while
// there are any, then beside the arrays.
const manifestFile = "manifest.json"

func (r *runner) path(names ...string) string {
	return filepath.Join(append([]string{r.options.Dir}, names...)...)
}

// open makes way for the shards, or loads the result of arrays that are finished.
func (r *runner) open() (finished *Result, err error) {
	shards := r.path(shardsDir)
	if begun, err := exists(filepath.Join(shards, manifestFile)); begun || err != nil {
		return nil, err
	}
	if err := r.options.Files.RemoveAll(shards); err != nil { // what there may be is left of shards that were merged
		return nil, fmt.Errorf("remove merged shards: %w", err)
	}
	if !r.options.Resume {
		return nil, nil
	}
	return r.finished(r.manifest())
}

// finished loads the arrays of this run, or nil if there are none or they are damaged. It
// returns an error if they are of another run.
func (r *runner) finished(m run.Manifest) (*Result, error) {
	path := r.path(ArraysFile)
	if there, err := exists(path); !there {
		return nil, err
	}
	if err := m.Check(r.options.Dir); err != nil {
		return nil, err
	}
	var res *Result
	if run.Intact(r.options.Dir) {
		res, _ = Load(path, r.experiment)
	}
	if res == nil || !slices.Equal(res.Indices, r.indices) {
		r.damaged = fmt.Sprintf("the finished %s was damaged: all was computed again", ArraysFile)
		return nil, nil
	}
	r.tally.kept = len(r.indices)
	r.reportProgress()
	return r.annotate(res), nil
}

// tidy keeps the manifest of merged shards beside the arrays, and removes the shards.
func (r *runner) tidy() error {
	if err := r.folder.KeepManifest(r.options.Files, r.options.Dir, ArraysFile); err != nil {
		return fmt.Errorf("keep the manifest of the shards: %w", err)
	}
	return r.folder.Discard()
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
