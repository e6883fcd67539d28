package report

import (
	"cmp"
	"fmt"
	"math"
	"strings"
)

// listed reports whether there are limits on every adversary.
func (r *Report) listed() bool {
	return r.Lists != nil && (r.Lists.Holder != nil || len(r.Lists.Anybody) > 0)
}

// Shares of identified inputs from which the headline warns.
const (
	identifiedMostly    = .5
	identifiedSometimes = .01
)

// recognisedBadge says that an attack recognises the class of inputs.
const recognisedBadge = "Class recognised"

// recognisedMostly is the share of reconstructions that the model assigns to the original's class
// from which an attack is said to recognise the class.
const recognisedMostly = .5

// littleCloser is the share of the error without the release from which an attack on a column of numbers
// is not closer.
const littleCloser = .98

// beyondGuessing returns the share of identified inputs beyond guessing among so many
// candidates: 0 for guessing, 1 for certainty.
func beyondGuessing(share float64, candidates int) float64 {
	g := 1 / float64(candidates)
	return (share - g) / (1 - g)
}

// mostlyIdentified reports whether it is certified that most inputs are identified.
func (r *Report) mostlyIdentified() bool {
	if r.Lists == nil || r.Lists.Holder == nil || r.Lists.Processed {
		return false
	}
	h := r.Lists.Holder
	return beyondGuessing(h.First.Low, h.List.Inputs) >= identifiedMostly
}

// recognised returns the attack with the largest share of reconstructions that the model assigns to
// the original's class: nil if it was not measured.
func (r *Report) recognised() (best *Attack) {
	for i, a := range r.Attacks {
		if a.Recognised != nil && (best == nil || *a.Recognised > *best.Recognised) {
			best = &r.Attacks[i]
		}
	}
	return best
}

// recognises reports whether the model takes most reconstructions of an attack for the original's
// class, and far more of them than it does if the mean of the training data is guessed.
func (r *Report) recognises(a *Attack) bool {
	if a == nil || a.Recognised == nil {
		return false
	}
	share, without := *a.Recognised, r.recognisedWithout()
	return share >= recognisedMostly && share-without >= recognisedMostly*(1-without) && share > without
}

// recognisedWithout is the share of inputs to whose class the model assigns the mean of the training
// data: 0 if it was not measured.
func (r *Report) recognisedWithout() float64 {
	if mean := r.priorAlone("all"); mean != nil && mean.Recognised != nil {
		return *mean.Recognised
	}
	return 0
}

// recogniser returns the best attack if the model recognises the class in its reconstructions, else
// another attack with which it does: nil if there is none.
func (r *Report) recogniser() *Attack {
	if best := r.bestAttack(); r.recognises(best) {
		return best
	}
	if a := r.recognised(); r.recognises(a) {
		return a
	}
	return nil
}

// recognisedSays says how often the model assigns reconstructions of an attack to the original's
// class; empty if that was not measured.
func (r *Report) recognisedSays(a *Attack) string {
	if a == nil || a.Recognised == nil {
		return ""
	}
	without := ""
	if mean := r.priorAlone("all"); mean != nil && mean.Recognised != nil {
		without = fmt.Sprintf(" (without the release: %.0f %%)", 100**mean.Recognised)
	}
	return fmt.Sprintf("the model assigns %.0f %% of the reconstructions of %s by the %s attack to the original's class%s", 100**a.Recognised, Count(a.Examples, "input"), a.Name, without)
}

// harm names what an adversary is shown to do with the release, the worst first; empty if nothing
// is shown.
func (r *Report) harm() (badge string, tone Tone) {
	if r.Lists != nil && r.Lists.Holder != nil {
		h := r.Lists.Holder
		low, high := beyondGuessing(h.First.Low, h.List.Inputs), beyondGuessing(h.First.High, h.List.Inputs)
		switch {
		case r.mostlyIdentified():
			return "Input identified", Bad
		case high >= identifiedMostly:
			return "Identification not excluded", Bad
		case r.Lists.Processed && h.First.High >= identifiedSometimes, low < identifiedSometimes && high >= identifiedSometimes:
			return "Identification not excluded", Warn
		case low >= identifiedSometimes:
			return "Input sometimes identified", Warn
		}
	}
	if r.recogniser() != nil {
		return recognisedBadge, Warn
	}
	return "", Calm
}

