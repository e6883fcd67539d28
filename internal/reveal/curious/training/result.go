package training

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/file"
	"tattle/internal/npy"
	"tattle/internal/reveal/curious"
	"tattle/internal/run"
)

// The files of a training; those of attacks are called attack*.onnx. The result has no times and no paths of
// this machine, so that equal trainings are equal bytes; where the data were read from is
// in the source.
const (
	ModelFile  = "model.onnx"
	ResultFile = "result.json"
	SourceFile = "source.json"
)

// resultSchema is the version of the result.json of a training.
const resultSchema = "tattle/result/1"

// Result is the result.json of a training.
type Result struct {
	Schema     string              `json:"schema"`
	SHA256     string              `json:"result_sha256"`  // of result.json with "" in this place
	Program    run.Program         `json:"program"`        // that trained
	Settings   map[string]string   `json:"settings"`       // with other settings it is another training
	Data       string              `json:"data_sha256"`    // dataset.Parts.Sum
	Learned    string              `json:"learned_sha256"` // dataset.Parts.Learned
	Examples   int                 `json:"examples"`       // trained on
	Epochs     []curious.Epoch     `json:"epochs"`
	Best       int                 `json:"best"`
	Files      []File              `json:"files"`                // the models
	Failed     string              `json:"failed,omitempty"`     // why there are none
	Unfinished bool                `json:"unfinished,omitempty"` // interrupted: the best of the epochs completed
	Source     *Source             `json:"-"`                    // is in source.json
	Parameters int                 `json:"parameters"`
	Steps      int                 `json:"steps"`
	Measure                        // of the classifier; zero if the training failed
	Further    map[string]*Measure `json:"further,omitempty"` // by outputs, or StudentMeasure
}

// Measure is what was measured of one classifier and its attacks on the test part.
type Measure struct {
	Taus       []float64           `json:"taus,omitempty"` // of the attacks; 0 but for thresholds
	Evaluation *curious.Evaluation `json:"evaluation"`
	Pruned     []curious.Pruned    `json:"pruned,omitempty"` // without the smallest weights
}

// File is a file of a training.
type File struct {
	Name   string `json:"file"` // a path below the training's folder with slashes
	SHA256 string `json:"sha256"`
}

// Of returns the measure of some outputs or of the student, nil if there is none.
func (r *Result) Of(name string) *Measure {
	if m := r.Further[name]; m != nil {
		return m
	}
	if e := r.Evaluation; e != nil && string(e.Outputs) == name {
		return &r.Measure
	}
	return nil
}

// save writes a classifier and its attacks into a folder below dir, and measures them, also
// with fractions of the weights pruned.
func (r *Result) save(ctx context.Context, files *file.Dir, dir, below string, t *curious.Result, p *dataset.Parts, prune []float64) (err error) {
	m := &r.Measure
	if below != "." {
		m = new(Measure)
		r.Further[below] = m
	}
	for _, a := range t.Attacks {
		m.Taus = append(m.Taus, a.Tau)
	}
	if err := curious.Save(files, filepath.Join(dir, below), t); err != nil {
		return err
	}
	if m.Evaluation, err = curious.Evaluate(ctx, t.Classifier, t.Attacks, p.Train, p.Test); err != nil {
		return err
	}
	if m.Pruned, err = curious.EvaluatePruned(ctx, t.Classifier, t.Attacks, p.Test, prune, nil); err != nil {
		return err
	}
	models, err := t.Files()
	for _, name := range models {
		r.Files = append(r.Files, File{Name: path.Join(below, name)})
	}
	return err
}

