package measure

import (
	"math"
	"strings"

	"tattle/internal/protect/bound"
	"tattle/internal/report"
)

// unbiasedFindings says what is proved of unbiased estimators.
func (a *account) unbiasedFindings(verdict string) {
	res := a.m.Bounds
	if res == nil {
		return
	}
	u, scale := a.unit(bound.AllBand)
	near := a.strongest("")
	if near != nil {
		c := report.Claim{ID: "bound", Kind: report.Certified, Value: report.AtLeast(scale*near.Quantile(.5), u), N: near.Examples}
		prior := a.priorOf(*near)
		if prior != nil {
			c.Beside = []report.Beside{{Name: "prior", Value: report.Exactly(scale**prior, u)}}
		}
		a.Add(c)
		switch m := near.Quantile(.5); {
		case math.IsInf(m, 1):
			a.Find("unbiased.unbounded", "")
		case a.vacuous(m):
			a.Find("unbiased.vacuous", "")
		case verdict != "bounded":
			a.Find("unbiased", "")
		}
		above := prior != nil && near.Quantile(.5) > *prior
		a.findIf(!above && (prior == nil || !a.mean), "unbiased.uncompared")
		a.findIf(above, "unbiased.above", map[bool]string{true: "guessing the mean of the training data", false: "guessing the middle of the data's range"}[a.mean])
	} else if verdict != "uncertified" {
		a.Find("unbiased.none", "", a.whyUncertified())
	}
	if b := a.strongest(bound.SearchTwins); b != nil && b.UnboundedFraction > 0 {
		up := " in real arithmetic"
		if res.Experiment.Runtime.Error > 0 {
			up = " up to rounding and the runtime's error"
		}
		a.Find("twins", "", report.Value{X: math.NaN(), Low: b.UnboundedFraction, High: math.NaN(), Unit: report.Share}.LowFigure(), up)
	}
	a.pairFinding()
	n, p, x := a.setup.Features, a.setup.Inputs, res.Experiment
	a.findIf(n < p && !a.setup.Release.Label, "fewer", report.Grouped(n), report.Grouped(p))
	a.findIf(res.Rank != nil, "rank", report.Grouped(p))
	a.findIf(len(x.Reasons) > 0, "sought", x.Search.Search+" ("+strings.Join(x.Reasons, "; ")+")")
	a.Find(roundingCodes[x.Rounding], "")
	if !x.Noise.Certain() {
		family, _, _ := strings.Cut(a.setup.Release.Family, ":")
		a.Find("divergence", "", noiseNames[family])
	}
	if x.Runtime.From != "" {
		allowed := ""
		switch {
		case x.Runtime.Error == 0:
		case strings.HasPrefix(a.setup.Release.Family, "lattice"):
			allowed = "Such a feature may be rounded to another multiple; all bounds allow for this."
		default:
			allowed = "Bounds by far witnesses and twins allow for this. The other bounds are for features in real arithmetic."
		}
		a.Find("runtime", "", x.Runtime.Describe(), allowed)
	}
}

// roundingCodes are the codes of how the rounding of features is known.
var roundingCodes = map[string]string{bound.RoundingProved: "rounding.proved", bound.RoundingPairs: "rounding.pairs", bound.RoundingMeasured: "rounding.measured"}

// pairFinding says what the strongest pairs prove of every adversary.
func (a *account) pairFinding() {
	best := a.largest(func(b bound.Summary) bool {
		return b.Method == bound.MethodPairMeanSquare && b.Examples == len(a.q.Indices) && b.Quantile(.5) > 0
	})
	if best == nil {
		return
	}
	u, scale := a.unit(bound.AllBand)
	a.Add(report.Claim{ID: "pair.whole.q50", Kind: report.Kind(best.Status), Value: report.AtLeast(scale*best.Quantile(.5), u), N: best.Examples})
	code := "pairs"
	if best.Status != bound.StatusCertified {
		code = "pairs.estimated"
	}
	a.Find(code, "", "the "+report.Many(best.Examples, "input"))
}
