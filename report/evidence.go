package report

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tattle/audit"
	"tattle/internal/file"
	"tattle/run"
)

// evidenceSchema names the layout of an evidence pack's manifest.
const evidenceSchema = "tattle/evidence/2"

// Files of an evidence pack: the digests of the others, and what was audited by what.
const (
	EvidenceSums     = "SHA256SUMS"
	EvidenceManifest = "manifest.json"
)

// evidenceOutputs is the file of an evidence pack with the outputs and labels.
const evidenceOutputs = "outputs.npz"

// Evidence is what an evidence pack is made of.
type Evidence struct {
	Report *Report       // with an audit, fresh from audit.Run: what was read from a file has no guesses
	Sample *audit.Sample // that was audited
}

// evidenceFiles say what each file is about, in the order they are written.
var evidenceFiles = []struct {
	name, about string
	write       func(*Evidence, io.Writer) error
}{
	{"report.json", "every figure, without times; of the arrays that it lists, outputs.npz is here, the others are in the folder of the run", func(e *Evidence, w io.Writer) error { return e.Report.WriteJSON(w) }},
	{"audit.md", "the audit for people", func(e *Evidence, w io.Writer) error { return e.Report.WriteMarkdown(w) }},
	{"controls.json", "audits of what is known to be clean, and curious", func(e *Evidence, w io.Writer) error { return writeIndented(w, e.Report.Audit.Controls) }},
	{"examples.csv", "every example: fold, labels, and what the chosen attack guessed without having seen it", (*Evidence).writeExamples},
	{evidenceOutputs, "the outputs and labels that were audited", nil},
}

// WriteEvidence writes an evidence pack as the folder dir: whole or not at all. The
// same audit gives the same bytes wherever it is written: there are no times in it,
// and of paths their last part. It replaces an older pack, and returns an error if dir holds
// anything else.
func WriteEvidence(dir string, e Evidence) error {
	if err := e.check(); err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	e.Report = e.Report.placeless()
	dir, err := packPlace(dir)
	if err != nil {
		return err
	}
	beside, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+".*.tmp")
	if err != nil {
		return fmt.Errorf("evidence beside %s: %w", file.Name(dir), file.Cause(err))
	}
	defer os.RemoveAll(beside) // a folder of our own making, gone once it has its name
	if err := e.writeAll(beside); err != nil {
		return fmt.Errorf("evidence: %w", err)
	}
	if err = os.Chmod(beside, 0o755); err == nil {
		err = os.RemoveAll(dir) // an older pack
	}
	if err == nil {
		err = os.Rename(beside, dir)
	}
	if err != nil {
		return fmt.Errorf("evidence in %s: %w", file.Name(dir), file.Cause(err))
	}
	return nil
}

func (e *Evidence) check() error {
	switch {
	case e.Report == nil || e.Report.Audit == nil:
		return errNoAudit
	case e.Sample == nil:
		return errors.New("the sample that was audited is missing")
	}
	a := e.Report.Audit
	if n := e.Sample.Len(); n != a.Examples || len(a.Findings) != len(e.Sample.Sensitive) {
		return fmt.Errorf("the audit is of %d examples and %d attributes, the sample has %d and %d: give the one that was audited", a.Examples, len(a.Findings), n, len(e.Sample.Sensitive))
	}
	if sum := e.Sample.Sum(); a.SHA256 != "" && sum != a.SHA256 {
		return fmt.Errorf("the audit is of a sample with sha256 %s, this one has %s: give the one that was audited", a.SHA256, sum)
	}
	return nil
}

// writeAll fills the folder, the manifest after what it lists, the sums last.
func (e *Evidence) writeAll(dir string) error {
	var files []packFile
	for _, f := range evidenceFiles {
		path := filepath.Join(dir, f.name)
		var err error
		if f.write == nil {
			err = audit.WriteOutputs(path, e.Sample)
		} else {
			err = file.Write(path, func(w io.Writer) error { return f.write(e, w) })
		}
		if err != nil {
			return err
		}
		sum, err := run.Digest(path)
		if err != nil {
			return err
		}
		files = append(files, packFile{f.name, f.about, sum})
	}
	m, err := e.manifest(files)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, EvidenceManifest)
	if err := file.Write(path, func(w io.Writer) error { return writeIndented(w, m) }); err != nil {
		return err
	}
	sum, err := run.Digest(path)
	if err != nil {
		return err
	}
	return file.WriteBytes(filepath.Join(dir, EvidenceSums), sums(append(files, packFile{Name: EvidenceManifest, SHA256: sum})))
}

// sums lists files as `sha256sum -c` reads them.
func sums(files []packFile) []byte {
	slices.SortFunc(files, func(a, b packFile) int { return strings.Compare(a.Name, b.Name) })
	var list []byte
	for _, f := range files {
		list = fmt.Appendf(list, "%s  %s\n", f.SHA256, f.Name)
	}
	return list
}

// placeless is the report without what depends on where and when it ran.
func (r *Report) placeless() *Report {
	x, a := *r, *r.Audit
	x.Audit, x.Timing, x.Rendered = &a, map[string]Number{}, nil
	for _, s := range []*string{&x.Model.Path, &x.Data.Name, &x.Data.Path, &a.Sample} {
		*s = lastPart(*s)
	}
	x.Title, x.Command = lastParts(x.Title), lastParts(x.Command)
	x.Command = destinations.ReplaceAllString(x.Command, "")
	x.Warnings, x.Data.Notes, a.Notes, a.Warnings = lastPartsOf(r.Warnings), lastPartsOf(r.Data.Notes), lastPartsOf(a.Notes), lastPartsOf(a.Warnings)
	x.Settings = maps.Clone(r.Settings)
	for k, v := range x.Settings {
		x.Settings[k] = lastParts(v)
	}
	delete(x.Settings, "evidence")
	delete(x.Settings, "out")
	return &x
}
