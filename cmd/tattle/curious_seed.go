package main

// What `train` and the tables share: one training with one seed becomes a folder
// with the models (curious.Save) and result.json, which is written last and marks
// it as finished. A seedRun says how; run trains, measures and keeps; finished
// returns what is there already, when settings and data agree.

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

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

// seedRun is one training with one seed.
type seedRun struct {
	options curious.Options // but for Net and Progress
	widths  [5]int          // of Table 12's layers; zero is the data's own net
	source  *opened         // what the parts were read from; nil where nobody distills the run
}

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
	Attacks    []curious.Attack         `json:"-"` // with their graphs; read from the files where needed
	Taus       []float64                `json:"taus,omitempty"`
	Evaluation *curious.Evaluation      `json:"evaluation"`
	Files      []report.Arrays          `json:"files"`
	Unfinished bool                     `json:"unfinished,omitempty"` // interrupted: the best of the epochs completed
	Timing     map[string]report.Number `json:"timing"`
}

// resolved is the options with their defaults in.
func (s seedRun) resolved() curious.Options {
	o := s.options
	if o.Attack == "" {
		o.Attack = curious.Standard
	}
	if o.Outputs == "" {
		o.Outputs = curious.Raw
		if o.Attack == curious.Regularized || o.Attack == curious.MixtureKind {
			o.Outputs = curious.Soft
		}
	}
	if o.Beta == (curious.Beta{}) {
		o.Beta = curious.DefaultBeta(o.Attack, o.Outputs)
	}
	if o.Epochs == 0 {
		o.Epochs = curious.DefaultEpochs
	}
	if o.Batch == 0 {
		o.Batch = curious.DefaultBatch
	}
	if o.LearningRate == 0 {
		o.LearningRate = curious.DefaultLearningRate
	}
	return o
}

// settings are those that make another training when they change.
func (s seedRun) settings(p *dataset.Parts) map[string]string {
	o := s.resolved()
	m := map[string]string{
		"attack": string(o.Attack), "outputs": string(o.Outputs), "beta": o.Beta.String(),
		"epochs": strconv.Itoa(o.Epochs), "batch": strconv.Itoa(o.Batch),
		"learning rate": strconv.FormatFloat(o.LearningRate, 'g', -1, 64),
		"seed":          strconv.FormatUint(o.Seed, 10),
		"target":        classes(p.Train.YName, p.Train.YNames),
	}
	for i, a := range p.Train.Sensitive {
		if o.Attack != curious.Standard && (o.Attributes == nil || slices.Contains(o.Attributes, i)) {
			m["sensitive "+strconv.Itoa(i+1)] = classes(a.Name, a.Values)
		}
	}
	if s.widths != [5]int{} {
		m["widths"] = widthsText(s.widths)
	}
	if o.PerExample {
		m["per example"] = "true"
	}
	if o.Normal {
		m["normal"] = "true"
	}
	return m
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

// trainOptions are what curious.Train is given.
func (s seedRun) trainOptions(p *dataset.Parts, progress func(done, total int)) curious.Options {
	o := s.resolved()
	if s.widths != [5]int{} {
		o.Net = curiousNet(p.Train.Shape, s.widths)
	}
	if progress != nil {
		o.Progress = func(done, total int, _ float64) { progress(done, total) }
	}
	return o
}

// curiousNet is Table 12's net with other widths.
func curiousNet(shape []int, widths [5]int) func(classes int, seed uint64) *nn.Graph {
	return func(classes int, seed uint64) *nn.Graph {
		return nn.CuriousNet(nn.CuriousOptions{Classes: classes, Channels: shape[0], Side: shape[1], Widths: widths}, seed)
	}
}

// check refuses what cannot be trained, before anything is.
func (s seedRun) check(p *dataset.Parts) error {
	if shape := p.Train.Shape; s.widths != [5]int{} && (len(shape) != 3 || shape[1] != shape[2] || shape[1]%16 != 0) {
		return usage(fmt.Errorf("--widths: they are of Table 12's net, which takes square pictures whose side is a multiple of 16, not inputs of shape %v", shape), "leave --widths out")
	}
	if err := s.trainOptions(p, nil).Check(p); err != nil {
		return usage(err, "")
	}
	return nil
}

// run trains with the seed and measures on the test part; dir, which it makes,
// gets the models and result.json. Interrupted, it keeps the best epoch so far,
// marked as unfinished, and returns it with ctx's error; nil where there is none.
func (s seedRun) run(e *env, dir string, p *dataset.Parts, progress func(done, total int)) (*seedResult, error) {
	made := !exists(dir)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, hinted(err, "choose a folder that can be written with --out")
	}
	started := time.Now()
	trained, stopped := curious.Train(e.ctx, p, s.trainOptions(p, progress))
	if trained == nil || stopped != nil && e.ctx.Err() == nil {
		if made {
			os.Remove(dir) // does nothing unless it is empty
		}
		return nil, stopped
	}
	r := s.result(p, trained)
	r.Timing["training"] = seconds(started)
	r.Unfinished = stopped != nil
	if err := s.measured(e, dir, p, trained, r); err != nil {
		return nil, err
	}
	return r, stopped
}

