package measure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"tattle/attack"
	"tattle/bound"
	"tattle/dataset"
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

// conclude adds the findings: what is said first, what it rests on, and what it does not show.
func (a *account) conclude() {
	first := a.verdict()
	a.Findings = append([]report.Finding{first}, a.Findings...)
	a.evidence(first.Code)
	a.advise()
	a.limits()
}

// verdict returns what is said first: the worst that an adversary is shown to do.
func (a *account) verdict() report.Finding {
	say := func(code string, args ...string) report.Finding { return report.Finding{Code: code, Args: args} }
	best := a.best()
	if h := a.held(); h != nil {
		low, high := beyondGuessing(h.First.Low, h.List.Inputs), beyondGuessing(h.First.High, h.List.Inputs)
		switch {
		case !a.lists.Processed && low >= identifiedMostly:
			return say("identified")
		case high >= identifiedMostly:
			return say("not_excluded.most")
		case a.lists.Processed && h.First.High >= identifiedSometimes, low < identifiedSometimes && high >= identifiedSometimes:
			return say("not_excluded")
		case low >= identifiedSometimes:
			return say("identified.some")
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
		return say("identified.common")
	case h != nil && 1/float64(h.List.Inputs) >= identifiedSometimes:
		return say("identified.little")
	case h != nil:
		return say("identified.rarely")
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

// closer reports whether an attack is shown to err by less than guessing the mean.
func (a *account) closer(x *attack.Result) bool { return x != nil && a.at.Gain(x, nil).Closer() }

// closerHere reports whether an attack errs by clearly less than guessing the mean on the inputs of this run, though
// this is not shown for others.
func (a *account) closerHere(x *attack.Result) bool {
	if x == nil || a.at.PriorAlone == nil {
		return false
	}
	return a.at.Gain(x, nil).Here() && x.RootMeanSquare() < littleCloser*a.at.PriorAlone.RootMeanSquare()
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
func (a *account) strongest(search string) (best *bound.Summary) {
	if a.m.Bounds == nil {
		return nil
	}
	for i, b := range a.m.Bounds.Summaries {
		if b.Status != bound.StatusCertified || b.Band != bound.AllBand || searchOf(b) != search || b.Method != bound.MethodHCR && b.Method != bound.MethodBarankin {
			continue
		}
		m := b.Quantile(.5)
		if best == nil || !math.IsInf(m, 1) && (math.IsInf(best.Quantile(.5), 1) || m > best.Quantile(.5)) {
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

// evidence adds what stands beside the verdict.
func (a *account) evidence(verdict string) {
	best := a.best()
	switch {
	case best == nil:
	case a.closer(best) && verdict != "reconstructed":
		a.Find("attack.closer", "")
	case a.closerHere(best) && verdict != "reconstructed.here":
		a.Find("attack.here", "")
	case verdict != "no_attack_closer" && !a.closer(best) && !a.closerHere(best):
		a.Find("attack.not_closer", "")
	}
	if x := a.recogniser(); x != nil && verdict != "recognised" {
		a.Find("attack.recognised", "", x.Attack)
	}
	a.floored()
	if a.lists != nil && a.lists.Hidden != nil {
		a.Find("hidden", "")
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
	if len(a.vacuousRows) > 0 {
		a.Find("vacuous.rows", "", strings.Join(a.vacuousRows, "; "))
	}
}

// sameInPrint reports whether two accuracies, and their difference, are printed as if they were equal.
func sameInPrint(x, y float64) bool {
	print := func(x float64, u report.Unit) string { return report.Exactly(x, u).String() }
	return print(x, report.Share) == print(y, report.Share) && print(x-y, report.Points) == print(0, report.Points)
}

// advise says what to do if identification is not excluded.
func (a *account) advise() {
	if h := a.held(); h == nil || beyondGuessing(h.First.High, h.List.Inputs) < identifiedSometimes {
		return
	}
	a.Find("advice.identified", "")
	a.Find("advice.design", "", fmt.Sprintf("tattle design --model %s --data %s --identify 1%%", argument(a.Model.Path, "MODEL"), argument(a.Data.Path, "DATA")))
}

// argument is a path as a shell reads it; a placeholder if it is not known.
func argument(path, unknown string) string {
	if strings.ContainsAny(path, " '\"$") {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return cmp.Or(path, unknown)
}

// floored says what is proved of adversaries without a list.
func (a *account) floored() {
	if a.lists == nil || a.lists.EverySample() == nil {
		return
	}
	p := a.lists.EverySample()
	if f := p.Floors[0]; negligible(math.Sqrt(f.Anybody), math.Sqrt(f.Prior)) == 0 {
		a.Find("floor.none", "", report.Grouped(p.List.Inputs))
	} else {
		a.Find("floor", a.level(f.Band))
	}
	for _, f := range p.Floors[1:] {
		if u, _ := a.unit(f.Band); u == columnsUnits && negligible(math.Sqrt(f.Anybody), math.Sqrt(f.Prior)) > 0 {
			a.Find("floor.column", a.level(f.Band))
		}
	}
}

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
		if prior == nil || !a.mean && near.Quantile(.5) <= *prior {
			a.Find("unbiased.uncompared", "")
		} else if near.Quantile(.5) > *prior {
			a.Find("unbiased.above", "", map[bool]string{true: "guessing the mean of the training data", false: "guessing the middle of the data's range"}[a.mean])
		}
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
	if n, p := a.setup.Features, a.setup.Inputs; n < p {
		a.Find("fewer", "", report.Grouped(n), report.Grouped(p))
	}
	if res.Rank != nil {
		a.Find("rank", "", report.Grouped(a.setup.Inputs))
	}
	x := res.Experiment
	if len(x.Reasons) > 0 {
		a.Find("sought", "", x.Search.Search+" ("+strings.Join(x.Reasons, "; ")+")")
	}
	a.Find(roundingCodes[x.Rounding], "")
	if x.Runtime.From != "" {
		allowed := ""
		switch {
		case x.Runtime.Error == 0:
		case strings.HasPrefix(a.setup.Release.Noise, "lattice"):
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
	var best *bound.Summary
	for i, b := range a.m.Bounds.Summaries {
		if b.Method == bound.MethodPairMeanSquare && b.Examples == len(a.q.Indices) && b.Quantile(.5) > 0 && (best == nil || b.Quantile(.5) > best.Quantile(.5)) {
			best = &a.m.Bounds.Summaries[i]
		}
	}
	if best == nil {
		return
	}
	u, scale := a.unit(bound.AllBand)
	a.Add(report.Claim{ID: "pair.whole.q50", Kind: report.Kind(best.Status), Value: report.AtLeast(scale*best.Quantile(.5), u), N: best.Examples})
	a.Find("pairs", "", "the "+report.Many(best.Examples, "input"))
}

// limits adds what the figures do not show.
func (a *account) limits() {
	warn := func(code string, args ...string) { a.Find(code, "", args...) }
	res := a.m.Bounds
	if l := a.m.Learned; l != nil {
		for _, why := range l.LeftOut {
			warn("left_out", why)
		}
	}
	if x := a.q.Adversaries; x != nil && x.LeftOut != "" {
		a.Warn(x.LeftOut)
	}
	a.fit()
	if res != nil {
		a.boundLimits(res)
	}
	if ok, why := a.q.Holds(a.q.Experiment.Noise); !ok {
		warn("limits.none", strings.TrimSuffix(why, "."))
	} else if res != nil {
		warn("limits.unbiased")
	}
	if a.best() == nil {
		warn("limits.no_attack")
	} else {
		warn("limits.attacks")
	}
	if a.learnedFromItself() {
		warn("limits.itself")
	}
	if a.q.Data != nil && len(a.q.Indices) < a.q.Data.Len() {
		warn("limits.examined", report.Grouped(len(a.q.Indices)), report.Grouped(a.q.Data.Len()))
	}
	a.listLimits()
}

// fit warns of a model that is right no more often than the guess of the commonest class.
func (a *account) fit() {
	set := a.q.Data
	if set == nil || set.Y == nil || a.m.Utility == nil {
		return
	}
	f, counts := Fit{Examples: set.Len(), Right: int(math.Round(a.m.Utility.Clean.Fraction * float64(set.Len())))}, map[int]int{}
	for _, y := range set.Y {
		counts[y]++
		f.Commonest = max(f.Commonest, counts[y])
	}
	if w := f.Warning("Without noise the model"); w != "" {
		a.Warn(w)
	}
}

// boundLimits says what the bounds do and do not hold for.
func (a *account) boundLimits(res *bound.Result) {
	e := res.Experiment
	for _, w := range res.Warnings {
		a.Warn(w)
	}
	if e.Domain.Low == nil {
		a.Find("limits.free", "")
	}
	if e.Domain.Grid != nil {
		a.Find("limits.stored", "")
	}
	stored := a.setup.Data.Stored
	if far := []string{e.Far.Domain.String(), e.Twins.Domain.String()}; slices.Contains(far, bound.DomainLegal) && stored != nil && stored.As == StoredFloat32 && e.Domain.Low == nil {
		a.Find("limits.storage", "")
	}
	if e.Search.Search == bound.Published {
		a.Find("limits.published", "")
	}
	if slices.ContainsFunc(res.Summaries, bound.Summary.Pair) {
		a.Find("limits.pairs", "")
	}
}

// learnedFromItself reports whether prior and attacks learned from the data that they are measured on.
func (a *account) learnedFromItself() bool {
	from := a.setup.Learned
	if from == (report.File{}) || a.at == nil {
		return false
	}
	same := from.Name == a.Data.Path && a.Data.Part == string(dataset.Train) && from.Name != dataset.KindGlyphs
	return same || from.SHA256 == a.Data.SHA256
}

// listLimits says which adversaries the limits from lists are about, and under which conditions.
func (a *account) listLimits() {
	x := a.lists
	if x == nil {
		return
	}
	for _, why := range x.LeftOut {
		a.Find("left_out", "", why)
	}
	p, h := x.EverySample(), x.Holder
	if p == nil && h == nil {
		return
	}
	a.Find("limits.list", "")
	if x.Processed {
		a.Find("limits.processed", "")
	}
	if h != nil && h.List.Uneven() > 0 {
		a.Find("limits.frequencies", "", report.Exactly(h.List.Uneven(), report.Share).String())
	}
	if h != nil && p != nil && h.List.SHA256 == p.List.SHA256 {
		a.Find("limits.own_list", "")
	}
	if p == nil {
		return
	}
	a.Find("limits.conditions", "", a.conditions())
	of := "this sample"
	if a.setup.Release.FromTraining && x.NoiseFrom == NothingFrom {
		a.Find("limits.training_noise", "")
	} else if a.setup.Release.FromTraining {
		of = "training data that contain inputs of this sample"
	}
	if x.Shared > 0 {
		a.Find("limits.shared", "", report.Many(x.Shared, "input"))
	}
	switch x.NoiseFrom {
	case SigmaFrom:
		a.Find("limits.sigma", "", of)
	case ClipFrom:
		a.Find("limits.clip", "", of)
	}
	switch {
	case p.Apart > 0:
		a.Find("limits.balls", "", report.Many(p.Apart, "input"))
	case a.setup.Data.GreyLevels <= 0:
		a.Find("limits.range", "")
	}
}

// conditions are those on which the limits without a list depend, and which nothing in a run can check.
func (a *account) conditions() string {
	settings, sample := "features, projection, kind of noise, strength", a.lists.EverySample().List
	if a.lists.NoiseFrom == SigmaFrom {
		settings = "features, projection, kind of noise"
	}
	s := fmt.Sprintf("the %s of %s are independent draws from the distribution of inputs; the model was not trained on them; no setting of the release (%s) was chosen by results on them", report.Many(sample.Inputs, "input"), sample.Name, settings)
	if a.lists.Look > 0 {
		s += " but for the looks, whose strengths were fixed before and which share the confidence"
	}
	return s
}
