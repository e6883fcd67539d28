package cli

import (
	"fmt"
	"math"
	"path/filepath"

	"tattle/attack"
	"tattle/bound"
	"tattle/design"
	"tattle/measure"
	"tattle/nn"
	"tattle/release"
	"tattle/report"
)

// report says what a search found, and what the release that it chose gives away.
func (j *designJob) report(e *env, a *design.Answer) *report.Report {
	r := newReport(e, "What to release of "+filepath.Base(j.Model), j.Seed)
	r.Model = report.Model{Path: absolute(j.Model), SHA256: j.hash, Inputs: nn.Size(j.data.Shape), Features: a.Features, FeatureNode: j.node}
	r.Data = describe(j.data, absolute(j.Data), j.Split)
	r.Data.Examples = a.Examples
	r.Data.Notes = j.read.notes
	j.read.record(r)
	j.in.record(r)
	r.Utility = utility(release.Utility{Examples: j.data.Len(), Clean: a.Clean})
	t := j.options.Target
	r.Design = &report.Design{
		Target:  report.DesignTarget{Directions: t.Directions, Within: t.Within, MedianStd: t.MedianStd, AttackMSE: t.AttackMSE},
		MaxDrop: j.options.MaxDrop, Met: a.Met, Near: a.Near, Evaluations: a.Evaluations, Within: a.Within,
	}
	r.Design.Binds = r.Design.Target.Binds()
	for _, p := range a.Frontier {
		r.Design.Frontier = append(r.Design.Frontier, designPoint(p))
	}
	if a.Best != nil {
		j.chosen(r, a)
	}
	j.warn(r, a)
	outcome := report.NotMet
	if a.Met {
		outcome = report.Met
	}
	r.Conclude(outcome, designVerdict(r, a))
	return r
}

// designPoint is a point in the report's terms: there it meets all that is asked for.
func designPoint(p design.Point) report.DesignPoint {
	return report.DesignPoint{
		Family: p.Family, Projection: p.Projection, Keep: p.Keep, Sigma: p.Sigma,
		Accuracy: report.Number(p.Accuracy.Fraction), Drop: report.Number(p.Drop.Mean),
		DropInterval: [2]report.Number{report.Number(p.Drop.Interval.Low), report.Number(p.Drop.Interval.High)},
		Directions:   report.Number(p.Directions), MedianStd: report.Number(p.MedianStd), AttackMSE: report.Number(p.AttackMSE),
		Meets: p.Meets && p.Keeps,
	}
}

// chosen reports on the best point as on a release that was bounded and attacked.
func (j *designJob) chosen(r *report.Report, a *design.Answer) {
	p, c := a.Best, a.Confirmed
	best := designPoint(*p)
	best.AttackMSE = report.Number(c.AttackMSE)
	r.Design.Best, r.Design.Reproduce = &best, j.command(p)
	r.Design.Confirmed = &report.Confirmation{
		Accuracy: report.Number(c.Accuracy.Fraction), Interval: [2]report.Number{report.Number(c.Accuracy.Interval.Low), report.Number(c.Accuracy.Interval.High)},
		Drop: report.Number(c.Drop.Mean), DropInterval: [2]report.Number{report.Number(c.Drop.Interval.Low), report.Number(c.Drop.Interval.High)},
		MedianStd: report.Number(math.NaN()), Examples: c.Examples, Seed: c.Seed,
	}
	if c.Status == bound.StatusCertified {
		r.Design.Confirmed.MedianStd = report.Number(c.MedianStd)
	}
	if x := c.Identified; x != nil {
		r.Design.Confirmed.Identified = &report.Identified{Inputs: x.Inputs, Candidates: x.Candidates, Found: x.Found}
	}
	r.Model.Features = p.Keep
	r.Utility = utility(release.Utility{Examples: j.data.Len(), Draws: c.Drop.Draws, Clean: a.Clean, Released: c.Accuracy})
	l := measure.Release{Spec: p.Spec, Family: p.Family}
	describeSurface(r, l)
	if noise, err := release.ParseNoise(p.Family, p.Sigma, p.Keep); err == nil { // as it was when the point was measured
		r.Release.Noise = describeNoise(p.Family, noise, p.Sigma/p.Scale)
	}
	r.Release.Noise.Spec = p.Family
	r.Bounds = c.Bounds
	if c.Attacks != nil {
		r.AddAttacks(c.Attacks, j.options.Coordinates, j.options.Band)
	}
}