// result is what is known of a training before it is measured.
func (s seedRun) result(p *dataset.Parts, t *curious.Result) *seedResult {
	r := &seedResult{
		Schema: resultSchema, Settings: s.settings(p), Data: digestOf(p), Source: s.source,
		Parameters: parameters(t.Classifier), Examples: p.Train.Len(), Epochs: t.Epochs, Best: t.Best, Steps: t.Steps, Attacks: t.Attacks,
		Timing: map[string]report.Number{},
	}
	for _, a := range t.Attacks {
		r.Taus = append(r.Taus, a.Tau)
	}
	return r
}

// parameters counts what is trained.
func parameters(g *nn.Graph) (n int) {
	for _, p := range g.Params() {
		n += len(p.Data)
	}
	return n
}

// measured evaluates a training and writes it all down. A training that was
// interrupted is measured nonetheless.
func (s seedRun) measured(e *env, dir string, p *dataset.Parts, t *curious.Result, r *seedResult) (err error) {
	ctx := e.ctx
	if r.Unfinished {
		ctx = context.WithoutCancel(ctx)
	}
	started := time.Now()
	if err := curious.Save(dir, t); err != nil {
		return err
	}
	if r.Evaluation, err = curious.Evaluate(ctx, t.Classifier, t.Attacks, p.Train, p.Test); err != nil {
		return err
	}
	r.Timing["measuring"] = seconds(started)
	return r.write(dir)
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

// finished returns what a finished training with these settings and data left in
// dir: nil where there is none, or where it was interrupted or its models have
// changed since. It errs where the folder is another training's.
func (s seedRun) finished(dir string, p *dataset.Parts) (*seedResult, error) {
	r, err := readResult(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if d := r.differs(s.settings(p), digestOf(p)); d != "" {
		return nil, hinted(fmt.Errorf("%s is of another training: %s", dir, d), "give the flags of the run that was interrupted, or another --out")
	}
	if r.Unfinished || !r.whole(dir) {
		return nil, nil
	}
	return r, nil
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
	if r.Schema != resultSchema || r.Evaluation == nil {
		return nil, hinted(fmt.Errorf("%s: not a result of this version of tattle", path), "delete it: the training is then done again")
	}
	return r, nil
}

// differs says in what these settings and data are not those of the result.
func (r *seedResult) differs(settings map[string]string, data string) string {
	for _, k := range slices.Sorted(keysOf(r.Settings, settings)) {
		if was, is := r.Settings[k], settings[k]; was != is {
			return fmt.Sprintf("%s was %q, now %q", k, was, is)
		}
	}
	if r.Data != data {
		return "the data have changed"
	}
	return ""
}

// keysOf goes over the keys of both maps.
func keysOf(a, b map[string]string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range a {
			if !yield(k) {
				return
			}
		}
		for k := range b {
			if _, ok := a[k]; !ok && !yield(k) {
				return
			}
		}
	}
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
