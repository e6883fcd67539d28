package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tattle/curious"
	"tattle/dataset"
	"tattle/nn"
	"tattle/report"
	"tattle/run"
)

const (
	resultFile   = "result.json"
	resultSchema = "tattle/result/1"
)

// opened says how labelled data were read, so that they can be read again.
type opened struct {
	Kind       string   `json:"kind"`
	Path       string   `json:"path,omitempty"` // absolute
	Labels     string   `json:"labels,omitempty"`
	FileColumn string   `json:"file_column,omitempty"`
	Target     string   `json:"target,omitempty"`    // a rule
	Sensitive  []string `json:"sensitive,omitempty"` // rules
	Side       int      `json:"side,omitempty"`
	Seed       uint64   `json:"seed"`
	Limit      int      `json:"limit,omitempty"`
	HoldOut    bool     `json:"hold_out,omitempty"` // trained on the teacher's part alone
	Cache      string   `json:"cache,omitempty"`    // of decoded pictures: "" beside the data, "none", or an absolute folder
}

// seedResult is result.json: what one training came to.
type seedResult struct {
	Schema     string                   `json:"schema"`
	Settings   map[string]string        `json:"settings"` // with another one it is another training
	Data       string                   `json:"data_sha256"`
	Source     *opened                  `json:"source,omitempty"`
	Parameters int                      `json:"parameters"`
	Examples   int                      `json:"examples"` // trained on
	Epochs     []curious.Epoch          `json:"epochs"`
	Best       int                      `json:"best"`
	Steps      int                      `json:"steps"`
	Taus       []float64                `json:"taus,omitempty"` // of the attacks; 0 but for thresholds
	Evaluation *curious.Evaluation      `json:"evaluation"`
	Files      []report.Arrays          `json:"files"`
	Unfinished bool                     `json:"unfinished,omitempty"` // interrupted: the best of the epochs completed
	Timing     map[string]report.Number `json:"timing"`
}

// write notes the digests of the models in dir, and writes result.json.
func (r *seedResult) write(dir string) error {
	models, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*.onnx"))
	if err != nil {
		return err
	}
	r.Files = nil
	for _, path := range models {
		hash, err := run.Digest(path)
		if err != nil {
			return err
		}
		r.Files = append(r.Files, report.Arrays{File: filepath.Base(path), SHA256: hash})
	}
	return run.WriteFile(filepath.Join(dir, resultFile), func(w io.Writer) error {
		return json.NewEncoder(w).Encode(r)
	})
}

// escapeGlob makes a path match itself.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// readResult reads result.json.
func readResult(dir string) (*seedResult, error) {
	path := filepath.Join(dir, resultFile)
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := new(seedResult)
	if err := json.Unmarshal(b, r); err != nil {
		return nil, hinted(fmt.Errorf("%s: %w", path, err), "delete it: the training is then done again")
	}
	if r.Schema == cellSchema {
		return nil, usage(fmt.Errorf("%s: a cell of reproduce, not a training", path), "name a folder that tattle train made")
	}
	if r.Schema != resultSchema || r.Evaluation == nil {
		return nil, hinted(fmt.Errorf("%s: not a result of this version of tattle", path), "delete it: the training is then done again")
	}
	return r, nil
}

// differs says in what these settings and data are not those of the result.
func (r *seedResult) differs(settings map[string]string, data string) string {
	both := maps.Clone(settings)
	maps.Copy(both, r.Settings)
	for _, k := range slices.Sorted(maps.Keys(both)) {
		if was, is := r.Settings[k], settings[k]; was != is {
			return fmt.Sprintf("%s was %q, now %q", k, was, is)
		}
	}
	if r.Data != data {
		return "the data have changed"
	}
	return ""
}

// whole says whether the models are there as they were written.
func (r *seedResult) whole(dir string) bool {
	for _, f := range r.Files {
		if hash, err := run.Digest(filepath.Join(dir, f.File)); err != nil || hash != f.SHA256 {
			return false
		}
	}
	return len(r.Files) > 0
}

// classes writes an attribute as "age: <=30 | >30".
func classes(name string, values []string) string {
	return name + ": " + strings.Join(values, " | ")
}

// widthsText writes widths as --widths reads them.
func widthsText(w [5]int) string {
	words := make([]string, len(w))
	for i, v := range w {
		words[i] = strconv.Itoa(v)
	}
	return strings.Join(words, "-")
}

// digestOf is the SHA-256 of all three parts.
func digestOf(p *dataset.Parts) string {
	h := sha256.New()
	for _, s := range []*dataset.Set{p.Train, p.Validation, p.Test} {
		if s != nil {
			io.WriteString(h, s.SHA256+"\n")
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// parameters counts what is trained.
func parameters(g *nn.Graph) (n int) {
	for _, p := range g.Params() {
		n += len(p.Data)
	}
	return n
}