// write notes the digests of the files, and writes result.json and source.json into dir.
func (r *Result) write(files *file.Dir, dir string) error {
	if err := r.Source.write(files, dir); err != nil {
		return err
	}
	r.Program, r.SHA256 = run.Current(), ""
	slices.SortFunc(r.Files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	for i := range r.Files {
		var err error
		if r.Files[i].SHA256, err = run.Digest(filepath.Join(dir, filepath.FromSlash(r.Files[i].Name))); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	if err := run.WriteJSON(&b, r); err != nil {
		return err
	}
	r.SHA256 = run.ManifestDigest(b.Bytes())
	text := bytes.Replace(b.Bytes(), resultDigest(""), resultDigest(r.SHA256), 1)
	return files.WriteBytes(filepath.Join(dir, ResultFile), text)
}

// resultDigest returns the field of result.json that holds a digest.
func resultDigest(digest string) []byte { return fmt.Appendf(nil, `"result_sha256": %q`, digest) }

// readResult reads the result.json in dir. It returns an error unless that file is as it was written.
func readResult(dir string) (*Result, error) {
	at := filepath.Join(dir, ResultFile)
	b, err := file.ReadFile(at)
	if err != nil {
		return nil, err
	}
	r := new(Result)
	err = json.Unmarshal(b, r)
	switch {
	case err != nil:
	case r.Schema != resultSchema:
		err = errors.New("not a result of this version of tattle")
	case run.ManifestDigest(bytes.Replace(b, resultDigest(r.SHA256), resultDigest(""), 1)) != r.SHA256:
		err = errors.New("was changed since it was written")
	default:
		return r, nil
	}
	return nil, fmt.Errorf("%s: %w: delete it, and the training is done again", at, err)
}

// ReadResult reads the result.json of a training in dir, with its source. It
// returns an error if the training failed.
func ReadResult(dir string) (*Result, error) {
	r, err := readResult(dir)
	if err != nil {
		return nil, err
	}
	if r.Evaluation == nil {
		return nil, fmt.Errorf("%s: a training that failed: %s", dir, r.Failed)
	}
	r.Source, err = readSource(dir)
	return r, err
}

// Whole reports whether the models in dir are as they were written.
func (r *Result) Whole(dir string) bool {
	for _, f := range r.Files {
		name, err := filepath.Localize(f.Name)
		if err != nil {
			return false
		}
		if hash, err := run.Digest(filepath.Join(dir, name)); err != nil || hash != f.SHA256 {
			return false
		}
	}
	return len(r.Files) > 0 || r.Failed != ""
}

// names returns the files of the training, result.json last: where that is there, so are
// the others.
func (r *Result) names() []string {
	var names []string
	for _, f := range r.Files {
		names = append(names, f.Name)
	}
	return append(names, ResultFile)
}

// Paths returns the files of the training, whose folder is given.
func (r *Result) Paths(folder string) (paths []string) {
	for _, name := range r.names() {
		paths = append(paths, path.Join(folder, name))
	}
	return paths
}

// OtherPrograms returns a warning if some of the trainings were computed by another
// program than this one.
func OtherPrograms(all []*Result) []string {
	var others []string
	n := 0
	for _, r := range all {
		if r.Program == run.Current() {
			continue
		}
		n++
		if p := fmt.Sprintf("%s on %s", r.Program.Version, r.Program.Kernels); !slices.Contains(others, p) {
			others = append(others, p)
		}
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d of %d trainings were made by another version of tattle, or on other kernels (%s): with this one their figures may differ.", n, len(all), strings.Join(others, ", "))}
}

// Several returns the paths of the result.json of each seed in the folder of a run of
// several seeds, in the order of the seeds.
func Several(dir string) ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(dir, seedPrefix+"*", ResultFile))
	slices.SortFunc(paths, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }) // seed-2 before seed-10
	return paths, err
}

// WriteOutputs writes the outputs of a classifier on the test part, with the labels, into
// an .npz file: what an audit needs.
func WriteOutputs(ctx context.Context, files *file.Dir, path string, t *curious.Result, test *dataset.Set) error {
	outputs, err := curious.Predict(ctx, t.Classifier, test)
	if err != nil {
		return err
	}
	n := test.Len()
	return files.Write(path, func(f io.Writer) error {
		w := npy.NewWriter(f)
		err := errors.Join(w.Add("outputs", []int{n, len(outputs) / n}, outputs), w.Add("y", []int{n}, test.Y))
		for i, s := range test.Sensitive {
			name := "s"
			if len(test.Sensitive) > 1 {
				name += strconv.Itoa(i + 1)
			}
			err = errors.Join(err, w.Add(name, []int{n}, s.Labels))
		}
		return errors.Join(err, w.Close())
	})
}

// Source says how labelled data were read, so that they can be read again.
type Source struct {
	Path string `json:"path,omitempty"` // absolute
	dataset.Options
	HoldOut bool `json:"hold_out,omitempty"` // trained on the teacher's part alone
}

// Open reads the data, in three parts. All of the training part is in whole; parts has
// only what is trained on. progress, unless nil, is called with the examples read.
func (s *Source) Open(ctx context.Context, progress func(done, total int)) (parts, whole *dataset.Parts, err error) {
	if _, err := os.Stat(s.Path); err != nil && s.Path != "" {
		return nil, nil, err
	}
	o := s.Options
	o.Progress = progress
	whole, err = dataset.OpenParts(ctx, s.Path, o)
	if err != nil {
		return nil, nil, err
	}
	if parts = whole; s.HoldOut {
		parts, _ = curious.SplitTeacher(whole, s.Seed)
	}
	return parts, whole, nil
}

// write writes source.json into dir; it does nothing if s is nil.
func (s *Source) write(files *file.Dir, dir string) error {
	if s == nil {
		return nil
	}
	return files.Write(filepath.Join(dir, SourceFile), func(w io.Writer) error { return run.WriteJSON(w, s) })
}

// readSource reads the source.json in dir, nil if there is none.
func readSource(dir string) (*Source, error) {
	path := filepath.Join(dir, SourceFile)
	b, err := file.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := new(Source)
	if err := json.Unmarshal(b, s); err != nil {
		return nil, fmt.Errorf("%s: %w: it was changed, train again", path, err)
	}
	return s, nil
}
