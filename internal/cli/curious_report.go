package cli

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"tattle/classify"
	"tattle/curious"
	"tattle/dataset"
	"tattle/report"
	"tattle/run"
)

// curiousReport is the report of trainings that differ in their seed: the first
// one's figures in full, the others' beside them.
func curiousReport(ctx context.Context, e *env, dir string, runs []seedRun, results []*seedResult, parts *dataset.Parts) (*report.Report, error) {
	r := newReport(e, curiousTitle(parts.Train), runs[0].options.Seed)
	first := results[0]
	at, err := filepath.Rel(dir, seedDir(dir, runs, 0))
	if err != nil {
		return nil, err
	}
	if err := describeCurious(ctx, e, r, dir, at, runs[0], first, parts); err != nil {
		return nil, err
	}
	for i, x := range results {
		addRuns(r, x.Evaluation, runOf(runs[i], x), runName(x))
	}
	r.Conclude(curiousVerdict(results))
	r.Warnings = append(append(r.Warnings, parts.Notes...), impliedByTarget(parts.Train)...)
	r.Warnings = append(r.Warnings, related(first.Evaluation)...)
	if runs[0].options.Attack == curious.Standard {
		r.Warnings = append(r.Warnings, unattacked(parts.Train)...)
	}
	var all []*trained
	for _, x := range results {
		r.Warnings = append(r.Warnings, doubts(x)...)
		all = append(all, &x.trained)
	}
	r.Warnings = append(r.Warnings, foreign(all)...)
	return r, nil
}

// describeCurious fills in what is said of the first seed alone, whose files are in
// dir/at.
func describeCurious(ctx context.Context, e *env, r *report.Report, dir, at string, s seedRun, x *seedResult, parts *dataset.Parts) error {
	for k, v := range x.Settings {
		if k != "seed" {
			r.Settings[k] = v
		}
	}
	r.Settings["epoch kept"] = fmt.Sprintf("%d of %d", x.Best, len(x.Epochs))
	trained, err := curious.Open(filepath.Join(dir, at))
	if err != nil {
		return err
	}
	if err := modelOf(r, dir, filepath.Join(at, modelFile), parts.Train.Shape, len(parts.Train.YNames)); err != nil {
		return err
	}
	arrays, err := keepOutputs(ctx, e, dir, trained, parts.Test)
	if err != nil {
		return err
	}
	r.Arrays = append(r.Arrays, arrays)
	path := ""
	if s.source != nil {
		path = s.source.Path
	}
	r.Data = report.DataOf(parts.Test, path, string(dataset.Test))
	r.Training = trainingOf(s, x, parts.Train.Name)
	r.Utility = honestyOf(x.Evaluation)
	r.Curiosity = headline(x.Evaluation, s.options.WithDefaults(), x.Taus)
	addCurves(r, x.Evaluation, runName(x))
	return nil
}

func curiousTitle(train *dataset.Set) string {
	return "A classifier of " + curiousName(train)
}

// modelOf notes a model beside the report.
func modelOf(r *report.Report, dir, file string, shape []int, classes int) error {
	hash, err := run.Digest(filepath.Join(dir, file))
	inputs := 1
	for _, n := range shape {
		inputs *= n
	}
	r.Model = report.Model{Path: file, SHA256: hash, Inputs: inputs, Features: classes}
	return err
}

func trainingOf(s seedRun, x *seedResult, task string) *report.Training {
	o := s.options.WithDefaults()
	t := &report.Training{
		Task: task, Parameters: x.Parameters, Examples: x.Examples, Asked: o.Epochs, Batch: o.Batch,
		Optimizer: fmt.Sprintf("Adam, learning rate %g", o.LearningRate),
	}
	for _, ep := range x.Epochs {
		t.Epochs = append(t.Epochs, report.Epoch{Loss: report.Number(ep.LossY), Accuracy: report.Number(ep.ValidationY)})
	}
	return t
}

// honestyOf is the accuracy of a classifier without an attack; nothing of others,
// whose honesty the headline says.
func honestyOf(v *curious.Evaluation) report.Utility {
	if len(v.Sensitive) > 0 {
		return report.Utility{}
	}
	h := v.Honesty
	return report.Utility{
		CleanAccuracy: report.Number(h.Value), CleanInterval: h.Interval,
		ReleasedAccuracy: report.Number(h.Value), ReleasedInterval: h.Interval, Examples: h.Examples, Draws: 1,
	}
}

// headline is one run's figures in full; nil without an attack.
func headline(v *curious.Evaluation, o curious.Options, taus []float64) *report.Curiosity {
	if len(v.Sensitive) == 0 {
		return nil
	}
	c := &report.Curiosity{
		Attack: string(o.Attack), Outputs: string(v.Outputs), Beta: o.Beta, Target: v.Target, Examples: v.Examples,
		Honesty: report.Number(v.Honesty.Value), HonestyInterval: report.Between(v.Honesty.Interval),
		EntropyBits: report.Number(v.Entropy.MeanBits), EntropyMax: report.Number(math.Log2(float64(len(v.Classes)))),
		HonestyConfusion: &report.Confusion{Classes: v.Classes, Counts: v.Confusion}, Shared: v.Correlations,
	}
	for i, s := range v.Sensitive {
		l := leak(s, len(v.Sensitive))
		if i < len(taus) {
			l.Tau = report.Number(taus[i])
		}
		if i == 0 {
			c.Leak = l
		} else {
			c.Others = append(c.Others, l)
		}
	}
	return c
}

