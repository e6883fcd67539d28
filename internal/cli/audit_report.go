package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"tattle/internal/report"
	"tattle/internal/reveal/audit"
)

// answersDir keeps what an endpoint answered, until the audit is done.
const answersDir = "answers"

// writeElsewhere writes what was asked for outside of the run's folder.
func (c *auditCmd) writeElsewhere(e *env, r *report.Report, res *audit.Result) error {
	r.Rendered = map[string]string{}
	for _, f := range []struct {
		path  string
		write func(io.Writer) error
	}{{c.Markdown, r.WriteMarkdown}, {c.Sarif, r.WriteSARIF}, {c.JUnit, r.WriteJUnit}} {
		if f.path == "" {
			continue
		}
		if err := r.Render(e.files.For(f.path), f.path, absolute(f.path), f.write); err != nil {
			return err
		}
	}
	if c.WriteBaseline != "" {
		entries := res.Acceptances("", "", time.Now().UTC().AddDate(0, 0, acceptedDays).Format(time.DateOnly)) // whose reasons and owners are still to be added
		if err := e.files.For(c.WriteBaseline).Write(c.WriteBaseline, func(w io.Writer) error { return audit.WriteAcceptances(w, entries) }); err != nil {
			return fmt.Errorf("--write-baseline: %w", err)
		}
	}
	return nil
}

// checkPlaces finds early what would fail when all is done.
func (c *auditCmd) checkPlaces() error {
	for _, x := range []struct{ flag, path string }{{"sarif", c.Sarif}, {"junit", c.JUnit}, {"markdown", c.Markdown}, {"write-baseline", c.WriteBaseline}} {
		if info, err := os.Stat(filepath.Dir(x.path)); x.path != "" && (err != nil || !info.IsDir()) {
			return usage(fmt.Errorf("--%s: there is no folder %s", x.flag, filepath.Dir(x.path)), "")
		}
		if info, err := os.Stat(x.path); x.path != "" && err == nil && !info.Mode().IsRegular() {
			return usage(fmt.Errorf("--%s: %s is not a file", x.flag, x.path), "")
		}
		if name := filepath.Base(x.path); c.Out != "" && absolute(filepath.Dir(x.path)) == absolute(c.Out) && slices.Contains([]string{reportJSON, reportHTML, runFile, "outputs.npz", "planted.npz", audit.TrainedFile}, name) {
			return usage(fmt.Errorf("--%s: the run itself writes %s", x.flag, x.path), "name another file")
		}
	}
	return nil
}

// accepted reads the file of accepted findings, nil if none is given.
func (c *auditCmd) accepted() (*audit.Accepted, error) {
	if c.Baseline == "" {
		return nil, nil
	}
	entries, err := audit.ReadAcceptances(c.Baseline)
	if err != nil {
		return nil, usage(fmt.Errorf("--baseline: %w", err), "tattle audit --write-baseline FILE makes one; docs/audit-ci.md explains the keys")
	}
	return &audit.Accepted{Day: time.Now().UTC().Format(time.DateOnly), Entries: entries}, nil
}

// acceptedDays is how long an entry of --write-baseline holds.
const acceptedDays = 90
