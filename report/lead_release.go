package report

import (
	"fmt"

	"tattle/bound"
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

// recognisedMostly is the share of reconstructions that the model assigns to the original's class
// from which an attack is said to recognise the class.
const recognisedMostly = .5

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
// the original's class, and that share: nil if it was not measured.
func (r *Report) recognised() (best *Attack, share float64) {
	for i, a := range r.Attacks {
		if a.Recognised != nil && (best == nil || *a.Recognised > share) {
			best, share = &r.Attacks[i], *a.Recognised
		}
	}
	return best, share
}

// recognisedWords says how often the model takes reconstructions of the best attack for the original's
// class, where it mostly does; if it does so only with another attack's, of that one.
func (r *Report) recognisedWords() string {
	a, share := r.recognised()
	if best := r.bestAttack("all"); best != nil && best.Recognised != nil && *best.Recognised >= recognisedMostly {
		a, share = best, *best.Recognised
	}
	if a == nil || share < recognisedMostly {
		return ""
	}
	return fmt.Sprintf("The model assigns %.0f %% of the reconstructions by the %s attack to the original's class.", 100*share, a.Name)
}

// harm names what an adversary is shown to do with the release, the worst first; empty if nothing
// is shown.
func (r *Report) harm() (badge string, tone Tone) {
	if r.Lists != nil && r.Lists.Holder != nil {
		h := r.Lists.Holder
		switch {
		case r.mostlyIdentified():
			return "Input identified", Bad
		case r.Lists.Processed && h.First.High >= identifiedSometimes && beyondGuessing(h.First.High, h.List.Inputs) < identifiedMostly:
			return "Identification not excluded", Warn
		case beyondGuessing(h.First.High, h.List.Inputs) >= identifiedMostly:
			return "Identification not excluded", Bad
		case beyondGuessing(h.First.High, h.List.Inputs) >= identifiedSometimes:
			return "Input sometimes identified", Warn
		}
	}
	if _, share := r.recognised(); share >= recognisedMostly {
		return "Class recognised", Warn
	}
	return "", Calm
}

// releaseLead is the verdict on a release. It is never good, because no figure excludes all harm.
func (r *Report) releaseLead() verdictBlock {
	v := verdictBlock{Says: r.releaseSays(), Tiles: r.releaseTiles()}
	v.Badge, v.Tone = r.harm()
	best := r.bestAttack("all")
	switch {
	case v.Badge != "":
	case best != nil && best.Gain.closer():
		v.Badge, v.Tone = "Input partly reconstructed", Warn
	case r.Lists != nil && r.Lists.Holder != nil && 1/float64(r.Lists.Holder.List.Inputs) >= identifiedSometimes:
		v.Badge = "Identified little more often than by guessing"
	case r.Lists != nil && r.Lists.Holder != nil:
		v.Badge = "Input rarely identified"
	case best != nil && len(r.Bounds) == 0:
		v.Badge = "No closer than guessing"
	case r.Release.NoBounds != "":
		v.Badge, v.Tone = "Nothing is proved", Warn
	case r.Outcome == Vacuous:
		v.Badge, v.Tone = "The bound is vacuous", Bad
	case r.Outcome == Bounded || r.Outcome == Unbounded:
		v.Badge = "Bound for unbiased estimators only"
	default:
		v.Badge = "Nothing is certified"
	}
	return v
}

// releaseSays is what adversaries can do with the release, in up to three sentences.
func (r *Report) releaseSays() string {
	said := []string{r.identifiedSays()}
	best := r.bestAttack("all")
	column, _ := r.exposed()
	switch {
	case column != nil:
		said = append(said, r.exposedSays())
	case r.listed() && !r.closeness()[0].anybody.none():
		said = append(said, fmt.Sprintf("An adversary who knows only what inputs look like reconstructs them with an error of at least %s %s (root mean square).", atLeastNumber(r.closeness()[0].anybody.value), r.unit()))
	case best != nil && best.Gain.closer():
		who := "The best attack that ran"
		if learnedFromItself(r) {
			who = "The best attack that ran, which learned from the inputs that it attacks,"
		} else if r.Lists != nil && r.Lists.Holder != nil {
			who = "Without a list, the best attack that ran"
		}
		if name, _, errs, without := r.nearestColumn(true); name != "" {
			said = append(said, fmt.Sprintf("%s recovers %s to within %s (root mean square, in its own unit; without the release: %s).", who, name, number(errs), number(without)))
			break
		}
		said = append(said, fmt.Sprintf("%s reconstructs it with an error of %s %s%s.", who, number(r.inUnit(float64(best.MeanSquare))), r.unit(), r.priorWords()))
	}
	if best != nil && !best.Gain.closer() {
		said = append(said, r.notCloser(best))
	}
	said = append(said, r.recognisedWords())
	if len(readable(said)) == 0 {
		said = append(said, r.unbiasedSays())
	}
	d := document{}
	d.say(said...)
	return d.blocks[0].(paragraph).Text
}

// notCloser says how the best attack does beside guessing the mean, if it is not shown to come closer.
func (r *Report) notCloser(best *Attack) string {
	attack, alone := r.inUnit(float64(best.MeanSquare)), r.inUnit(float64(r.priorAlone("all").MeanSquare))
	switch {
	case r.byColumn():
		return "No attack that ran is shown to come closer than guessing the mean without the release. A better attack may."
	case attack < alone:
		return fmt.Sprintf("The best attack that ran errs by %s %s, guessing the mean without the release by %s. Over %s, this difference may be chance.",
			number(attack), r.unit(), number(alone), countGrouped(r.Data.Examples, "input"))
	}
	return fmt.Sprintf("No attack that ran comes closer than guessing the mean without the release (error %s %s). A better attack may.", number(alone), r.unit())
}

// priorWords says what is reached without the release.
func (r *Report) priorWords() string {
	if alone := r.priorAlone("all"); alone != nil {
		return fmt.Sprintf("; without the release: %s", number(r.inUnit(float64(alone.MeanSquare))))
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
	guessing := ""
	if g := 1 / float64(h.List.Inputs); g >= identifiedSometimes {
		guessing = "; guessing: " + percentOrLess(g)
	}
	begin := fmt.Sprintf("An adversary with a list of %s names the right one in ", countGrouped(h.List.Inputs, "candidate"))
	switch {
	case !r.Lists.Processed && r.mostlyIdentified():
		return begin + fmt.Sprintf("%s of releases (at least %s%s).", percentOf(h.First.Mean), percentDown(h.First.Low), guessing)
	case !r.Lists.Processed && h.First.High >= identifiedSometimes:
		return begin + fmt.Sprintf("%s of releases (at most %s%s).", percentOf(h.First.Mean), percentUp(h.First.High), guessing)
	}
	return begin + fmt.Sprintf("at most %s of releases.", percentUp(h.First.High))
}

// unbiasedSays says what is known of a release without attacks or lists.
func (r *Report) unbiasedSays() string {
	if r.Release.NoBounds != "" {
		return r.certified()
	}
	_, about := strength(r)
	said := sentenceOf(about)
	if len(r.Bounds) == 0 {
		return "No bound was computed and no attack ran."
	}
	best := bestRow(r, true)
	if best.Method == "" {
		return said
	}
	if words := r.aboveWords(best); words != "" {
		said += " " + sentenceOf("This floor is "+words)
	}
	return said + " It does not limit an adversary who knows what inputs look like."
}

// releaseTiles are the figures behind the verdict on a release.
func (r *Report) releaseTiles() []tile {
	var t []tile
	if r.Lists != nil && r.Lists.Holder != nil {
		h := r.Lists.Holder
		share := percentOf(h.First.Mean)
		if r.Lists.Processed {
			share = "at most " + percentUp(h.First.High)
		}
		t = append(t, tile{"Identification", share, "", fmt.Sprintf("of releases, among %s; guessing: %s", countGrouped(h.List.Inputs, "candidate"), percentOrLess(1/float64(h.List.Inputs)))})
	}
	if c, _ := r.exposed(); c != nil && c.attack.value > 0 {
		t = append(t, tile{"Best attack, " + c.band, number(c.attack.value), "", "RMS error in the column's unit; guessing the mean: " + number(c.attack.prior)})
	} else if name, by, errs, without := r.nearestColumn(false); name != "" {
		t = append(t, tile{"Best attack, " + name, number(errs), "", "RMS error in the column's unit (" + by + "); without the release: " + number(without)})
	} else if best := r.bestAttack("all"); best != nil {
		about := "RMS error (" + best.Name + ")"
		if alone := r.priorAlone("all"); alone != nil {
			about += "; without the release: " + number(r.inUnit(float64(alone.MeanSquare)))
		}
		t = append(t, tile{"Best attack", number(r.inUnit(float64(best.MeanSquare))), r.shortUnit(), about})
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
	if c, _ := r.exposed(); c != nil {
		return tile{"Floor, " + c.band, atLeastNumber(c.anybody.value), "", "least RMS error of an adversary without a list, in the column's unit; guessing the mean: " + number(c.anybody.prior)}
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
	t.About = "for unbiased estimators, median of " + r.halfOfShort(best)
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

// halfOfShort names what a row's median is over, in a word.
func (r *Report) halfOfShort(b bound.Summary) string {
	switch b.Coordinates {
	case "dct":
		return "cosine modes"
	case "pixels":
		return "pixels"
	case "columns":
		return "column values"
	}
	return "vectors"
}

// costTile is the tile of the accuracy; none if it is not known.
func (r *Report) costTile() []tile {
	clean, released := float64(r.Utility.CleanAccuracy), float64(r.Utility.ReleasedAccuracy)
	if clean != clean || released != released || r.Utility.Examples == 0 {
		return nil
	}
	return []tile{{"Accuracy cost", signless(clean - released), "points", percent(clean) + " to " + percent(released)}}
}

// shortUnit is the unit of errors in few words.
func (r *Report) shortUnit() string {
	if r.Data.GreyLevels > 0 {
		return "grey levels"
	}
	return "normalised units"
}

// signless prints a difference of shares in points; what is zero has no sign.
func signless(x float64) string { return minus(fmt.Sprintf("%.1f", nearZero(100*x))) }
