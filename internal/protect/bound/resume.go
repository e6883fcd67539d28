package bound

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"tattle/internal/file"
	"tattle/internal/run"
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
