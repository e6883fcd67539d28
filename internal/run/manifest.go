package run

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tattle/internal/file"
)

// ManifestName is the file that says what run a folder holds.
const ManifestName = "manifest.json"

// digestName is the file with the SHA-256 of the manifest.
const digestName = "manifest.sha256"

// manifestSchema is the version of that file; those of other versions begin alike.
const (
	manifestSchema = "tattle run 2"
	manifestFamily = "tattle run "
)

// manifestSize is the most that a manifest may hold.
const manifestSize = 64 << 20

// Manifest says what a run computes. Two runs with equal manifests compute the
// same, so that either may go on with the shards of the other.
type Manifest struct {
	Command  string            `json:"command"`          // such as "bound"
	Shards   int               `json:"shards"`           // how many there are to do
	Settings any               `json:"settings"`         // all that decides the outcome: encodes as a JSON object
	Hashes   map[string]string `json:"hashes,omitempty"` // SHA-256 of the inputs by role, such as "model"
	Program  Program           `json:"program"`          // what computes; the zero Program is the one that is running
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

// Limits of a MismatchError's text: fields, where more than one would be left out, and bytes of a value.
const (
	namedFields = 4
	namedBytes  = 60
)

// Error names the fields that differ, those with short values first.
func (e *MismatchError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s holds another run: ", e.Folder)
	fields := slices.Clone(e.Fields)
	length := func(d Difference) int { return max(len(d.Have), len(d.Want), namedBytes) }
	slices.SortStableFunc(fields, func(a, b Difference) int { return length(a) - length(b) })
	for i, d := range fields {
		if i > 0 {
			b.WriteString(", ")
		}
		if i == namedFields && len(fields) > i+1 {
			fmt.Fprintf(&b, "and %d more settings differ", len(fields)-i)
			break
		}
		fmt.Fprintf(&b, "%s is %s there and %s here", d.Field, abridged(d.Have), abridged(d.Want))
	}
	with := "settings"
	if slices.ContainsFunc(e.Fields, func(d Difference) bool { return strings.HasPrefix(d.Field, "program.") }) {
		with = "program"
	}
	fmt.Fprintf(&b, "; resume with the same %s or name another folder", with)
	return b.String()
}

// abridged is the beginning of a long value.
func abridged(value string) string {
	if len(value) <= namedBytes {
		return value
	}
	return strings.ToValidUTF8(value[:namedBytes], "") + "…"
}

// Differences returns the settings in which a run differs from the one that is wanted,
// sorted by name.
func Differences(have, want map[string]string) []Difference {
	all := maps.Collect(maps.All(have))
	maps.Copy(all, want)
	var out []Difference
	for _, k := range slices.Sorted(maps.Keys(all)) {
		if have[k] != want[k] {
			out = append(out, Difference{Field: k, Have: cmp.Or(have[k], "nothing"), Want: cmp.Or(want[k], "nothing")})
		}
	}
	return out
}

// written is a Manifest as the file has it.
type written struct {
	Schema string `json:"schema"`
	Manifest
}

// Encode returns the manifest as its file has it.
func (m Manifest) Encode() ([]byte, error) {
	if m.Program == (Program{}) {
		m.Program = Current()
	}
	if m.Shards < 0 {
		return nil, fmt.Errorf("manifest: %d shards", m.Shards)
	}
	data, err := json.MarshalIndent(written{manifestSchema, m}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	return append(data, '\n'), nil
}

// shardsIn returns how many shards a manifest is of, whatever else it says.
func shardsIn(data []byte) (int, error) {
	var m struct {
		Schema string `json:"schema"`
		Shards int    `json:"shards"`
	}
	err := json.Unmarshal(data, &m)
	switch {
	case m.Schema != "" && m.Schema != manifestSchema || err == nil && m.Schema == "":
		return 0, fmt.Errorf("schema %.64q, not %q: another version of tattle began it", m.Schema, manifestSchema)
	case err == nil && m.Shards < 0:
		err = fmt.Errorf("%d shards", m.Shards)
	}
	return m.Shards, err
}

// decodeFields checks that data is a manifest, known fields only, and returns
// it and its fields by name.
func decodeFields(data []byte) (m Manifest, fields map[string]any, err error) {
	if _, err := shardsIn(data); err != nil {
		return m, nil, err
	}
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	var w written
	if err := strict.Decode(&w); err != nil {
		return m, nil, err
	}
	if _, err := strict.Token(); !errors.Is(err, io.EOF) {
		return m, nil, errors.New("something follows the manifest")
	}
	exact := json.NewDecoder(bytes.NewReader(data))
	exact.UseNumber()
	err = exact.Decode(&fields)
	return w.Manifest, fields, err
}

// Check returns an error if dir holds no manifest, one that was changed since the run
// began, or, with a *MismatchError, that of another run than m. It reads nothing else.
func (m Manifest) Check(dir string) error {
	data, err := ReadManifest(dir)
	if err != nil {
		return err
	}
	return m.same(dir, data)
}

// same compares m with the manifest of dir.
func (m Manifest) same(dir string, data []byte) error {
	_, have, err := decodeFields(data)
	if err != nil {
		return fmt.Errorf("%s is not a manifest (%w): name another folder", filepath.Join(dir, ManifestName), err)
	}
	data, err = m.Encode()
	if err != nil {
		return err
	}
	_, want, err := decodeFields(data)
	if err != nil {
		return err
	}
	d := slices.DeleteFunc(differences("", have, want), func(d Difference) bool {
		return d.Field == "program.executable" && (d.Have == "nothing" || d.Want == "nothing") // it is not known
	})
	if len(d) > 0 {
		return &MismatchError{dir, d}
	}
	return nil
}

// ReadManifest returns the manifest in a folder, byte by byte. It returns an error if there is
// none and if it was changed since it was written.
func ReadManifest(dir string) ([]byte, error) {
	path := filepath.Join(dir, ManifestName)
	data, err := readSmall(path, manifestSize)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s holds no run to resume: it has no %s", dir, ManifestName)
	}
	if err != nil {
		return nil, fmt.Errorf("resume: %w", err)
	}
	sum, err := readSmall(filepath.Join(dir, digestName), recordSize)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("resume: %w", err)
	}
	if found := ManifestDigest(data); len(sum) > 0 && string(sum) != digestOf(data) {
		was, _, _ := strings.Cut(string(sum), " ")
		return nil, &ChangedError{path, found, was}
	}
	if _, err := shardsIn(data); err != nil {
		return nil, fmt.Errorf("%s is not a manifest (%w): name another folder", path, err)
	}
	if len(sum) == 0 {
		return nil, fmt.Errorf("%s has no digest beside it: %s is missing; name another folder", path, digestName)
	}
	return data, nil
}