// warn says what a reader must know of the answer.
func (j *designJob) warn(r *report.Report, a *design.Answer) {
	warn := func(format string, v ...any) { r.Warnings = append(r.Warnings, fmt.Sprintf(format, v...)) }
	warn("Directions (of the median of %d examples, resolved to within a standard deviation of %g) and median standard deviations limit unbiased reconstructions only. An adversary who knows what inputs look like is biased and may come much closer: few directions do not mean that an input cannot be recognised. %s", a.Examples, a.Within, j.reached(r, a))
	if j.options.Target.AttackMSE > 0 {
		warn("The target for the linear attack limits that attack only, on average over inputs. Other attacks may err by less: tattle bound --attack linear,inversion,decoder runs them.")
	}
	warn("The figures of the frontier are estimates. Medians are about the part of an input that the released numbers depend on: compare them for one number of features only.")
	if c := a.Confirmed; c != nil {
		if c.Status != bound.StatusCertified {
			warn("Nothing is certified for the answer: bounds for %s noise are estimates.", a.Best.Family)
		} else {
			warn("The witnesses of the certificates are not stored. The tattle bound command finds them again, with further bounds, for tattle verify.")
		}
		if c.Note != "" {
			warn("The noise was adjusted: %s.", c.Note)
		}
	}
	for _, left := range a.Left {
		warn("Given up: %s.", left)
	}
	if j.missing != nil {
		warn("There are no training data (%v), so principal projections and the linear attack were not tried. --training-data names a folder.", j.missing)
	}
	if j.Split == "train" && j.Data != glyphsName {
		warn("Accuracy was measured on the training part of the data, where a model does better than elsewhere: the drop may differ on other data.")
	}
	if a.Clean.Fraction < poor {
		warn("The model by itself classifies only %.3g %% correctly: a small drop then says little.", 100*a.Clean.Fraction)
	}
}

// poor is an accuracy below which a drop says little.
const poor = .3

// reached says what the linear attack came to at the answer, beside guessing the mean.
func (j *designJob) reached(r *report.Report, a *design.Answer) string {
	c := a.Confirmed
	if c == nil || c.Attacks == nil {
		return "No attack was run here."
	}
	linear, mean := c.Attacks.Best(), c.Attacks.PriorAlone
	levels := func(of *attack.Result) string {
		rms := of.RootMeanSquare()
		if r.Data.GreyLevels == 0 {
			return fmt.Sprintf("%.3g", rms)
		}
		return fmt.Sprintf("%.3g (%.3g grey levels of 255)", rms, rms*float64(r.Data.GreyLevels))
	}
	closer := "it is not shown to come closer"
	if linear.Gain(mean, nil, 1).Better() {
		closer = fmt.Sprintf("it comes closer, with %.1f %% confidence over inputs", 100*attack.Confidence)
	}
	return fmt.Sprintf("Here the linear attack, which learned from %s, errs by a root mean square of %s on %s; guessing the mean, without the release, errs by %s on the same: %s. The model puts %.0f %% of what it reconstructs in the original's class.",
		filepath.Base(j.trainPath), levels(linear), report.Count(len(linear.MeanSquare), "input"), levels(mean), closer, 100*linear.Recognised)
}

// designVerdict sums up in a line: whether there is an answer, and what it leaves an
// adversary on either side.
func designVerdict(r *report.Report, a *design.Answer) string {
	said := fmt.Sprintf("met for %s only; %s", r.Design.For(), report.NotLimited)
	if !a.Met {
		said = fmt.Sprintf("not met: nothing that was tried meets the target for %s", r.Design.For())
	}
	if a.Best == nil {
		return said
	}
	if x := a.Confirmed.Identified; x != nil {
		said += fmt.Sprintf("; %.3g %% of %s identified among %d candidates", 100*float64(x.Found)/float64(x.Inputs), report.Count(x.Inputs, "input"), x.Candidates)
	}
	c, levels, unit := a.Confirmed, float64(r.Data.GreyLevels), "grey levels"
	if levels == 0 { // the inputs are no bytes
		levels, unit = 1, "normalised units"
	}
	floor := "; nothing is certified"
	switch {
	case c.Status != bound.StatusCertified:
	case r.Vacuous(c.MedianStd):
		floor = "; the certified floor is vacuous, under one grey level"
	default:
		floor = fmt.Sprintf("; certified floor for unbiased adversaries %s %s in half of the coordinates of %s", report.AtLeastNumber(c.MedianStd*levels), unit, report.Count(c.Examples, "example"))
		if words := r.AboveWords(bestRow(r, false)); words != "" {
			floor += ", " + words
		}
	}
	if c.Attacks == nil {
		return said + floor + ", no attack was run"
	}
	best, mean := c.Attacks.Best(), c.Attacks.PriorAlone
	linear, blind := best.RootMeanSquare()*levels, mean.RootMeanSquare()*levels
	if !best.Gain(mean, nil, 1).Better() {
		return said + floor + fmt.Sprintf(", linear attack not shown to come closer than guessing the mean, %.3g", blind)
	}
	return said + floor + fmt.Sprintf(", linear attack %.3g demonstrated where guessing the mean errs by %.3g (root mean squares)", linear, blind)
}
