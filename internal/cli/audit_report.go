package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"tattle/measure"
	"tattle/nn"
	"tattle/report"
	"tattle/run"
)

// unknown is a figure that was not measured.
var unknown = report.Number(math.NaN())

// describe says what was audited, how, and what came of it.
func (c *auditCmd) describe(r *report.Report, d *audited) {
	r.Title = report.AuditTitle(d.Sample)
	c.record(r, d)
	switch {
	case d.model != nil:
		r.Model = report.Model{Path: absolute(d.model.Path), SHA256: d.model.SHA256, Inputs: nn.Size(d.model.Graph.InputShape), Features: len(d.Sample.Classes)}
	case d.url != "":
		r.Model = report.Model{Path: d.url, Features: len(d.Sample.Classes)}
	}
	if d.examples != nil {
		r.Data = report.DataOf(d.examples.set, d.examples.source.Path, d.examples.part)
	} else {
		r.Data = report.Data{Name: d.Sample.Name, Path: d.path, SHA256: d.hash, GreyLevels: unknown}
	}
	r.Warnings = append(r.Warnings, d.Notes...)
}

// record writes into the settings what was asked for.
func (c *auditCmd) record(r *report.Report, d *audited) {
	note := func(key, value string) {
		if value != "" {
			r.Settings[key] = value
		}
	}
	note("door", strings.TrimPrefix(c.door(), "--"))
	r.Asked = &report.AuditRequest{Folds: c.Folds, Defences: d.Defences}
	note("target", c.Target)
	note("sensitive", strings.Join(c.Sensitive, " | "))
	note("scores", strings.Join(c.Scores, ","))
	note("reference scores", strings.Join(c.ReferenceScores, " | "))
	note("reference", c.Reference)
	if d.training != nil {
		note("references", strconv.Itoa(c.References))
		note("reference sha256", d.training.Train.Sum())
		note("reference epochs", strconv.Itoa(c.preparation(d).ReferenceEpochs()))
	}
	if d.examples != nil {
		note("part", d.examples.part)
		note("examples", c.Examples)
		note("kind", d.examples.source.Kind)
		note("data seed", strconv.FormatUint(d.examples.source.Seed, 10))
	}
	if d.model != nil {
		r.Reading = report.ReadingOf(d.model, measure.Inputs{})
	}
}

// write keeps what the audit was computed from, and renders it in every format, where
// CI wants it, too.
func (c *auditCmd) write(e *env, dir string, r *report.Report, d *audited) error {
	if err := d.Write(dir); err != nil {
		return err
	}
	var err error
	if r.Arrays, err = report.DigestsOf(dir, d.Files()); err != nil {
		return err
	}
	r.Checks = e.checks()
	elsewhere := c.writeElsewhere(r, d)
	if err := r.Save(dir); err != nil {
		return err
	}
	d.discard(dir)
	if err := c.show(e, dir, r); err != nil { // last, as whoever reads it may stop halfway
		return err
	}
	if elsewhere != nil {
		return hinted(elsewhere, "the report is in "+quote(dir))
	}
	return nil
}

// writeElsewhere writes what was asked for outside of the run's folder.
func (c *auditCmd) writeElsewhere(r *report.Report, d *audited) error {
	r.Rendered = map[string]string{}
	for _, f := range []struct {
		path  string
		write func(io.Writer) error
	}{{c.Markdown, r.WriteMarkdown}, {c.Sarif, r.WriteSARIF}, {c.JUnit, r.WriteJUnit}} {
		if f.path == "" {
			continue
		}
		if err := r.Render(f.path, absolute(f.path), f.write); err != nil {
			return err
		}
	}
	if c.Evidence == "" {
		return nil
	}
	if err := report.WriteEvidence(c.Evidence, report.Evidence{Report: r, Sample: d.Sample}); err != nil {
		return fmt.Errorf("--evidence: %w", unprefixed(err))
	}
	sums := filepath.Join(absolute(c.Evidence), report.EvidenceSums)
	hash, err := run.Digest(sums)
	if err == nil {
		r.Rendered[sums] = hash
	}
	return err
}

// checkPlaces finds early what would fail when all is done.
func (c *auditCmd) checkPlaces() error {
	for _, x := range []struct{ flag, path string }{{"sarif", c.Sarif}, {"junit", c.JUnit}, {"markdown", c.Markdown}} {
		if info, err := os.Stat(filepath.Dir(x.path)); x.path != "" && (err != nil || !info.IsDir()) {
			return usage(fmt.Errorf("--%s: there is no folder %s", x.flag, filepath.Dir(x.path)), "")
		}
		if info, err := os.Stat(x.path); x.path != "" && err == nil && !info.Mode().IsRegular() {
			return usage(fmt.Errorf("--%s: %s is no file", x.flag, x.path), "")
		}
	}
	files, err := os.ReadDir(c.Evidence)
	if c.Evidence != "" && (err != nil && !errors.Is(err, fs.ErrNotExist) || len(files) > 0 && !exists(filepath.Join(c.Evidence, manifestFile))) {
		return usage(fmt.Errorf("--evidence: %s holds other things than an evidence pack", c.Evidence), "choose a new folder")
	}
	return nil
}
