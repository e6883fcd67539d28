package report

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
)

func (d *document) training(x *Training) {
	if x == nil {
		return
	}
	d.folded("Training")
	t := table{Says: fmt.Sprintf("%s, batches of %d.", x.Optimizer, x.Batch), Heads: []string{"epoch", "mean loss, nats", "held-out accuracy"}}
	if x.Noise != nil {
		t.Says += " The loss is with noise (and with the penalty, if there is one), the accuracy without."
	}
	for i, e := range x.Epochs {
		t.add(fmt.Sprint(i+1), number(float64(e.Loss)), percent(float64(e.Accuracy)))
	}
	d.table(t)
}

func (d *document) accuracy(r *Report) {
	u := r.Utility
	if u.Examples == 0 || r.Audit != nil {
		return
	}
	title, features := "Accuracy", ""
	says := fmt.Sprintf("Accuracy on %s, each with its 95 %% interval (Clopper-Pearson).", Count(u.Examples, "example"))
	switch {
	case r.Release.none():
		title, features = "What the release costs", "as released"
	case r.released():
		title, features = "What the noise costs", "with noise, σ = "+number(r.Release.Noise.Sigma)
		if u.Draws > 1 {
			says += fmt.Sprintf(" %d draws of the noise for each example.", u.Draws)
		}
	case r.Training != nil && r.Training.Noise != nil:
		features = "with the noise of the training, σ = " + number(float64(r.Training.Noise.Sigma))
	}
	d.folded(title)
	t := table{Says: says, Heads: []string{"features", "accuracy", "95 % interval"}}
	t.add("clean", percent(float64(u.CleanAccuracy)), interval(u.CleanInterval))
	if features != "" {
		t.add(features, percent(float64(u.ReleasedAccuracy)), interval(u.ReleasedInterval))
	}
	d.table(t)
}

// released reports whether the report is about a release.
func (r *Report) released() bool { return r.Release.Noise.Family != "" || r.Release.none() }

// verification says how the figures can be checked.
func (d *document) verification(r *Report) {
	if len(r.Bounds) == 0 || len(r.Arrays) == 0 {
		return
	}
	d.say("In the folder of this report, this recomputes every certified figure from the model, the inputs and the stored witnesses, compares every value in report.json, and lists what it could not check. It does not repeat searches, attacks or training.")
	d.add(code("tattle verify ."))
}

// repeat says how the report can be checked and made again, and on what it rests.
func (d *document) repeat(r *Report) {
	d.folded("Check and repeat")
	d.verification(r)
	d.on(onPage, func(d *document) {
		d.say("To repeat it:")
		d.add(code(r.Command))
	})
	d.on(onMarkdown, func(d *document) { d.settings([]Setting{{"command", r.Command}}) })
	d.provenance(r)
}

// provenance lists what was measured, and how to repeat it.
func (d *document) provenance(r *Report) {
	var rows []Setting
	note := func(key, format string, a ...any) { rows = append(rows, Setting{key, fmt.Sprintf(format, a...)}) }
	if m := r.Model; m.Path != "" || m.SHA256 != "" {
		note("model", "%s", strings.TrimSuffix(m.Path+", sha256 "+m.SHA256, ", sha256 "))
	}
	if r.released() {
		note("features", "%d at node %s, from %d inputs", r.Model.Features, r.Model.FeatureNode, r.Model.Inputs)
	}
	if x := r.Data; x.Name != "" {
		s := x.Name
		if x.Split != "" {
			s += ", " + x.Split + " split"
		}
		s += ", " + Count(x.Examples, "example")
		if x.SHA256 != "" {
			s += ", sha256 " + x.SHA256
		}
		note("data", "%s", s)
		for _, n := range x.Notes {
			note("data were read", "%s", sentenceOf(n))
		}
	}
	if x := r.Experiment; x != nil {
		note("witnesses", "%s search (%s), %d restarts of %d repeats, iteration %s, domain %v", x.Search.Search, strings.Join(x.Reasons, "; "), x.Search.Restarts, x.Search.Repeats, x.Search.Iteration, x.Domain)
	}
	note("seed", "%d", r.Seed)
	rows = append(rows, r.SettingRows()...)
	for _, a := range r.Arrays {
		kind := "arrays"
		if strings.HasSuffix(a.File, ".json") {
			kind = "record"
		}
		note(kind, "%s, sha256 %s", a.File, a.SHA256)
	}
	d.settings(rows)
	d.on(onPage, func(d *document) {
		var times []Setting
		for _, k := range slices.Sorted(maps.Keys(r.Timing)) {
			times = append(times, Setting{"time: " + k, fmt.Sprintf("%.1f s", float64(r.Timing[k]))})
		}
		d.settings(times)
	})
}