// A ChangedError says that a manifest is not what it was when its run began.
type ChangedError struct {
	Path       string
	Found, Was string // SHA-256, as it is and as it was
}

// Error names both digests and the fix.
func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s was changed since the run began: its SHA-256 is %s and was %.64q; put it back, or name another folder", e.Path, e.Found, e.Was)
}

// ManifestDigest returns the SHA-256 of a manifest.
func ManifestDigest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// digestOf is what the file beside a manifest says.
func digestOf(data []byte) string { return ManifestDigest(data) + "  " + ManifestName + "\n" }

// WriteManifest writes a manifest into a folder, which it makes where there is none,
// after its digest.
func WriteManifest(files *file.Dir, dir string, data []byte) error {
	if err := files.MkdirAllSynced(dir); err != nil {
		return fmt.Errorf("start a run: %w", err)
	}
	for _, f := range []struct{ name, text string }{{digestName, digestOf(data)}, {ManifestName, string(data)}} {
		err := files.WriteBytes(filepath.Join(dir, f.name), []byte(f.text))
		if err != nil {
			return err
		}
	}
	return nil
}

// ParseManifest reads what WriteManifest wrote.
func ParseManifest(data []byte) (Manifest, error) {
	m, _, err := decodeFields(data)
	return m, err
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
