package measure

import (
	"math"
	"strings"

	"tattle/internal/protect/attack"
	"tattle/internal/protect/bound"
	"tattle/internal/report"
)

const (
	// identifiedMostly and identifiedSometimes are the shares of inputs, beyond guessing, whose identification is said
	// first.
	identifiedMostly    = .5
	identifiedSometimes = .01
	// recognisedMostly is the share of reconstructions, beyond guessing, that the model assigns to the original's class
	// from which an attack recognises the class.
	recognisedMostly = .5
	// littleCloser is the share of the error without the release from which an attack is not closer.
	littleCloser = .98
)

// beyondGuessing returns the share of identified inputs beyond guessing among so many candidates: 0 for guessing, 1 for
// certainty.
func beyondGuessing(share float64, candidates int) float64 {
	g := 1 / float64(candidates)
	return (share - g) / (1 - g)
}

// verdict returns what is said first: the worst that an adversary is shown to do.
func (a *account) verdict() report.Finding {
	say := func(code string, args ...string) report.Finding { return report.Finding{Code: code, Args: args} }
	best := a.best()
	if h := a.held(); h != nil {
		best, n := h.best()
		low, high := beyondGuessing(best.Low, n), beyondGuessing(best.High, n)
		switch {
		case !a.lists.Processed && low >= identifiedMostly:
			return say("identified", a.named()...)
		case high >= identifiedMostly:
			return say("not_excluded.most", a.named()...)
		case a.lists.Processed && best.High >= identifiedSometimes, low < identifiedSometimes && high >= identifiedSometimes:
			return say("not_excluded", a.named()...)
		case low >= identifiedSometimes:
			return say("identified.some", a.named()...)
		}
	}
	if x := a.recogniser(); x != nil {
		return report.Finding{Code: "recognised", Args: []string{x.Attack}}
	}
	switch h := a.held(); {
	case a.closer(best):
		return say("reconstructed")
	case a.closerHere(best):
		return say("reconstructed.here")
	case h != nil && h.List.Uneven() >= identifiedSometimes:
		named := a.named()
		return say("identified.common", named[0], strings.Replace(named[1], ", if", " and", 1))
	case h != nil && 1/float64(h.List.Inputs) >= identifiedSometimes:
		return say("identified.little", a.named()...)
	case h != nil:
		return say("identified.rarely", a.named()...)
	}
	ok, why := a.q.Holds(a.q.Experiment.Noise)
	near := a.strongest("")
	switch {
	case !ok:
		return say("nothing_proved", strings.TrimSuffix(why, "."))
	case best != nil && a.m.Bounds == nil:
		return say("no_attack_closer")
	case near == nil:
		return say("uncertified", a.whyUncertified())
	case math.IsInf(near.Quantile(.5), 1):
		return say("unbounded")
	case a.vacuous(near.Quantile(.5)):
		return say("vacuous")
	}
	return say("bounded")
}

// held returns the figures of the adversary with a list, nil if there are none.
func (a *account) held() *ListHolder {
	if a.lists == nil {
		return nil
	}
	return a.lists.Holder
}

// best returns the attack with the least mean-square error, nil if none ran.
func (a *account) best() *attack.Result { return a.at.Best() }

// gain returns by how much an attack errs less than guessing the mean, and a lower limit: +Inf if it was never compared.
func (a *account) gain(x *attack.Result) (mean, low float64) {
	if x == nil || a.at.PriorAlone == nil {
		return 0, math.Inf(1)
	}
	return x.Gain(a.at.PriorAlone, len(a.at.Results))
}

// closer reports whether an attack is shown to err by less than guessing the mean, or was never compared with it.
func (a *account) closer(x *attack.Result) bool {
	_, low := a.gain(x)
	return x != nil && low > 0
}

// closerHere reports whether an attack errs by clearly less than guessing the mean on the inputs of this run, though
// this is not shown for others.
func (a *account) closerHere(x *attack.Result) bool {
	mean, low := a.gain(x)
	return mean > 0 && !(low > 0) && x.RootMeanSquare() < littleCloser*a.at.PriorAlone.RootMeanSquare()
}

// recogniser returns the attack with which the model recognises the class in most reconstructions, and in far more of
// them than if the mean is guessed: nil if there is none.
func (a *account) recogniser() *attack.Result {
	if a.at == nil {
		return nil
	}
	without := 0.
	if p := a.at.PriorAlone; p != nil && !math.IsNaN(p.Recognised) {
		without = p.Recognised
	}
	var found *attack.Result
	for _, x := range a.at.Results {
		if s := x.Recognised; s >= recognisedMostly && s-without >= recognisedMostly*(1-without) && s > without && (found == nil || s > found.Recognised) {
			found = x
		}
	}
	return found
}

// strongest returns the certified row per coordinate of all bands with the largest median, by one search: "" is one
// near the input. It is nil if there is none.
func (a *account) strongest(search string) *bound.Summary {
	return a.largest(func(b bound.Summary) bool {
		return b.Status == bound.StatusCertified && b.Band == bound.AllBand && searchOf(b) == search && (b.Method == bound.MethodHCR || b.Method == bound.MethodBarankin)
	})
}

// largest returns the row of a kind with the largest finite median, or one that is unbounded; nil if there is none.
func (a *account) largest(is func(bound.Summary) bool) (best *bound.Summary) {
	if a.m.Bounds == nil {
		return nil
	}
	for i, b := range a.m.Bounds.Summaries {
		if m := b.Quantile(.5); is(b) && (best == nil || !math.IsInf(m, 1) && (math.IsInf(best.Quantile(.5), 1) || m > best.Quantile(.5))) {
			best = &a.m.Bounds.Summaries[i]
		}
	}
	return best
}

// vacuous reports whether a bound says nothing: a reconstruction within a grey level of the original is the original.
func (a *account) vacuous(std float64) bool {
	g := a.setup.Data.GreyLevels
	return std == 0 || g > 0 && std*g < 1
}

// whyUncertified says why no bound by near witnesses is certified.
func (a *account) whyUncertified() string {
	switch b := a.m.Bounds; {
	case b == nil:
		return "no bound was computed"
	case !a.q.Experiment.Noise.Certain():
		return "the divergence of this noise between two inputs is itself an estimate"
	case b.Experiment.Rounding == bound.RoundingMeasured:
		return "the rounding of this net's features is measured, not proved"
	}
	return "no witness gave one"
}