// leak is what an attack read of one attribute of so many.
func leak(s curious.Curiosity, of int) report.Leak {
	p, test := s.PValueHolm, classify.ComparisonTest
	if of > 1 {
		test += fmt.Sprintf(", Holm's correction for %d attributes", of)
	}
	return report.Leak{
		Sensitive: s.Attribute, Guess: s.Attack,
		Curiosity: report.Number(s.Curiosity.Value), CuriosityInterval: report.Between(s.Curiosity.Interval),
		Majority: report.Number(s.Majority.Value), FromTarget: report.Number(s.FromTarget.Value), FromLabel: report.Number(s.FromLabel.Value),
		Baseline: report.Number(s.BaselineValue), BaselineKind: s.Baseline,
		Excess: report.Number(s.Excess), ExcessInterval: report.Between(s.ExcessInterval), PValue: &p, Test: test,
		Information: report.Number(s.Guess.Bits), InformationInterval: report.Between(s.Guess.Interval),
		Confusion: &report.Confusion{Classes: s.Classes, Counts: s.Confusion},
	}
}

// runName is what a seed's training is called.
func runName(x *seedResult) string { return "seed " + x.Settings["seed"] }

// runOf is what a run was told.
func runOf(s seedRun, x *seedResult) report.Run {
	o := s.options.WithDefaults()
	return report.Run{Attack: string(o.Attack), Outputs: string(x.Evaluation.Outputs), Beta: o.Beta, Seed: o.Seed}
}

// addRuns adds a point of the plane for each attribute that was attacked.
func addRuns(r *report.Report, v *curious.Evaluation, told report.Run, name string) {
	for _, s := range v.Sensitive {
		x, p := told, s.PValueHolm
		x.Name, x.Target, x.Sensitive = name, v.Target, s.Attribute
		if len(v.Sensitive) > 1 {
			x.Name += ", " + s.Attribute
		}
		x.TargetClasses, x.SensitiveClasses = len(v.Classes), len(s.Classes)
		x.Honesty, x.HonestyInterval = report.Number(v.Honesty.Value), report.Between(v.Honesty.Interval)
		x.Curiosity, x.CuriosityInterval = report.Number(s.Curiosity.Value), report.Between(s.Curiosity.Interval)
		x.Baseline, x.BaselineKind = report.Number(s.BaselineValue), s.Baseline
		x.Excess, x.ExcessInterval, x.PValue = report.Number(s.Excess), report.Between(s.ExcessInterval), &p
		x.EntropyBits = report.Number(v.Entropy.MeanBits)
		r.Runs = append(r.Runs, x)
	}
}

// addCurves adds the ROC curves and the histogram of entropies of a run that was
// attacked.
func addCurves(r *report.Report, v *curious.Evaluation, name string) {
	if len(v.Sensitive) == 0 {
		return
	}
	r.ROC = append(r.ROC, report.ROCsOf(name, v)...)
	r.Entropy = append(r.Entropy, entropyOf(name, v.Entropy, len(v.Classes)))
	for _, s := range v.Sensitive {
		if s.Attack != curious.ThresholdAttack || len(s.Entropy) != len(s.Classes) {
			continue
		}
		for j, class := range s.Classes { // what the threshold tells apart
			r.Entropy = append(r.Entropy, entropyOf(name+", "+s.Attribute+" "+class, s.Entropy[j], len(v.Classes)))
		}
	}
}

func entropyOf(name string, h curious.Entropy, classes int) report.Entropy {
	return report.Entropy{
		Run: name, Mean: report.Number(h.MeanBits), Interval: report.Between(h.Interval),
		Max: report.Number(math.Log2(float64(classes))), Edges: h.Edges, Counts: h.Counts,
	}
}

// curiousVerdict says in a line what came of it; the report's own sentences give the
// means over seeds of those that were attacked.
func curiousVerdict(results []*seedResult) (report.Outcome, string) {
	all := make([]*curious.Evaluation, len(results))
	for i, x := range results {
		all[i] = x.Evaluation
	}
	outcome, verdict := standing(all...)
	if len(all) == 1 || len(all[0].Sensitive) > 0 {
		return outcome, verdict
	}
	m := curious.Summarize(all).Honesty
	return outcome, fmt.Sprintf("%s; honesty over %d seeds %.2f ± %.2f %%, mean ± standard deviation", verdict, len(all), 100*m.Mean, 100*m.Std)
}

// standing is what the attacks of one training or of several seeds have shown.
func standing(seeds ...*curious.Evaluation) (report.Outcome, string) {
	if len(seeds[0].Sensitive) == 0 {
		return report.Done, "trained"
	}
	shown := 0
	for _, v := range seeds {
		if slices.ContainsFunc(v.Sensitive, func(s curious.Curiosity) bool { return s.Shown() }) {
			shown++
		}
	}
	switch shown {
	case 0:
		return report.NoExcess, string(report.NoExcess)
	case len(seeds):
		return report.Demonstrated, string(report.Demonstrated)
	}
	return report.Demonstrated, fmt.Sprintf("%s with %d of %d seeds", report.Demonstrated, shown, len(seeds))
}

// doubts are what makes a run less than it seems.
func doubts(x *seedResult) []string {
	var said []string
	v := x.Evaluation
	if most := v.Majority(); v.Honesty.Correct <= most && v.Examples > 0 {
		said = append(said, fmt.Sprintf("%s: the classifier is no better than always answering the most frequent class of %s, which is right for %d of %s: it has not learned its task.", runName(x), v.Target, most, report.Count(v.Examples, "test example")))
	}
	return said
}

// curiousName says of which data a classifier answers what.
func curiousName(train *dataset.Set) string { return train.Name + ": " + train.YName }
