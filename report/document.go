package report

import (
	_ "embed"
	"fmt"
	"html"
	"io"
	"maps"
	"slices"
	"strings"

	"tattle/bound"
)

//go:embed page.css
var pageStyle string

// build returns all blocks of the report, the same for every format.
func (r *Report) build() *document {
	d := &document{}
	switch {
	case r.Audit != nil:
		d.auditLead(r)
	case r.Promise != nil && r.Study == nil:
		d.promiseLead(r, r.Sentences()[1:])
	default:
		for i, s := range r.Sentences() {
			if i == 0 && r.listed() {
				d.add(paragraph{s, "verdict " + string(r.listTone())}, r.listTiles())
				continue
			}
			d.say(s)
		}
	}
	d.on(onTerminal, func(d *document) {
		for _, s := range r.Data.Notes {
			d.say("data: " + s)
		}
	})
	if len(r.Warnings) > 0 {
		d.on(onPage|onMarkdown, func(d *document) {
			d.section("Read this first")
			d.add(list{r.Warnings, "warnings"})
		})
	}
	d.audit(r.Audit)
	d.study(r.Study, r.Verdict)
	d.curious(r)
	d.design(r)
	d.bounds(r)
	d.on(onPage|onMarkdown, func(d *document) {
		d.claims(r)
		d.training(r.Training)
		d.accuracy(r)
		d.verification(r)
		d.provenance(r)
	})
	d.on(onTerminal, func(d *document) {
		for i, s := range r.Warnings {
			if i == 0 {
				d.add(heading{3, "warning: " + s})
				continue
			}
			d.say("warning: " + s)
		}
		if r.Verdict != "" {
			d.section("verdict: " + r.Verdict)
		}
	})
	return d
}

// Sentences returns the results of the report in sentences.
func (r *Report) Sentences() []string {
	if r.Audit == nil {
		return r.sentences()
	}
	var said []string
	for _, b := range collect(func(d *document) { d.auditLead(r) }) {
		switch b := b.(type) {
		case paragraph:
			said = append(said, b.Text)
		case labelled:
			said = append(said, labelledWords(b))
		case list:
			said = append(said, b.Items...)
		}
	}
	return said
}

// WriteText writes the report for a terminal.
func (r *Report) WriteText(w io.Writer) error {
	t := &textWriter{errWriter: &errWriter{w: w}, said: map[string]bool{"": true}}
	wrap(t, r.Title)
	fmt.Fprintln(t)
	t.blocks(r.build().blocks)
	return t.err
}

// WriteMarkdown writes the report as Markdown. It has no times in it.
func (r *Report) WriteMarkdown(w io.Writer) error {
	d := document{[]block{heading{1, r.Title}}}
	d.add(r.build().blocks...)
	return d.writeMarkdown(w)
}

func (d *document) writeMarkdown(w io.Writer) error {
	m := &markdownWriter{errWriter: &errWriter{w: w}}
	m.blocks(d.blocks)
	return m.err
}

