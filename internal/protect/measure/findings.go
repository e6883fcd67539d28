package measure

import (
	"cmp"
	"math"
	"strings"

	"tattle/internal/file"
	"tattle/internal/protect/release"
	"tattle/internal/report"
)

// conclude adds the findings: what is said first, what it rests on, and what it does not show.
func (a *account) conclude() {
	first := a.verdict()
	a.Findings = append([]report.Finding{first}, a.Findings...)
	a.evidence(first.Code)
	a.advise()
	a.limits()
}

// evidence adds what stands beside the verdict.
func (a *account) evidence(verdict string) {
	best := a.best()
	closer, here := a.closer(best), a.closerHere(best)
	a.findIf(closer && verdict != "reconstructed", "attack.closer")
	a.findIf(here && verdict != "reconstructed.here", "attack.here")
	a.findIf(best != nil && !closer && !here && verdict != "no_attack_closer", "attack.not_closer")
	if x := a.recogniser(); x != nil && verdict != "recognised" {
		a.Find("attack.recognised", "", x.Attack)
	}
	a.floored()
	if a.lists != nil && a.lists.Hidden != nil {
		a.Find("hidden", "", map[bool]string{true: "people", false: "inputs"}[a.lists.Hidden.List.People > 0])
	}
	a.unbiasedFindings(verdict)
	a.Find("released", "", a.setup.words(a.q.Experiment.Noise))
	switch u := a.m.Utility; {
	case u == nil && a.q.Data != nil:
		a.Find("cost.unknown", "")
	case u == nil:
	case sameInPrint(u.Clean.Fraction, u.Released.Fraction):
		a.Find("cost.none", "")
	default:
		a.Find("cost", "")
	}
	if u := a.m.Utility; u != nil && u.Database > 0 {
		a.Find("cost.database", "", a.q.Use.Noisy())
		a.findIf(u.Pairs > 0, "cost.pairs")
	}
	a.findIf(len(a.vacuousRows) > 0, "vacuous.rows", strings.Join(a.vacuousRows, "; "))
}

// sameInPrint reports whether two accuracies, and their difference, are printed as if they were equal.
func sameInPrint(x, y float64) bool {
	print := func(x float64, u report.Unit) string { return report.Exactly(x, u).String() }
	return print(x, report.Share) == print(y, report.Share) && print(x-y, report.Points) == print(0, report.Points)
}

// advise says what to do if identification is not excluded.
func (a *account) advise() {
	h := a.held()
	if h == nil {
		return
	}
	if best, n := h.best(); beyondGuessing(best.High, n) < identifiedSometimes {
		return
	}
	a.Find("advice.identified", "")
	l := a.setup.Reading
	data, model := "--data", cmp.Or(a.Model.Path, "MODEL")
	if l.Vectors {
		data, model = "--vectors", a.Model.Path
	}
	what := [][2]string{{"--model", model}, {data, cmp.Or(a.Data.Path, "DATA")}, {"--input-shape", l.InputShape}, {"--model-output", l.ModelOutput},
		{"--labels", l.Labels}, {"--group", l.Group}, {"--target", l.Target}}
	if !l.Beside {
		what = append(what, [2]string{"--preprocess", l.Preprocess})
	}
	for _, x := range l.Sensitive {
		what = append(what, [2]string{"--sensitive", x})
	}
	for _, x := range l.Columns {
		what = append(what, [2]string{"--columns", x})
	}
	if u := a.q.Use; u != nil {
		what = append(what, [2]string{"--utility", u.Task}, [2]string{"--views", u.Views})
		if u.Metric != release.MetricCosine {
			what = append(what, [2]string{"--metric", u.Metric})
		}
		if u.Noise != release.NoiseQuery {
			what = append(what, [2]string{"--noise-at", u.Noise})
		}
	}
	command := "tattle design"
	for _, x := range what {
		if x[1] != "" {
			command += " " + x[0] + " " + file.Quote(x[1])
		}
	}
	if l.SkipMissing {
		command += " --skip-missing"
	}
	a.Find("advice.design", "", command+" --identify 1%")
}

// weaker says what a limit without a list would be if it counted inputs, and how many people it needs.
func (a *account) weaker(code, subject string, w *Weaker) {
	if w == nil {
		return
	}
	if a.Find(code, subject, report.Grouped(w.People)); w.Enough > w.People {
		a.Find(code+".enough", subject, report.Grouped(w.Enough))
	}
}

// floored says what is proved of adversaries without a list.
func (a *account) floored() {
	if a.lists == nil || a.lists.EverySample() == nil {
		return
	}
	p := a.lists.EverySample()
	if f := p.Floors[0]; negligible(math.Sqrt(f.Anybody), math.Sqrt(f.Prior)) == 0 {
		sample := report.Many(p.List.Inputs, "input")
		if p.List.People > 0 {
			sample = report.Grouped(p.List.People) + " people"
		}
		a.Find("floor.none", "", sample)
	} else {
		a.Find("floor", a.level(f.Band))
	}
	a.weaker("floor.rows", "", p.Weaker)
	for _, in := range p.Inferred {
		a.weaker("guess.rows", in.Name, in.Weaker)
	}
	for _, f := range p.Floors[1:] {
		if u, _ := a.unit(f.Band); u == columnsUnits && negligible(math.Sqrt(f.Anybody), math.Sqrt(f.Prior)) > 0 {
			a.Find("floor.column", a.level(f.Band))
		}
	}
}
