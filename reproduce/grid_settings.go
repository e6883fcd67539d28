package reproduce

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
	"tattle/internal/report"
	"tattle/measure"
	"tattle/run"
)

// manifestFile has what all cells of a run share.
const manifestFile = "manifest.json"

const gridSchema = "tattle/grid/1"

// gridManifest is what all cells of a folder share: the seeds and the choice of cells
// may change from one run to the next.
type gridManifest struct {
	Schema   string            `json:"schema"`
	Settings map[string]string `json:"settings"`
}

func (g *Grid) settings() map[string]string {
	examples := "all"
	if g.limit > 0 {
		examples = strconv.Itoa(g.limit)
	}
	return map[string]string{
		"experiment": g.Name, "epochs": strconv.Itoa(g.epochs), "batch": strconv.Itoa(curious.DefaultBatch),
		"learning rate": strconv.FormatFloat(curious.DefaultLearningRate, 'g', -1, 64),
		"side":          strconv.Itoa(g.side), "examples": examples, "data seed": strconv.FormatUint(g.o.Seed, 10),
	}
}

// sameSettings holds the run to those that the folder was begun with.
func (g *Grid) sameSettings() error {
	was, err := readManifest(g.o.Dir)
	if err != nil || was == nil {
		return err
	}
	if d := run.Differences(was.Settings, g.settings()); len(d) > 0 {
		return &run.MismatchError{Folder: g.o.Dir, Fields: d}
	}
	return nil
}

// keepSettings writes them into the folder, unless they are there.
func (g *Grid) keepSettings() error {
	path := filepath.Join(g.o.Dir, manifestFile)
	if file.Exists(path) {
		return nil
	}
	return file.Write(path, func(w io.Writer) error {
		return run.WriteJSON(w, gridManifest{gridSchema, g.settings()})
	})
}

// readManifest returns nil if there is none of a grid.
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
		return nil, &measure.OptionError{Option: "Dir", Err: fmt.Errorf("%s: not the settings of one of paper B's tables", path), Hint: "choose another folder with --out"}
	}
	return m, nil
}

// Finished reports whether dir holds a finished run of a grid, which can be continued for
// more seeds or other trainings.
func Finished(dir string) bool {
	if !file.Exists(filepath.Join(dir, report.FileJSON)) {
		return false
	}
	was, err := readManifest(dir)
	return err == nil && was != nil
}

// unreport takes away the report of a run that is gone on with.
func (g *Grid) unreport() error {
	for _, name := range []string{report.FileJSON, report.FileHTML} { // the first marks the run as finished
		if err := file.Remove(filepath.Join(g.o.Dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
