package report

import (
	"math"
	"strings"
	"testing"

	"tattle/bayes"
	"tattle/promise"
	"tattle/release"
	"tattle/stat"
)

// promised is a report on a release that was searched for: the promise, and what the search found.
// The figures are of fullLists, whose limits are 11.2 % identified, 7.8 bits and a floor of 43.4 grey
// levels.
func promised(t *testing.T, l promise.Limits) *Report {
	t.Helper()
	r := full(t)
	r.Design, r.Command, r.Title = nil, "tattle design --identify 12%@60000", "What to release of m.onnx"
	r.Release = Release{Surface: "features", Noise: Noise{Family: "gaussian", Sigma: 3.2, Scale: .4}}
	r.Model.FeatureNode, r.Model.Features = promise.Node, 12
	r.Lists.Holder.List.Inputs, r.Lists.Holder.List.Merged = 59998, 2
	r.SetPromise(promiseRun(l))
	return r
}

func promiseRun(l promise.Limits) PromiseRun {
	accuracy := func(x, off float64) release.Accuracy {
		return release.Accuracy{Fraction: x, Interval: stat.Interval{Low: x - off, High: x + off}}
	}
	a := &promise.Answer{Clean: .977, Left: []string{"projected at pool: 5408 features are too many for principal directions: at most 2048"},
		Cuts: []promise.CutCost{{Node: "relu", Features: 784, MultiplyAdds: 1229312, Share: .994, Parameters: 1230096}, {Node: "pool", Features: 5408, MultiplyAdds: 97344, Share: .08, Parameters: 320}}}
	add := func(m promise.Method, node string, weight float64, keep int, cost, leak float64) {
		for i := range 7 {
			sigma := .5 * math.Pow(1.6, float64(i))
			p := promise.Point{Keep: keep, Sigma: sigma, Accuracy: []float64{.977 - cost*sigma*sigma}, Identified: math.Min(.99, leak/sigma/sigma), Bits: 14 - 2*math.Log2(1+sigma/leak), Floor: .6 * sigma / (sigma + leak)}
			p.Node, p.Method, p.Weight = node, m, weight
			for range l.Protect {
				p.Guessed = append(p.Guessed, promise.Guess{Right: .55 + .2/sigma, Anybody: .56 + .2/sigma, AUC: .6, Bits: .1})
			}
			p.Meets = p.Identified <= .1
			a.Points = append(a.Points, p)
			if p.Meets && (a.Best == nil || p.Accuracy[0] > a.Best.Accuracy[0]) {
				best := p
				a.Best = &best
			}
		}
	}
	add(promise.Isotropic, "relu", 0, 784, .02, 2)
	add(promise.Discriminant, "relu", 0, 9, .0012, .5)
	add(promise.Shaped, "relu", 4, 12, .0009, .4)
	add(promise.Shaped, "relu", 12, 12, .0011, .3)
	add(promise.Trained, "pool", 2, 12, .001, .5)
	return PromiseRun{
		Options: promise.Options{Limits: l}, Answer: a, Accuracy: accuracy(.969, .003), Drop: accuracy(.0066, .002), Clean: accuracy(.9756, .003),
		Command: "tattle bound --model release/model.onnx --features release --sigma 3.2",
	}
}

// TestPromiseNeverBeyondALimit: a promise with a figure beyond its limit, or without a figure, is never
// called kept.
func TestPromiseNeverBeyondALimit(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits promise.Limits
		change func(*Report, *PromiseRun)
		kept   bool
		says   string
	}{
		{"kept", promise.Limits{Identify: .12, Candidates: 60000, Bits: 8, Floor: .55, Attack: .37}, nil, true, "kept: an adversary with a list of 59,998 candidates (the training part) identifies the input in at most 11.2 % of releases (limit 12 %)"},
		{"at the limit", promise.Limits{Identify: .112}, nil, true, "limit 11.2 %"},
		{"identified by a hair", promise.Limits{Identify: .1119999}, nil, false, "more draws in the final measurement, or slightly more noise"},
		{"identified", promise.Limits{Identify: .05}, nil, false, "exceeded by 6.2 points"},
		{"bits", promise.Limits{Bits: 7.7}, nil, false, "at most 7.8 bits about which candidate the input is (limit 7.7, exceeded by 0.1"},
		{"floor", promise.Limits{Floor: .56}, nil, false, "an adversary without a list errs by at least 43.4 grey levels of 255 (limit 44, missed by 0.5"},
		{"attack", promise.Limits{Attack: .4}, nil, false, "the best attack that ran (decoder) errs by 29.4"},
		{"one of two", promise.Limits{Identify: .12, Floor: .56}, nil, false, "not kept: an adversary without a list"},
		{"other list", promise.Limits{Identify: .12, Candidates: 50000}, nil, false, "identification was not measured (limit 12 %): the list has 60,000 candidates, the promise is about 50000"},
		{"no lists", promise.Limits{Identify: .12}, func(r *Report, _ *PromiseRun) { r.Lists = nil }, false, "no limits for adversaries with a list"},
		{"no floor", promise.Limits{Floor: .01}, func(r *Report, _ *PromiseRun) { r.Lists.Anybody = nil }, false, "no floor for adversaries without a list"},
		{"no attack", promise.Limits{Attack: .01}, func(r *Report, _ *PromiseRun) { r.Attacks = nil }, false, "no attack ran"},
		{"unknown", promise.Limits{Identify: .12}, func(r *Report, _ *PromiseRun) { r.Lists.Holder.First = bayes.Limit{High: math.NaN()} }, false, "not kept"},
		{"queries", promise.Limits{Identify: .12}, func(_ *Report, p *PromiseRun) { p.Options.Queries = 2 }, false, "1 release of an input was measured, the promise is about 2"},
		{"drop", promise.Limits{Identify: .12}, func(_ *Report, p *PromiseRun) { p.Options.MaxDrop = .008 }, false, "accuracy falls by at most 0.86 points (upper 95 % limit)"},
		{"right", promise.Limits{Protect: []promise.Protect{{Attribute: "writer", Accuracy: .72}}}, nil, false, "guesses writer right in at most 74 % of cases"},
		{"right kept", promise.Limits{Protect: []promise.Protect{{Attribute: "writer", Accuracy: .75}}}, nil, true, "(limit 75 %)"},
		{"area", promise.Limits{Protect: []promise.Protect{{Attribute: "writer", AUC: .8}}}, nil, false, "AUC of at most 0.84"},
		{"known", promise.Limits{Protect: []promise.Protect{{Attribute: "writer", Bits: .1}}}, nil, false, "at most 0.13 bits about writer"},
		{"other attribute", promise.Limits{Protect: []promise.Protect{{Attribute: "age", Accuracy: .99}}}, nil, false, "right guesses of age was not measured"},
		{"nothing", promise.Limits{Identify: .12}, func(_ *Report, p *PromiseRun) { p.Answer.Best = nil }, false, "in the search, none of 35 releases meets the limits (identification at most 12 %)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := promised(t, c.limits)
			p := promiseRun(c.limits)
			if c.change != nil {
				c.change(r, &p)
			}
			r.SetPromise(p)
			begins := "not kept: "
			if c.kept {
				begins = "kept: "
			}
			if r.Promise.Met != c.kept || (r.Outcome == Met) != c.kept || !strings.HasPrefix(r.Verdict, begins) || !strings.Contains(r.Verdict, c.says) {
				t.Errorf("kept %v, outcome %q, verdict %q", r.Promise.Met, r.Outcome, r.Verdict)
			}
		})
	}
}
