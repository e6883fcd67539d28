package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// manifestName is the file that says what run a folder holds.
const manifestName = "manifest.json"

// manifestSchema is the version of that file.
const manifestSchema = "tattle run 1"

// Manifest says what a run computes. Two runs with equal manifests compute the
// same, so that either may go on with the shards of the other.
type Manifest struct {
	Command  string            `json:"command"`          // such as "bound"
	Shards   int               `json:"shards"`           // how many there are to do
	Settings any               `json:"settings"`         // all that decides the outcome: encodes as a JSON object
	Hashes   map[string]string `json:"hashes,omitempty"` // SHA-256 of the inputs by role, such as "model"
}

// MismatchError reports that a folder holds another run than the one wanted.
type MismatchError struct {
	Folder string
	Fields []Difference
}

// Difference is one field in which two manifests differ.
type Difference struct {
	Field      string // such as "settings.sigma"
	Have, Want string // as JSON; "nothing" where the field is missing
}

// Error names every field that differs.
func (e *MismatchError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s holds another run: ", e.Folder)
	for i, d := range e.Fields {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s is %s there and %s here", d.Field, d.Have, d.Want)
	}
	b.WriteString("; resume with the same settings or name another folder")
	return b.String()
}

// written is a Manifest as the file has it.
type written struct {
	Schema string `json:"schema"`
	Manifest
}

func (m Manifest) encode() ([]byte, error) {
	if m.Shards < 0 {
		return nil, fmt.Errorf("manifest: %d shards", m.Shards)
	}
	data, err := json.MarshalIndent(written{manifestSchema, m}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	return append(data, '\n'), nil
}

// decodeFields checks that data is a manifest, known fields only, and returns
// them by name.
func decodeFields(data []byte) (map[string]any, error) {
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	var w written
	if err := strict.Decode(&w); err != nil {
		return nil, err
	}
	if _, err := strict.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the manifest")
	}
	if w.Schema != manifestSchema {
		return nil, fmt.Errorf("schema %q, not %q", w.Schema, manifestSchema)
	}
	exact := json.NewDecoder(bytes.NewReader(data))
	exact.UseNumber()
	var fields map[string]any
	if err := exact.Decode(&fields); err != nil {
		return nil, err
	}
	return fields, nil
}

// check compares the manifest in dir with m.
func (m Manifest) check(dir string) error {
	path := filepath.Join(dir, manifestName)
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s holds no run to resume: it has no %s", dir, manifestName)
	}
	if err != nil {
		return fmt.Errorf("resume: %w", err)
	}
	have, err := decodeFields(data)
	if err != nil {
		return fmt.Errorf("%s is not a manifest (%w): name another folder", path, err)
	}
	data, err = m.encode()
	if err != nil {
		return err
	}
	want, err := decodeFields(data)
	if err != nil {
		return err
	}
	if d := differences("", have, want); len(d) > 0 {
		return &MismatchError{dir, d}
	}
	return nil
}

// differences lists the fields in which two decoded JSON values differ.
func differences(field string, have, want any) []Difference {
	h, ok1 := have.(map[string]any)
	w, ok2 := want.(map[string]any)
	if !ok1 || !ok2 {
		if a, b := compact(have), compact(want); a != b {
			return []Difference{{field, a, b}}
		}
		return nil
	}
	keys := maps.Clone(h)
	maps.Copy(keys, w)
	var d []Difference
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		name := strings.TrimPrefix(field+"."+k, ".")
		hv, inHave := h[k]
		wv, inWant := w[k]
		switch {
		case !inHave:
			d = append(d, Difference{name, "nothing", compact(wv)})
		case !inWant:
			d = append(d, Difference{name, compact(hv), "nothing"})
		default:
			d = append(d, differences(name, hv, wv)...)
		}
	}
	return d
}

func compact(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}
