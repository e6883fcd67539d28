// Package pack writes and checks the folder that deploys a release: the models, the parameters of
// the noise, the certificate, and short programs that add the noise.
//
// Every file follows from guard.toml, the two models and CERTIFICATE.json, so Open checks the
// folder by writing it again and comparing the bytes. This finds damage and edits. It is not a
// signature: whoever can write to the folder can write another one. Compare with the run for that.
package pack

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/onnx"
	"tattle/internal/file"
	"tattle/internal/guard"
	"tattle/internal/guard/ledger"
	"tattle/internal/protect/lattice"
	"tattle/internal/report"
	"tattle/internal/run"
)

// The files of a pack.
const (
	SettingsFile        = "guard.toml"
	FrontFile           = "front.onnx" // inputs and noise to released integers
	headFile            = "head.onnx"  // released features, Δ times the integers, to scores
	certificateFile     = "CERTIFICATE.json"
	CertificatePageFile = "CERTIFICATE.html"
	pythonFile          = "release.py"
	goFile              = "release.go"
)

// Schema names the layout of a pack.
const Schema = "tattle/internal/guard/1"

//go:embed snippets/release.py
var pythonSnippet string

//go:embed snippets/release.go.txt
var goSnippet string

// A Pack is a release that can be deployed.
type Pack struct {
	Front, Head *nn.Graph
	Certificate *Certificate
}

// settings is guard.toml.
type settings struct {
	Schema  string           `toml:"schema"`
	Inputs  guard.Inputs     `toml:"inputs"`
	Lattice CertifiedLattice `toml:"lattice"`
	Budget  ledger.Budget    `toml:"budget"`
	Drift   struct {
		Allowance float64 `toml:"allowance"`
	} `toml:"drift"`
	Worst  []WorstCase       `toml:"worst_case,omitempty"`
	SHA256 map[string]string `toml:"sha256"`
}

// New returns a pack. It returns an error if the front does not have the features of the
// certificate's lattice, or if a model cannot be written.
func New(front, head *nn.Graph, c *Certificate) (*Pack, error) {
	p := &Pack{Certificate: c}
	encoded, err := c.encode(front)
	if err != nil {
		return nil, err
	}
	if p.Front, err = onnx.DecodeRelease(FrontFile, encoded); err != nil {
		return nil, err
	}
	if encoded, err = onnx.Encode(head); err != nil {
		return nil, err
	}
	if p.Head, err = onnx.Decode(headFile, encoded); err != nil {
		return nil, err
	}
	return p, p.check()
}

// check returns an error if the parts do not fit.
func (p *Pack) check() error {
	if err := p.Lattice().Check(); err != nil {
		return err
	}
	shapes, err := p.Front.Shapes()
	if err != nil {
		return err
	}
	dim := p.Certificate.Lattice.Dim
	if n := nn.Size(shapes[p.Front.Output]); n != dim {
		return fmt.Errorf("%s has %d features, and the certificate is for %d", FrontFile, n, dim)
	}
	if n := nn.Size(p.Head.InputShape); n != dim {
		return fmt.Errorf("%s takes %d features, and the certificate is for %d", headFile, n, dim)
	}
	return nil
}

// encode returns the file of a front.
func (c *Certificate) encode(front *nn.Graph) ([]byte, error) {
	l := lattice.Lattice(c.Lattice)
	return onnx.EncodeRelease(front, l.Delta, l.Box(), l.Ball)
}

// Lattice returns the parameters of the noise.
func (p *Pack) Lattice() lattice.Lattice { return lattice.Lattice(p.Certificate.Lattice) }

// Mechanism returns a name that is different for packs whose models or noise differ.
func (p *Pack) Mechanism() (string, error) {
	encoded, err := p.Certificate.encode(p.Front)
	if err != nil {
		return "", err
	}
	l, norm := p.Certificate.Lattice, ""
	if l.Ball {
		norm = " norm"
	}
	return fmt.Sprintf("%s {%v %v %v %v}%s", report.Digest(encoded), l.Delta, l.Sigma, l.Clip, l.Dim, norm), nil
}

// Files returns the contents of all files, by their names. The same pack gives the same bytes.
func (p *Pack) Files() (map[string][]byte, error) {
	l := p.Certificate.Lattice
	files := map[string][]byte{}
	var err error
	if files[FrontFile], err = p.Certificate.encode(p.Front); err != nil {
		return nil, err
	}
	if files[headFile], err = onnx.Encode(p.Head); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := p.Certificate.WriteJSON(&b); err != nil {
		return nil, err
	}
	files[certificateFile] = bytes.Clone(b.Bytes())
	b.Reset()
	if err := p.Certificate.WriteHTML(&b); err != nil {
		return nil, err
	}
	files[CertificatePageFile] = bytes.Clone(b.Bytes())
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	low, high := `float("-inf")`, `float("inf")`
	if b := p.Certificate.Inputs.Bounds(); b != nil {
		low, high = number(b[0]), number(b[1])
	}
	fill := strings.NewReplacer("{{delta}}", number(l.Delta), "{{sigma}}", number(l.Sigma), "{{clip}}", number(l.Clip), "{{norm}}", strconv.FormatBool(l.Ball), "{{Norm}}", map[bool]string{true: "True", false: "False"}[l.Ball], "{{features}}", strconv.Itoa(l.Dim),
		"{{scaling}}", p.Certificate.Inputs.Scaling, "{{layout}}", p.Certificate.Inputs.Layout, "{{low}}", low, "{{high}}", high,
		"{{budget}}", p.Certificate.BudgetInWords())
	files[pythonFile] = []byte(fill.Replace(pythonSnippet))
	files[goFile] = []byte(fill.Replace(goSnippet))
	files[SettingsFile], err = p.settings(files)
	return files, err
}

