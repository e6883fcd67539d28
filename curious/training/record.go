package training

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"tattle/curious"
	"tattle/internal/file"
	"tattle/run"
)

// The files of a training; those of attacks are called attack*.onnx. The result has no times and no paths of
// this machine, so that equal trainings are equal bytes; where the data were read from is
// in the source.
const (
	ResultFile = "result.json"
	SourceFile = "source.json"
	modelFile  = "model.onnx"
)

// Record is what the result.json of every training has in common.
type Record struct {
	Schema     string            `json:"schema"`
	SHA256     string            `json:"result_sha256"` // of result.json with "" in this place
	Program    run.Program       `json:"program"`       // that trained
	Settings   map[string]string `json:"settings"`      // with other settings it is another training
	Data       string            `json:"data_sha256"`   // dataset.Parts.Sum
	Examples   int               `json:"examples"`      // trained on
	Epochs     []curious.Epoch   `json:"epochs"`
	Best       int               `json:"best"`
	Files      []File            `json:"files"`                // the models
	Failed     string            `json:"failed,omitempty"`     // why there are none
	Unfinished bool              `json:"unfinished,omitempty"` // interrupted: the best of the epochs completed
}

// File is a file of a training.
type File struct {
	Name   string `json:"file"` // a path below the training's folder with slashes
	SHA256 string `json:"sha256"`
}

// Kept is the content of a result.json: a struct that embeds Record.
type Kept interface{ Common() *Record }

// Common returns r.
func (r *Record) Common() *Record { return r }

// Write notes the digests of the models, files below dir, and writes result.json there.
func Write(dir string, k Kept, models []string) error {
	r := k.Common()
	r.Program, r.Files = run.Current(), nil
	for _, name := range slices.Sorted(slices.Values(models)) {
		hash, err := run.Digest(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		r.Files = append(r.Files, File{name, hash})
	}
	r.SHA256 = ""
	var b bytes.Buffer
	if err := run.WriteJSON(&b, k); err != nil {
		return err
	}
	r.SHA256 = run.ManifestDigest(b.Bytes())
	text := bytes.Replace(b.Bytes(), resultDigest(""), resultDigest(r.SHA256), 1)
	return file.WriteBytes(filepath.Join(dir, ResultFile), text)
}

// resultDigest returns the field of result.json that holds a digest.
func resultDigest(digest string) []byte { return fmt.Appendf(nil, `"result_sha256": %q`, digest) }

// A RecordError reports a result.json that cannot be used.
type RecordError struct {
	Path   string
	Schema string // of the file, "" if it is no JSON
	Err    error
}

// Error names the file.
func (e *RecordError) Error() string { return fmt.Sprintf("%s: %v", e.Path, e.Err) }

// Unwrap returns Err.
func (e *RecordError) Unwrap() error { return e.Err }

// read reads the result.json in dir into k. It returns a *RecordError unless that file
// has the schema and is as it was written.
func read(dir, schema string, k Kept) error {
	path := filepath.Join(dir, ResultFile)
	b, err := file.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, k); err != nil {
		return &RecordError{Path: path, Err: err}
	}
	r := k.Common()
	if r.Schema != schema {
		return &RecordError{path, r.Schema, errors.New("not a result of this version of tattle")}
	}
	if run.ManifestDigest(bytes.Replace(b, resultDigest(r.SHA256), resultDigest(""), 1)) != r.SHA256 {
		return &RecordError{path, r.Schema, errors.New("was changed since it was written")}
	}
	return nil
}

// Finished reads into k the training in dir and reports whether it is complete: false if
// there is none, if it was interrupted or if its models have changed. It errs with a
// *run.MismatchError if the schema's settings or data are not those of want.
func (want *Record) Finished(dir string, k Kept) (bool, error) {
	if err := read(dir, want.Schema, k); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	r := k.Common()
	d := run.Differences(r.Settings, want.Settings)
	if r.Data != want.Data {
		d = append(d, run.Difference{Field: "data", Have: r.Data, Want: want.Data})
	}
	if len(d) > 0 {
		return false, &run.MismatchError{Folder: dir, Fields: d}
	}
	return !r.Unfinished && r.Whole(dir), nil
}

// Whole reports whether the models in dir are as they were written.
func (r *Record) Whole(dir string) bool {
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

// Names returns the files of the training, result.json last: where that is there, so are
// the others.
func (r *Record) Names() []string {
	var names []string
	for _, f := range r.Files {
		names = append(names, f.Name)
	}
	return append(names, ResultFile)
}

// OtherPrograms returns a warning if some of the trainings were computed by another
// program than this one.
func OtherPrograms(all []*Record) []string {
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
