package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"tattle/bound"
	"tattle/nn"
	"tattle/report"
)

// certificates computes them again.
func (c *verifyCmd) certificates(e *env, dir string, r *report.Report, m *measurement, front *nn.Net) ([]string, error) {
	bar := newMeter(e.stderr, "verifying", int64(r.Data.Examples), false)
	defer bar.close()
	claims := bound.Claims{Arrays: filepath.Join(dir, filepath.Base(r.Arrays[0].File)), SHA256: r.Arrays[0].SHA256, Summaries: certified(r)}
	var source bound.Source
	if m.data != nil {
		source = m.data
	}
	found, err := bound.Verify(e.ctx, front, source, m.experiment, claims, func(done, total int) { bar.set(int64(done), int64(total)) })
	var lines []string
	for _, d := range found {
		lines = append(lines, d.String())
	}
	return lines, err
}

// certified are the rows of a report that its arrays of bounds prove; the others
// are assumed.
func certified(r *report.Report) []bound.Summary {
	return slices.DeleteFunc(slices.Clone(r.Bounds), func(b bound.Summary) bool { return b.Status == bound.StatusAssumed })
}

// derived checks what the report draws from the arrays: rank, resolvable
// directions, histograms, attacks, the bracket, the verdict; gallery and pairs where
// the data are there.
func derived(r *report.Report, dir string, m *measurement) ([]string, error) {
	res, err := bound.Load(filepath.Join(dir, filepath.Base(r.Arrays[0].File)), m.experiment)
	if err != nil {
		return []string{err.Error()}, nil
	}
	m.indices = res.Indices
	fresh := &report.Report{Model: r.Model, Data: r.Data, Release: r.Release, Bounds: slices.Clone(res.Summaries)}
	var lines []string
	if len(res.Indices) != r.Data.Examples {
		lines = append(lines, fmt.Sprintf("examples: recorded %d, in the arrays %d", r.Data.Examples, len(res.Indices)))
	}
	c, err := attacked(r, dir, m)
	if err != nil {
		return nil, err
	}
	if c != nil {
		lines = append(lines, c.assumed(r, m.experiment.Coordinates, m.experiment.Band)...)
		c.record(fresh, m.experiment.Coordinates, m.experiment.Band)
	}
	for _, b := range r.Bounds {
		if b.Status == bound.StatusAssumed {
			fresh.Bounds = append(fresh.Bounds, b)
		}
	}
	if r.Bracket != nil {
		fresh.Bracket = bracket(fresh, res, c, m.experiment.Coordinates)
	}
	figures(fresh, res)
	if m.data != nil {
		fresh.Data.GreyLevels = describe(m.data, "", "").GreyLevels
		if err := m.show(fresh, res, nil); err != nil {
			return nil, err
		}
	}
	fresh.Verdict = verdict(fresh)
	if len(r.Published) > 0 {
		if err := published(fresh, r, dir, res); err != nil {
			return nil, err
		}
	}
	if len(r.Ladder) > 0 {
		if err := ladderAgain(fresh, dir, res); err != nil {
			return nil, err
		}
	}
	return append(lines, report.Differences(r, fresh)...), nil
}

// attacked loads what the attacks reached, nil where none ran.
func attacked(r *report.Report, dir string, m *measurement) (*ceilings, error) {
	kept, ok := keptFile(r, attacksFile)
	if !ok {
		return nil, nil
	}
	if err := unchanged(dir, kept); err != nil {
		return nil, err
	}
	c, err := loadCeilings(filepath.Join(dir, attacksFile), r, m.experiment.Coordinates.Len())
	if err != nil {
		return nil, finding(err, "")
	}
	return c, nil
}

// published draws again what a reproduction sets beside the paper's figures.
func published(fresh, r *report.Report, dir string, ours *bound.Result) error {
	f, named := figuresOfA[r.Settings[figureSetting]]
	if !named {
		f = figuresOfA["figure1"]
	}
	fresh.Utility = r.Utility
	if len(f.peaks()) == 0 {
		all, err := furtherAgain(dir, f, ours)
		compareFigure(fresh, f, all)
		fresh.Utility = report.Utility{} // compared by itself
		return err
	}
	compareAccuracy(fresh, f)
	fresh.Utility = report.Utility{}
	if len(ours.Sizes) != len(publishedPeaks) || len(r.Published) == len(fresh.Published) {
		return nil
	}
	sub := filepath.Join(dir, publishedDir)
	if !exists(filepath.Join(sub, reportJSON)) {
		comparePeaks(fresh, ours, nil)
		return nil
	}
	theirs, err := bound.Load(filepath.Join(sub, arraysFile), alone(ours.Experiment))
	if err != nil {
		return err
	}
	if len(theirs.Indices) > len(ours.Indices) {
		return finding(fmt.Errorf("%s: more examples than the run beside it", sub), "")
	}
	comparePeaks(fresh, ours, theirs)
	return nil
}

// utilities measures noise and accuracies again.
func utilities(e *env, r *report.Report, m *measurement, s *sides, dir string) ([]string, error) {
	fresh := &report.Report{}
	if err := m.measure(e, fresh, s, dir); err != nil {
		return nil, err
	}
	if !m.bare() && s.whole == nil { // the model is not there
		fresh.Utility.CleanAccuracy, fresh.Utility.CleanInterval = r.Utility.CleanAccuracy, r.Utility.CleanInterval
	}
	was := &report.Report{Utility: r.Utility, Release: r.Release} // the rest is no business of these
	return report.Differences(was, fresh), nil
}