// releaseLead is the verdict on a release. It is never good, because no figure excludes all harm.
func (r *Report) releaseLead() verdictBlock {
	v := verdictBlock{Says: r.releaseSays(), Tiles: r.releaseTiles()}
	v.Badge, v.Tone = r.harm()
	switch {
	case v.Badge != "":
	case r.partlyReconstructed():
		v.Badge, v.Tone = "Input partly reconstructed", Warn
	case r.Lists != nil && r.Lists.Holder != nil && r.Lists.Holder.List.Uneven() >= identifiedSometimes:
		v.Badge, v.Tone = "Common inputs are guessed without the release", Warn
	case r.Lists != nil && r.Lists.Holder != nil && 1/float64(r.Lists.Holder.List.Inputs) >= identifiedSometimes:
		v.Badge = "Identified little more often than by guessing"
	case r.Lists != nil && r.Lists.Holder != nil:
		v.Badge = "Input rarely identified"
	case r.Release.NoBounds != "":
		v.Badge, v.Tone = "Nothing is proved", Warn
	case r.bestAttack() != nil && len(r.Bounds) == 0:
		v.Badge = "No reconstruction shown"
	case r.Outcome == Vacuous:
		v.Badge, v.Tone = "The bound is vacuous", Bad
	case r.Outcome == Unbounded:
		v.Badge, v.Tone = "No bound of use", Warn
	case r.Outcome == Bounded:
		v.Badge = "Bound for unbiased estimators only"
	default:
		v.Badge = "Nothing is certified"
	}
	return v
}

// partlyReconstructed reports whether the best attack is shown to err by less than guessing the mean, or
// errs by clearly less on the inputs of this run.
func (r *Report) partlyReconstructed() bool {
	best := r.bestAttack()
	return best != nil && (best.Gain.Closer() || r.closerHere(best))
}

// closerHere reports whether an attack errs by clearly less than guessing the mean on the inputs of this
// run, though this is not shown for others.
func (r *Report) closerHere(a *Attack) bool {
	alone := r.priorAlone(a.Band)
	return a.Gain.Here() && alone != nil && a.RMS() < littleCloser*alone.RMS()
}

// releaseSays is a sentence on what adversaries can do with the release, the worst first. The tiles
// have the figures.
func (r *Report) releaseSays() string {
	badge, _ := r.harm()
	identified, attacked, floored := r.identifiedSays(), r.attackSays(), r.flooredSays()
	switch {
	case identified != "" && attacked != "":
		return sentenceOf(identified + ", and " + attacked)
	case identified != "":
		return sentenceOf(identified)
	case badge != "" || attacked != "" && floored == "":
		return sentenceOf(attacked)
	case attacked != "":
		return sentenceOf(floored + ", and " + attacked)
	case floored != "":
		return sentenceOf(floored)
	}
	return r.unbiasedSays()
}

// attackSays says whether attacks come closer than guessing, and, if that is the worst harm, that the
// model recognises the class in reconstructions: empty if none ran.
func (r *Report) attackSays() string {
	best := r.bestAttack()
	if best == nil {
		return ""
	}
	said := "no attack that ran is shown to err by less than guessing the mean without the release"
	if r.closerHere(best) {
		said = fmt.Sprintf("on the %s that it ran on, the best attack errs by %s, and guessing the mean without the release by %s", Count(best.Examples, "input"), r.inLevels(best.RMS()), r.inLevels(r.priorAlone("all").RMS()))
	} else if best.Gain.Closer() {
		who := "the best attack that ran"
		if learnedFromItself(r) {
			who += ", which learned from the inputs that it attacks,"
		}
		said = who + " errs by less than guessing the mean without the release"
	}
	if badge, _ := r.harm(); badge == recognisedBadge {
		said += ", and " + r.recognisedSays(r.recogniser())
	}
	return said
}

// flooredSays says that a floor is proved for adversaries without a list: empty if none is.
func (r *Report) flooredSays() string {
	column, _ := r.exposed()
	switch {
	case column != nil:
		return "a floor is proved for every adversary who knows only what rows look like"
	case r.listed() && !r.closeness()[0].anybody.none():
		return "a floor is proved for every adversary who knows only what inputs look like"
	}
	return ""
}

// identifiedSays says how often an adversary with a list identifies the input: empty if that was not
// computed.
func (r *Report) identifiedSays() string {
	if r.Lists == nil || r.Lists.Holder == nil {
		return ""
	}
	h := r.Lists.Holder
	share := "at most " + percentUp(h.First.High)
	if r.mostlyIdentified() {
		share = "at least " + percentDown(h.First.Low)
	}
	s := fmt.Sprintf("an adversary with a list of %s names the right one in %s of releases", Count(h.List.Inputs, "candidate"), share)
	if g := 1 / float64(h.List.Inputs); g >= identifiedSometimes {
		s += " (guessing: " + percentOrLess(g) + ")"
	}
	if share := h.List.Uneven(); share > 0 {
		s += ", if all candidates are equally likely; in these data the commonest input is " + percent1(share) + " of all"
	}
	return s
}

