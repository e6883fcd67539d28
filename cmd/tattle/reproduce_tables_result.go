package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"tattle/curious"
	"tattle/dataset"
	"tattle/report"
	"tattle/run"
	"tattle/tables"
)

const cellSchema = "tattle/cell/1"

// cellResult is the result.json of a cell, a training with one seed. It is written
// last, and marks the cell as finished; it has no times, so that equal cells are
// equal bytes.
type cellResult struct {
	Schema   string                  `json:"schema"`
	Key      string                  `json:"key"`
	Settings map[string]string       `json:"settings"`    // with another one it is another cell
	Data     string                  `json:"data_sha256"` // of the three parts
	Examples int                     `json:"examples"`    // of the training part
	Counts   map[string][][]int      `json:"counts"`      // of the training part, by sensitive attribute: class of s × class of y
	Epochs   []curious.Epoch         `json:"epochs"`
	Best     int                     `json:"best"`
	Measures map[string]*cellMeasure `json:"measures"` // by outputs, or "student"
	Files    []report.Arrays         `json:"files"`
	Failed   string                  `json:"failed,omitempty"` // why there are no measures
}

// cellMeasure is what was measured of one classifier and its attacks, those on the
// training's sensitive attributes in their order.
type cellMeasure struct {
	Evaluation *curious.Evaluation `json:"evaluation"`
	Taus       []float64           `json:"taus"` // of thresholds, in nats; else 0
	Pruned     []prunedMeasure     `json:"pruned,omitempty"`
}

// prunedMeasure is what is left after pruning a fraction of the weights.
type prunedMeasure struct {
	Fraction  float64              `json:"fraction"`
	Honesty   curious.Proportion   `json:"honesty"`
	Curiosity []curious.Proportion `json:"curiosity"`
}

// newResult is a cell before it is trained.
func (g *grid) newResult(t tables.Training, seed uint64) *cellResult {
	r := &cellResult{
		Schema: cellSchema, Key: t.Key, Settings: g.settings(), Data: digestOf(g.parts), Examples: g.parts.Train.Len(),
		Counts: map[string][][]int{}, Measures: map[string]*cellMeasure{},
	}
	r.Settings["seed"] = strconv.FormatUint(seed, 10)
	for _, s := range t.Sensitive {
		r.Counts[s] = jointCounts(g.parts.Train, g.index(t, s))
	}
	return r
}

// index is the position of a sensitive attribute among those of the open data.
func (g *grid) index(t tables.Training, sensitive string) int {
	return slices.Index(g.x.Sensitive(t.Target), sensitive)
}

// jointCounts counts the examples by class of s and class of y.
func jointCounts(set *dataset.Set, index int) [][]int {
	s := set.Sensitive[index]
	n := make([][]int, len(s.Values))
	for i := range n {
		n[i] = make([]int, len(set.YNames))
	}
	for i, y := range set.Y {
		n[s.Labels[i]][y]++
	}
	return n
}

// finished returns what is in dir of the same cell, nil where there is nothing whole.
func (r *cellResult) finished(dir string) (*cellResult, error) {
	file := filepath.Join(dir, resultFile)
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	was := new(cellResult)
	if err := json.Unmarshal(b, was); err != nil || was.Schema != cellSchema {
		return nil, hinted(fmt.Errorf("%s: not a result of this version of tattle", file), "delete it: the cell is then trained again")
	}
	d := differences(was.Settings, r.Settings)
	if was.Data != r.Data {
		d = append(d, run.Difference{Field: "data", Have: was.Data, Want: r.Data})
	}
	if len(d) > 0 {
		return nil, &run.MismatchError{Folder: dir, Fields: d}
	}
	for _, f := range was.Files {
		if hash, err := run.Digest(filepath.Join(dir, f.File)); err != nil || hash != f.SHA256 {
			return nil, nil
		}
	}
	return was, nil
}

// write notes the digests of the models in dir and writes result.json.
func (r *cellResult) write(dir string) error {
	models, err := fs.Glob(os.DirFS(dir), "*.onnx")
	if err != nil {
		return err
	}
	more, err := fs.Glob(os.DirFS(dir), "*/*.onnx")
	if err != nil {
		return err
	}
	for _, name := range append(models, more...) {
		hash, err := run.Digest(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		r.Files = append(r.Files, report.Arrays{File: name, SHA256: hash})
	}
	return run.WriteFile(filepath.Join(dir, resultFile), func(w io.Writer) error { return indented(w, r) })
}
