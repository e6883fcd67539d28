package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tattle/audit"
	"tattle/nn"
	"tattle/report"
	"tattle/run"
)

// The files that an audit leaves beside report.json and report.html.
const (
	outputsFile   = "outputs.npz"
	markdownFile  = "report.md"
	sarifFile     = "report.sarif"
	junitFile     = "report.junit.xml"
	modelCardFile = "model-card.md"
)

// Where a report of an audit keeps, among its settings, what verify needs.
const (
	failOnSetting   = "fail on"
	defencesSetting = "defences"
	trainedSetting  = "trained for it"
)

// describe says what was audited, how, and what came of it.
func (c *auditCmd) describe(r *report.Report, d *audited, res *audit.Result) {
	names := make([]string, len(d.sample.Sensitive))
	for i, a := range d.sample.Sensitive {
		names[i] = a.Name
	}
	r.Title = fmt.Sprintf("Audit of %s: does it tell %s?", d.sample.Target, strings.Join(names, ", "))
	c.record(r, d)
	switch {
	case d.model != nil:
		r.Model = report.Model{Path: absolute(d.model.path), SHA256: d.model.hash, Inputs: nn.Size(d.model.graph.InputShape), Features: len(d.sample.Classes)}
	case d.url != "":
		r.Model = report.Model{Path: d.url, Features: len(d.sample.Classes)}
	}
	if d.examples != nil {
		r.Data = describe(d.examples.set, d.examples.source.Path, d.examples.part)
	} else {
		r.Data = report.Data{Name: d.sample.Name, Path: d.path, SHA256: d.hash, GreyLevels: unknown}
	}
	r.Warnings = append(r.Warnings, d.notes...)
	r.FillAudit(res)
}

// record writes into the settings what was asked for.
func (c *auditCmd) record(r *report.Report, d *audited) {
	note := func(key, value string) {
		if value != "" {
			r.Settings[key] = value
		}
	}
	note("door", strings.TrimPrefix(c.door(), "--"))
	note(failOnSetting, c.FailOn)
	note(defencesSetting, strconv.FormatBool(d.defences))
	note("target", c.Target)
	note("sensitive", strings.Join(c.Sensitive, " | "))
	note("scores", strings.Join(c.Scores, ","))
	note("reference scores", strings.Join(c.ReferenceScores, " | "))
	note("reference", c.Reference)
	if d.training != nil {
		note("references", strconv.Itoa(c.References))
		note("reference epochs", strconv.Itoa(c.ReferenceEpochs))
	}
	if d.examples != nil {
		note("part", d.examples.part)
		note("examples", c.Examples)
		note("kind", d.examples.source.Kind)
		note("data seed", strconv.FormatUint(d.examples.source.Seed, 10))
	}
	if d.model != nil {
		d.model.record(r)
	}
}

// write keeps what the audit was computed from and renders it in every format.
func (c *auditCmd) write(dir string, r *report.Report, d *audited) error {
	if err := d.keep(dir, r); err != nil {
		return err
	}
	formats := []struct {
		name, also string
		write      func(io.Writer) error
	}{
		{markdownFile, c.Markdown, r.WriteMarkdown}, {sarifFile, c.Sarif, r.WriteSARIF},
		{junitFile, c.JUnit, r.WriteJUnit}, {modelCardFile, "", r.WriteModelCard},
	}
	for _, f := range formats {
		for _, path := range []string{filepath.Join(dir, f.name), f.also} {
			if path == "" {
				continue
			}
			if err := run.WriteFile(path, f.write); err != nil {
				return hinted(err, "")
			}
		}
	}
	if c.Evidence == "" {
		return nil
	}
	if err := report.WriteEvidence(c.Evidence, report.Evidence{Report: r, Sample: d.sample}); err != nil {
		return hinted(fmt.Errorf("--evidence: %w", err), "")
	}
	return nil
}

// keep writes the outputs that the figures are a function of, and notes their digests.
func (d *audited) keep(dir string, r *report.Report) error {
	files := []kept{{outputsFile, d.sample}}
	for i, s := range d.references {
		files = append(files, kept{referenceFile(i), s})
	}
	if d.planted != nil {
		files = append(files, kept{plantedFile, d.planted.Sample})
	}
	for i, x := range d.released {
		files = append(files, kept{defenceFile(i), x.Sample})
	}
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		if err := audit.WriteOutputs(path, f.sample); err != nil {
			return err
		}
		hash, err := run.Digest(path)
		if err != nil {
			return err
		}
		r.Arrays = append(r.Arrays, report.Arrays{File: f.name, SHA256: hash})
	}
	return nil
}

// kept is a sample and the file that keeps it.
type kept struct {
	name   string
	sample *audit.Sample
}

const plantedFile = "planted.npz"

func referenceFile(i int) string { return fmt.Sprintf("reference-%d.npz", i+1) }
func defenceFile(i int) string   { return fmt.Sprintf("defence-%d.npz", i+1) }

var _ = slices.Clone[[]int]
