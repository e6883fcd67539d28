package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"tattle/curious"
	"tattle/dataset"
	"tattle/internal/file"
	"tattle/nn"
	"tattle/run"
)

const resultSchema = "tattle/result/1"

// dataSource says how labelled data were read, so that they can be read again.
type dataSource struct {
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

// seedResult is the result.json of a seed's training.
type seedResult struct {
	trained
	Source     *dataSource         `json:"source,omitempty"` // from source.json; earlier versions wrote it here
	Parameters int                 `json:"parameters"`
	Steps      int                 `json:"steps"`
	Taus       []float64           `json:"taus,omitempty"` // of the attacks; 0 but for thresholds
	Evaluation *curious.Evaluation `json:"evaluation"`
}

// write keeps a training whose models are in dir, and beside it where the data were.
func (r *seedResult) write(dir string, models []string) error {
	if err := r.Source.write(dir); err != nil {
		return err
	}
	bare := *r
	bare.Source = nil
	err := keep(dir, &bare, models)
	r.trained = bare.trained
	return err
}

// write notes in dir what was read; nil leaves it open.
func (o *dataSource) write(dir string) error {
	if o == nil {
		return nil
	}
	return run.WriteFile(filepath.Join(dir, sourceFile), func(w io.Writer) error { return indented(w, o) })
}

// escapeGlob makes a path match itself.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// readResult reads what write wrote.
func readResult(dir string) (*seedResult, error) {
	r := new(seedResult)
	err := read(dir, resultSchema, r)
	if r.Schema == cellSchema {
		return nil, usage(fmt.Errorf("%s: a cell of reproduce, not a training", filepath.Join(dir, resultFile)), "name a folder that tattle train made")
	}
	if err != nil {
		return nil, err
	}
	if r.Evaluation == nil {
		return nil, fmt.Errorf("%s: a training that failed: %s", dir, r.Failed)
	}
	return r, r.readSource(dir)
}

// readSource reads source.json, where it is there.
func (r *seedResult) readSource(dir string) error {
	path := filepath.Join(dir, sourceFile)
	b, err := file.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	r.Source = new(dataSource)
	if err := json.Unmarshal(b, r.Source); err != nil {
		return fmt.Errorf("%s: %w: it was changed, train again", path, err)
	}
	return nil
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
