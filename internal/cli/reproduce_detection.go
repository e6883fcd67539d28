package cli

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"time"

	"tattle/audit"
	"tattle/internal/progress"
	"tattle/report"
	"tattle/run"
)

// detectionName is the study of what audits detect.
const detectionName = "detection"

// What a study leaves beside its report.
const (
	auditsFile = "audits.csv"
	studyFile  = "detection.md"
)

// detection audits classifiers of which it knows what they tell.
func (c *reproduceCmd) detection(ctx context.Context, e *env) error {
	if err := c.onlyStudy(); err != nil {
		return err
	}
	return c.in(ctx, e, c.Experiment, c.Resume, func(dir string) error {
		shards := filepath.Join(dir, shardsDir)
		if exists(shards) && !c.Resume {
			return usage(fmt.Errorf("--out %s: holds an interrupted run", dir), "go on with it by --resume, or choose another folder")
		}
		return e.unfinished(c.study(ctx, e, dir, shards), dir)
	})
}

// onlyStudy refuses the flags that the study has no use for.
func (c *reproduceCmd) onlyStudy() error {
	labels := c.Labels
	c.Labels = ""
	err := c.noFigure()
	c.Labels = labels
	if err == nil {
		err = c.noGrid()
	}
	switch {
	case err != nil:
		return err
	case c.Examples != "":
		return c.noUse("--examples")
	case c.Epochs != 0:
		return c.noUse("--epochs")
	case labels != "" && c.Data == "":
		return usage(errors.New("--labels needs --data, the folder of MNIST's pictures"), "tattle data info qmnist says where they come from")
	}
	return nil
}

// study runs it and reports.
func (c *reproduceCmd) study(ctx context.Context, e *env, dir, shards string) error {
	started := time.Now()
	bars := &progress.Phases{W: e.stderr}
	s, err := audit.RunStudy(ctx, shards, audit.StudyOptions{
		Seed: c.Seed, MNIST: c.Data, Labels: c.Labels, Quick: c.Quick, Resume: c.Resume, Pool: e.pool, Progress: bars.Set,
	})
	bars.Close()
	if err != nil {
		return err
	}
	r := newReport(e, "What audits detect", c.Seed)
	r.Study = s
	r.Conclude(report.StudyVerdict(s))
	r.Data = report.Data{Name: "glyphs", Examples: len(s.Audits)}
	if c.Data != "" {
		r.Data.Name, r.Data.Path = "glyphs and QMNIST", absolute(c.Data)
	}
	r.Figure = c.Experiment
	if err := run.WriteFile(filepath.Join(dir, auditsFile), func(w io.Writer) error { return writeAudits(w, s.Audits) }); err != nil {
		return err
	}
	if err := run.WriteFile(filepath.Join(dir, studyFile), s.Markdown); err != nil {
		return err
	}
	r.Timing["total"] = seconds(started)
	return c.finish(e, dir, r)
}

// writeAudits writes a line for each audit.
func writeAudits(w io.Writer, audits []audit.StudyAudit) error {
	out := csv.NewWriter(w)
	head := []string{"data", "trained", "outputs", "examples", "honest", "correlated", "honesty", "true_excess", "true_difference"}
	for _, with := range []string{"", "alone_"} {
		for _, column := range []string{"verdict", "excess", "low", "p", "smallest"} {
			head = append(head, with+column)
		}
	}
	out.Write(head)
	for _, a := range audits {
		line := []string{a.Data, a.Kind, string(a.Outputs), strconv.Itoa(a.Examples), strconv.FormatBool(a.Honest), strconv.FormatBool(a.Correlated),
			decimal(a.Honesty), decimal(a.TrueExcess), decimal(a.TrueDifference)}
		for _, v := range []audit.StudyVerdict{a.With, a.Without} {
			smallest := ""
			if v.Smallest != nil {
				smallest = decimal(*v.Smallest)
			}
			line = append(line, string(v.Verdict), decimal(v.Excess), decimal(v.Low), decimal(v.P), smallest)
		}
		out.Write(line)
	}
	out.Flush()
	return out.Error() // which Write's errors stay in
}

// decimal is a number to the last bit.
func decimal(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
