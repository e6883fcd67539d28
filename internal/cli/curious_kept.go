package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"tattle/curious"
	"tattle/internal/file"
	"tattle/report"
	"tattle/run"
)

// A training is kept as a folder: the models and, written last, result.json. That has
// no times and no paths of this machine, so that equal trainings are equal bytes.
const (
	resultFile = "result.json"
	sourceFile = "source.json" // beside it: what the data were read from on this machine
)

// trained is what the result.json of every training has in common.
type trained struct {
	Schema     string            `json:"schema"`
	SHA256     string            `json:"result_sha256"` // of result.json with "" in this place
	Program    run.Program       `json:"program"`       // that trained
	Settings   map[string]string `json:"settings"`      // with another one it is another training
	Data       string            `json:"data_sha256"`   // of the three parts
	Examples   int               `json:"examples"`      // trained on
	Epochs     []curious.Epoch   `json:"epochs"`
	Best       int               `json:"best"`
	Files      []report.Arrays   `json:"files"`                // the models
	Failed     string            `json:"failed,omitempty"`     // why there are none
	Unfinished bool              `json:"unfinished,omitempty"` // interrupted: the best of the epochs completed
}

// A result is what result.json says of one kind of training.
type result interface{ common() *trained }

func (k *trained) common() *trained { return k }

// keep notes the digests of the models, files below dir, and writes result.json.
func keep(dir string, r result, models []string) error {
	k := r.common()
	k.Program, k.Files = run.Current(), nil
	for _, name := range slices.Sorted(slices.Values(models)) {
		hash, err := run.Digest(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		k.Files = append(k.Files, report.Arrays{File: name, SHA256: hash})
	}
	k.SHA256 = ""
	var b bytes.Buffer
	if err := indented(&b, r); err != nil {
		return err
	}
	k.SHA256 = run.ManifestDigest(b.Bytes())
	text := bytes.Replace(b.Bytes(), resultDigest(""), resultDigest(k.SHA256), 1)
	return run.WriteFile(filepath.Join(dir, resultFile), func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// resultDigest returns the field of result.json that holds a digest.
func resultDigest(digest string) []byte { return fmt.Appendf(nil, `"result_sha256": %q`, digest) }

// indented writes JSON that people can read.
func indented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "\t")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// read reads the result.json of dir into r, which must be of that schema.
func read(dir, schema string, r result) error {
	path := filepath.Join(dir, resultFile)
	b, err := file.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, r); err != nil {
		return hinted(fmt.Errorf("%s: %w", path, err), "delete it: the training is then done again")
	}
	k := r.common()
	if k.Schema != schema {
		return hinted(fmt.Errorf("%s: not a result of this version of tattle", path), "delete it: the training is then done again")
	}
	if run.ManifestDigest(bytes.Replace(b, resultDigest(k.SHA256), resultDigest(""), 1)) != k.SHA256 {
		return hinted(fmt.Errorf("%s: was changed since it was written", path), "delete it: the training is then done again")
	}
	return nil
}

// finished reads into r what is in dir of the training that want tells of: false where
// there is nothing, where it was interrupted or its models have changed since. It errs
// where the folder is another training's.
func (want *trained) finished(dir string, r result) (bool, error) {
	if err := read(dir, want.Schema, r); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	was := r.common()
	d := differences(was.Settings, want.Settings)
	if was.Data != want.Data {
		d = append(d, run.Difference{Field: "data", Have: was.Data, Want: want.Data})
	}
	if len(d) > 0 {
		return false, &run.MismatchError{Folder: dir, Fields: d}
	}
	return !was.Unfinished && was.whole(dir), nil
}

// whole says whether the models are there as they were written.
func (k *trained) whole(dir string) bool {
	for _, f := range k.Files {
		name, err := filepath.Localize(f.File)
		if err != nil {
			return false
		}
		if hash, err := run.Digest(filepath.Join(dir, name)); err != nil || hash != f.SHA256 {
			return false
		}
	}
	return len(k.Files) > 0 || k.Failed != ""
}

// names has the files of the training, result.json last: where that is there, so are
// the others.
func (k *trained) names() []string {
	var names []string
	for _, f := range k.Files {
		names = append(names, f.File)
	}
	return append(names, resultFile)
}

// foreign warns of trainings, of so many, that another program made.
func foreign(all []*trained) []string {
	var others []string
	n := 0
	for _, k := range all {
		if k.Program == run.Current() {
			continue
		}
		n++
		if said := fmt.Sprintf("%s on %s", k.Program.Version, k.Program.Kernels); !slices.Contains(others, said) {
			others = append(others, said)
		}
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d of %d trainings were made by another version of tattle, or on other kernels (%s): with this one their figures may differ.", n, len(all), strings.Join(others, ", "))}
}