// unbiasedSays says what is known of a release without attacks or lists.
func (r *Report) unbiasedSays() string {
	const notLimited = "it does not limit an adversary who knows what inputs look like"
	switch {
	case r.Release.NoBounds != "":
		return r.certified()
	case len(r.Bounds) == 0:
		return "No bound was computed and no attack ran."
	}
	best := bestRow(r, true)
	if best.Method == "" {
		return "The bounds are estimates."
	}
	if math.IsInf(best.Quantile(.5), 1) {
		return r.certified()
	}
	if isAbove(best.AbovePrior) {
		return "The bound is for unbiased estimators only, and " + r.blind().guessing + " errs by less: " + notLimited + "."
	}
	return "The bound is for unbiased estimators only: " + notLimited + "."
}

// releaseTiles are the figures behind the verdict on a release.
func (r *Report) releaseTiles() []tile {
	var t []tile
	if r.Lists != nil && r.Lists.Holder != nil {
		h := r.Lists.Holder
		share, about := percentOf(h.First.Mean), "of releases, on average"
		if r.Lists.Processed {
			share, about = "≤ "+percentUp(h.First.High), "of releases"
		}
		if g := 1 / float64(h.List.Inputs); g < identifiedSometimes { // else the sentence says it
			about += "; guessing: " + percentOrLess(g)
		}
		t = append(t, tile{"Identification", share, "", about})
	}
	if name, by, errs, without := r.nearestColumn(false); name != "" && errs < littleCloser*without {
		t = append(t, tile{"Best attack, " + name, number(errs), "", "RMS error in the column's unit (" + by + "), on " + Count(r.Data.Examples, "input") + " alone; without the release: " + number(without)})
	} else if name != "" {
		t = append(t, tile{"Best attack", "not closer", "", "than guessing the mean without the release, in any column of numbers"})
	} else if best := r.bestAttack(); best != nil {
		figure, about := number(r.inUnit(best.MeanSquare)), "RMS error ("+best.Name+")"
		on := "on " + Count(best.Examples, "input")
		if x := best.Interval; x != nil && r.listed() && r.Lists.EverySample() != nil { // a floor over other inputs stands beside it
			on += ": " + figure
			figure, about = number(r.inUnit(x[0]))+" to "+number(r.inUnit(x[1])), about+", 95 % interval"
		}
		about += "; " + on
		if alone := r.priorAlone("all"); alone != nil {
			about += ", without the release: " + number(r.inUnit(alone.MeanSquare))
		}
		t = append(t, tile{"Best attack", figure, r.shortUnit(), about})
	}
	switch {
	case r.listed() && r.Lists.EverySample() != nil:
		t = append(t, r.floorTile())
	case r.Release.NoBounds == "" && len(r.Bounds) > 0:
		t = append(t, r.unbiasedTile())
	}
	return append(t, r.costTile()...)
}

// floorTile is the tile of the floor for adversaries without a list.
func (r *Report) floorTile() tile {
	if c, without := r.exposed(); c != nil {
		about := "RMS error in the column's unit, without a list; guessing the mean: " + number(c.anybody.prior)
		if n := len(without); n > 0 {
			about += fmt.Sprintf("; none for %d other %s of numbers", n, plural(n, "column"))
		}
		return tile{"Floor, " + c.band, "≥ " + atLeastNumber(c.anybody.value), "", about}
	}
	floor := r.closeness()[0].anybody
	if floor.none() {
		return tile{"Floor without a list", floor.floor(), "", "nothing is proved at this noise"}
	}
	return tile{"Floor without a list", floor.floor(), r.shortUnit(), "least RMS error of an adversary without a list; guessing the mean: " + number(floor.prior)}
}

// unbiasedTile is the tile of the bound for unbiased estimators.
func (r *Report) unbiasedTile() tile {
	t := tile{"Floor, unbiased only", "none", "", "is certified"}
	best := bestRow(r, false)
	if best.Method == "" {
		return t
	}
	t.About = "for unbiased estimators, median of " + cmp.Or(coordinateNames[best.Coordinates], "vectors")
	switch m := r.toUnit(best.Quantile(.5)); {
	case r.Vacuous(best.Quantile(.5)):
		t.Figure, t.About = "vacuous", "for unbiased estimators: under one grey level"
	case m > greyRange && r.Data.GreyLevels > 0:
		t.Figure, t.Unit = "> the range", "of the data"
	default:
		t.Figure, t.Unit = "≥ "+atLeastNumber(m), r.shortUnit()
	}
	if isAbove(best.AbovePrior) {
		t.About += "; vacuous for others"
	}
	return t
}

// costTile is the tile of the accuracy; none if it is not known.
func (r *Report) costTile() []tile {
	clean, released := float64(r.Utility.CleanAccuracy), float64(r.Utility.ReleasedAccuracy)
	if clean != clean || released != released || r.Utility.Examples == 0 {
		return nil
	}
	return []tile{{"Accuracy cost", inPoints(clean-released, 1), "points", percent(clean) + " to " + percent(released)}}
}

// shortUnit is the unit of errors in few words.
func (r *Report) shortUnit() string { return strings.TrimSuffix(r.unit(), " of 255") }