// settings returns guard.toml for the other files.
func (p *Pack) settings(files map[string][]byte) ([]byte, error) {
	c := p.Certificate
	s := settings{Schema: Schema, Inputs: c.Inputs, Lattice: c.Lattice, Budget: c.Budget, Worst: c.Worst, SHA256: map[string]string{}}
	s.Drift.Allowance = c.Drift
	for name, content := range files {
		s.SHA256[name] = report.Digest(content)
	}
	var b bytes.Buffer
	b.WriteString("# Written by tattle guard pack. The certificate is for exactly these values: to change one, make a new pack.\n" +
		"# A period of 0s has no end.\n")
	e := toml.NewEncoder(&b)
	e.Indent = ""
	err := e.Encode(s)
	return b.Bytes(), err
}

// Write writes the files into a folder, guard.toml last. If one cannot be written, it removes the
// others: a certificate never lies without its release.
func (p *Pack) Write(dir string) error {
	files, err := p.Files()
	if err != nil {
		return err
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(name string) bool { return name == SettingsFile })
	names = append(names, SettingsFile)
	for i, name := range names {
		if err := file.WriteBytes(filepath.Join(dir, name), files[name]); err != nil {
			for _, written := range names[:i] {
				os.Remove(filepath.Join(dir, written))
			}
			return err
		}
	}
	return nil
}

// Others returns the names in the folder of a pack that are no files of it.
func Others(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.Name() != SettingsFile && !slices.Contains(besides, e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// besides are the files of a pack besides guard.toml.
var besides = []string{FrontFile, headFile, certificateFile, CertificatePageFile, pythonFile, goFile}

// A MismatchError reports a file of a pack that is not what the others say.
type MismatchError struct {
	Path string
	Err  error
}

// Error names the file.
func (e *MismatchError) Error() string { return file.Name(e.Path) + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *MismatchError) Unwrap() error { return e.Err }

// Open reads the pack in a folder and checks that all of its files agree. It returns a
// MismatchError if they do not.
func Open(dir string) (*Pack, error) {
	document, err := file.ReadFile(filepath.Join(dir, SettingsFile))
	if err != nil {
		return nil, err
	}
	wrong := func(name string, err error) error { return &MismatchError{filepath.Join(dir, name), err} }
	var s settings
	if _, err := toml.Decode(string(document), &s); err != nil {
		return nil, wrong(SettingsFile, err)
	}
	if s.Schema != Schema {
		return nil, wrong(SettingsFile, fmt.Errorf("schema %q: must be %s", s.Schema, Schema))
	}
	found := map[string][]byte{SettingsFile: document}
	for _, name := range besides {
		content, err := file.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) {
			return nil, wrong(name, errors.New("the file is missing"))
		}
		if err != nil {
			return nil, err
		}
		if is := report.Digest(content); is != s.SHA256[name] {
			return nil, wrong(name, fmt.Errorf("SHA-256 is %s, and %s says %q", is, SettingsFile, s.SHA256[name]))
		}
		found[name] = content
	}
	c, err := ReadCertificate(found[certificateFile])
	if err != nil {
		return nil, wrong(certificateFile, err)
	}
	p := &Pack{Certificate: c}
	if p.Front, err = onnx.DecodeRelease(FrontFile, found[FrontFile]); err != nil {
		return nil, wrong(FrontFile, err)
	}
	if p.Head, err = onnx.Decode(headFile, found[headFile]); err != nil {
		return nil, wrong(headFile, err)
	}
	if err := p.check(); err != nil {
		return nil, wrong(certificateFile, err)
	}
	name, err := p.differs(found)
	if err != nil {
		return nil, wrong(name, err)
	}
	return p, nil
}

// differs returns the first file that is not as Files writes it, and an error that says so. Another
// version of tattle may have worded the page of the certificate otherwise.
func (p *Pack) differs(found map[string][]byte) (name string, err error) {
	files, err := p.Files()
	if err != nil {
		return SettingsFile, err
	}
	made := ""
	if v := p.Certificate.Version; v != report.ProgramVersion() {
		made = " in this version of tattle: use " + v + ", or make the pack again"
		delete(files, SettingsFile)
		files[CertificatePageFile] = found[CertificatePageFile]
		if files[SettingsFile], err = p.settings(files); err != nil {
			return SettingsFile, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !bytes.Equal(files[name], found[name]) {
			return name, fmt.Errorf("is not what follows from %s and the models%s", certificateFile, cmp.Or(made, run.Current().Caveat()))
		}
	}
	return "", nil
}

// Same returns a MismatchError if the pack in a folder is not this one.
func (p *Pack) Same(dir string) error {
	files, err := p.Files()
	if err != nil {
		return err
	}
	for _, name := range append(besides, SettingsFile) {
		path := filepath.Join(dir, name)
		found, err := file.ReadFile(path)
		if err != nil {
			return err
		}
		if !bytes.Equal(files[name], found) {
			return &MismatchError{path, errors.New("is not what the run gives")}
		}
	}
	return nil
}