// WriteHTML writes the report as one file that needs nothing else: no script, no font, no
// network.
func (r *Report) WriteHTML(w io.Writer) error {
	blocks := r.build().blocks
	lead := slices.IndexFunc(blocks, func(b block) bool {
		switch b := b.(type) {
		case heading:
			return b.Level == 2
		case only:
			return b.On&onPage != 0
		}
		return false
	})
	if lead < 0 {
		lead = len(blocks)
	}
	p := &htmlWriter{ids: map[string]bool{}}
	p.printf(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>%s · tattle</title>
<style>
%s</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
<header>
<h1>%s</h1>
<p class="soft">%s</p>
</header>
<main id="main">
<section class="lead" aria-label="Summary">
`, inHTML(r.Title), pageStyle, inHTML(r.Title), html.EscapeString(printable(r.Command)))
	p.blocks(blocks[:lead])
	p.printf("</section>\n")
	p.blocks(blocks[lead:])
	p.end()
	p.printf("</main>\n<footer>Written by tattle. This file is self-contained: nothing is loaded from anywhere.</footer>\n</body>\n</html>\n")
	_, err := io.WriteString(w, p.String())
	return err
}

// claims explains the kinds of claims.
func (d *document) claims(r *Report) {
	if len(r.Bounds)+len(r.Attacks) == 0 {
		return
	}
	count := map[string]int{StatusDemonstrated: len(r.Attacks)}
	for _, b := range r.Bounds {
		count[b.Status]++
	}
	d.section("Kinds of claims")
	if r.listed() {
		d.add(labelled{"", "certified with confidence", "", "A limit that follows from random draws, and holds with a confidence of 99.9 %."})
	}
	for _, c := range []struct{ status, means string }{
		{bound.StatusCertified, "A lower bound proved in double precision from a stored witness: another input with nearly the same features, compared with the noise (for Barankin’s bound several of them, with stored weights)."},
		{bound.StatusEstimated, "Linear algebra on the Jacobian or a statistical estimate: right to rounding, without a stored witness."},
		{StatusDemonstrated, "An attack that ran."},
		{bound.StatusAssumed, "A bound that depends on a prior for the inputs."},
	} {
		n := Count(count[c.status], "row")
		if count[c.status] == 0 {
			n = "None"
		}
		d.add(labelled{"", c.status, "", c.means + " " + n + " in this report."})
	}
	d.say("† " + vacuousToPrior + ": a floor of unbiased estimators whose median is above what guessing the mean of the training data errs by, without the release. It does not limit adversaries who know what inputs look like.")
}

func (d *document) training(x *Training) {
	if x == nil {
		return
	}
	d.section("Training")
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
	title, says := "Accuracy", fmt.Sprintf("Accuracy on %s; 95 %% Clopper-Pearson intervals.", Count(u.Examples, "example"))
	switch {
	case r.Release.none():
		title = "What the release costs"
	case r.released():
		title = "What the noise costs"
		if u.Draws > 1 {
			says += fmt.Sprintf(" %d draws of the noise for each example.", u.Draws)
		}
	}
	d.section(title)
	t := table{Says: says, Heads: []string{"features", "accuracy", "95 % interval"}}
	t.add("clean", percent(float64(u.CleanAccuracy)), interval(u.CleanInterval))
	switch {
	case r.Release.none():
		t.add("as released", percent(float64(u.ReleasedAccuracy)), interval(u.ReleasedInterval))
	case r.Training != nil && r.Training.Noise != nil:
		t.add("with the noise of the training, σ = "+number(float64(r.Training.Noise.Sigma)), percent(float64(u.ReleasedAccuracy)), interval(u.ReleasedInterval))
	case r.released():
		t.add("with noise, σ = "+number(r.Release.Noise.Sigma), percent(float64(u.ReleasedAccuracy)), interval(u.ReleasedInterval))
	}
	d.table(t)
}

// released reports whether the report is about a release.
func (r *Report) released() bool { return r.Release.Noise.Family != "" || r.Release.none() }

func (d *document) verification(r *Report) {
	if len(r.Bounds) == 0 || len(r.Arrays) == 0 {
		return
	}
	d.section("Check it yourself")
	d.say("Every certified figure can be recomputed from the model, the inputs and the stored witnesses alone. In the folder of this report:")
	d.add(code("tattle verify ."))
	d.soft("It builds the release again from the model, re-evaluates each witness in double precision, compares every value in report.json with the recomputed one, and fails if one differs. It does not repeat searches, attacks or training, and it lists what it could not check. It renders this page again and compares the two.")
}

// provenance lists what was measured, and how to repeat it.
func (d *document) provenance(r *Report) {
	var rows []Setting
	note := func(key, format string, a ...any) { rows = append(rows, Setting{key, fmt.Sprintf(format, a...)}) }
	note("command", "%s", r.Command)
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
			note("data were read", "%s", n)
		}
	}
	if r.released() {
		note("release", "%s", r.Release.words())
	}
	if x := r.Experiment; x != nil {
		note("witnesses", "%s search (%s), %d restarts of %d repeats, iteration %s, domain %v", x.Search.Search, strings.Join(x.Reasons, "; "), x.Search.Restarts, x.Search.Repeats, x.Search.Iteration, x.Domain)
	}
	note("seed", "%d", r.Seed)
	rows = append(rows, r.SettingRows()...)
	for _, a := range r.Arrays {
		note("arrays", "%s, sha256 %s", a.File, a.SHA256)
	}
	if r.Checks != nil {
		note("checks of workers", "%v", r.Checks)
	}
	d.section("What was measured")
	d.settings(rows)
	d.on(onPage, func(d *document) {
		var times []Setting
		for _, k := range slices.Sorted(maps.Keys(r.Timing)) {
			times = append(times, Setting{"time: " + k, fmt.Sprintf("%.1f s", float64(r.Timing[k]))})
		}
		d.settings(times)
	})
}

// words describes what leaves the device.
func (l Release) words() string {
	s := l.Surface
	if p := l.Projection; p != nil {
		s += fmt.Sprintf(", %d kept (%s)", p.Keep, p.Kind)
	}
	s += l.heated()
	if l.none() {
		s += " without noise"
	} else {
		s += " plus " + familyName(l.Noise.Family) + " noise"
		if l.Noise.Settings != "" {
			s += " (" + l.Noise.Settings + ")"
		}
		if l.Noise.Covariance != "" {
			s += " with the covariance of " + l.Noise.Covariance
		}
		s += ", σ = " + number(l.Noise.Sigma)
	}
	return s + "." + l.after() + " " + l.Note
}
