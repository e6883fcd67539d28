package report

import "fmt"

// listed reports whether there are limits on every adversary.
func (r *Report) listed() bool {
	return r.Lists != nil && (r.Lists.Holder != nil || len(r.Lists.Anybody) > 0)
}

// unbiasedApart reports whether the sentence on unbiased estimators moves to their own section,
// because limits on every adversary come first.
func (r *Report) unbiasedApart() bool {
	return r.listed() && r.FloorsAndCeilings != nil && r.FloorsAndCeilings.proves() && r.Release.NoBounds == "" && (r.strongest("all", near) != nil || r.strongest("all", far) != nil)
}

// Shares of identified inputs from which the headline warns.
const (
	identifiedMostly    = .5
	identifiedSometimes = .01
)

// listTone returns the tone of the headline. It is never good, because no figure excludes all harm.
func (r *Report) listTone() Tone {
	switch h := r.Lists.Holder; {
	case h != nil && beyondGuessing(h.First.High, h.List.Inputs) >= identifiedMostly:
		return Bad
	case h != nil && h.First.High >= identifiedSometimes:
		return Warn
	}
	return Calm
}

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

// headline is the verdict in a sentence or two.
func (r *Report) headline() string {
	s := ""
	if h := r.Lists.Holder; h != nil {
		who := fmt.Sprintf("an adversary with a list of %s", CountGrouped(h.List.Inputs, "candidate"))
		guessing := ""
		if g := 1 / float64(h.List.Inputs); g >= identifiedSometimes {
			guessing = "; guessing: " + percentOrLess(g)
		}
		switch {
		case r.Lists.Processed && h.First.High >= identifiedSometimes:
			s = fmt.Sprintf("Identification not excluded: %s identifies the input in at most %s of releases.", who, percentUp(h.First.High))
		case r.mostlyIdentified():
			s = fmt.Sprintf("Input identified: %s identifies it in %s of releases (at least %s%s).", who, percentOf(h.First.Mean), percentDown(h.First.Low), guessing)
		case h.First.High >= identifiedSometimes:
			s = fmt.Sprintf("Input sometimes identified: %s identifies it in %s of releases (at most %s%s).", who, percentOf(h.First.Mean), percentUp(h.First.High), guessing)
		default:
			s = fmt.Sprintf("Input rarely identified: %s identifies it in at most %s of releases.", who, percentUp(h.First.High))
		}
	}
	first := r.closeness()[0]
	switch best := r.bestAttack("all"); {
	case !first.anybody.none():
		s += fmt.Sprintf(" An adversary who knows only what inputs look like reconstructs them with an error of at least %s %s on average.", AtLeastNumber(first.anybody.value), r.unit())
	case best != nil && best.Gain.closer():
		who := "Without a list, the best attack that ran"
		if learnedFromItself(r) {
			who = "The best attack that ran, which learned from the inputs that it attacks,"
		}
		s += fmt.Sprintf(" %s reconstructs it with an error of %s %s.", who, number(r.inUnit(float64(best.MeanSquare))), r.unit())
	}
	return s
}

// listTiles returns the figures behind the headline.
func (r *Report) listTiles() tiles {
	var t tiles
	if h := r.Lists.Holder; h != nil {
		share := percentOf(h.First.Mean)
		if r.Lists.Processed {
			share = "at most " + percentUp(h.First.High)
		}
		t = append(t, tile{"Identification", share, fmt.Sprintf("of releases, among %s; guessing: %s", CountGrouped(h.List.Inputs, "candidate"), percentOrLess(1/float64(h.List.Inputs)))})
	}
	first := r.closeness()[0]
	if best := r.bestAttack("all"); best != nil {
		about := "RMS error of the attack " + best.Name
		if prior := first.attack.prior; prior == prior {
			about += "; without the release: " + number(prior)
		}
		t = append(t, tile{"Best attack", number(r.inUnit(float64(best.MeanSquare))) + " " + r.shortUnit(), about})
	}
	if r.Lists.EverySample() != nil {
		t = append(t, r.floorTile())
	}
	if clean, released := float64(r.Utility.CleanAccuracy), float64(r.Utility.ReleasedAccuracy); clean == clean && released == released {
		t = append(t, tile{"Accuracy cost", fmt.Sprintf("%.1f points", 100*(clean-released)), percent(clean) + " to " + percent(released)})
	}
	return t
}

// floorTile is the tile of the floor for adversaries without a list.
func (r *Report) floorTile() tile {
	floor := r.closeness()[0].anybody
	if floor.none() {
		return tile{"Floor without a list", floor.floor(), "is proved at this noise for adversaries without a list"}
	}
	return tile{"Floor without a list", floor.floor() + " " + r.shortUnit(), "RMS error of an adversary without a list is at least this; guessing the mean of the same inputs: " + number(floor.prior)}
}

// shortUnit is the unit of errors in few words.
func (r *Report) shortUnit() string {
	if r.Data.GreyLevels > 0 {
		return "grey levels"
	}
	return "normalised units"
}
