package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"

	"tattle/curious"
	"tattle/internal/file"
	"tattle/run"
)

const gridSchema = "tattle/grid/1"

// gridManifest is what all cells of a folder share: the seeds and the choice of cells
// may change from one run to the next.
type gridManifest struct {
	Schema   string            `json:"schema"`
	Settings map[string]string `json:"settings"`
}

func (g *grid) settings() map[string]string {
	examples := "all"
	if g.limit > 0 {
		examples = strconv.Itoa(g.limit)
	}
	return map[string]string{
		"experiment": g.x.Name, "epochs": strconv.Itoa(g.epochs), "batch": strconv.Itoa(curious.DefaultBatch),
		"learning rate": strconv.FormatFloat(curious.DefaultLearningRate, 'g', -1, 64),
		"side":          strconv.Itoa(g.side), "examples": examples, "data seed": strconv.FormatUint(g.Seed, 10),
	}
}

// sameSettings holds the run to those that the folder was begun with.
func (g *grid) sameSettings() error {
	was, err := readManifest(g.dir)
	if err != nil || was == nil {
		return err
	}
	if d := run.Differences(was.Settings, g.settings()); len(d) > 0 {
		return &run.MismatchError{Folder: g.dir, Fields: d}
	}
	return nil
}

// keepSettings writes them into the folder, unless they are there.
func (g *grid) keepSettings() error {
	path := filepath.Join(g.dir, manifestFile)
	if exists(path) {
		return nil
	}
	return run.WriteFile(path, func(w io.Writer) error {
		return run.WriteJSON(w, gridManifest{gridSchema, g.settings()})
	})
}

// readManifest returns nil where there is none of a grid.
func readManifest(dir string) (*gridManifest, error) {
	path := filepath.Join(dir, manifestFile)
	b, err := file.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m := new(gridManifest)
	if err := json.Unmarshal(b, m); err != nil || m.Schema != gridSchema {
		return nil, usage(fmt.Errorf("%s: not the settings of one of paper B's tables", path), "choose another folder with --out")
	}
	return m, nil
}

// finishedBefore says whether a finished run of paper B's tables is to be gone on
// with, for more seeds or other cells.
func (g *grid) finishedBefore() bool {
	if !g.Resume || g.Out == "" || !exists(filepath.Join(g.Out, reportJSON)) {
		return false
	}
	was, err := readManifest(g.Out)
	return err == nil && was != nil
}

// unreport takes away the report of a run that is gone on with.
func (g *grid) unreport() error {
	for _, name := range []string{reportJSON, reportHTML} { // the first marks the run as finished
		if err := file.Remove(filepath.Join(g.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
