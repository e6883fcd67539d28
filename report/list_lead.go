package report

import "fmt"

// listed tells whether there are limits on every adversary.
func (r *Report) listed() bool {
	return r.Lists != nil && (r.Lists.Holder != nil || len(r.Lists.Anybody) > 0)
}

// unbiasedApart tells whether the sentence on unbiased estimators stands in their section,
// since what binds every adversary comes first.
func (r *Report) unbiasedApart() bool {
	return r.listed() && r.FloorsAndCeilings != nil && r.FloorsAndCeilings.proves() && r.Release.NoBounds == "" && (r.strongest("all", near) != nil || r.strongest("all", far) != nil)
}

// Shares of releases whose input is named from which the report warns.
const (
	namedMostly    = .5
	namedSometimes = .01
)

// listTone is that of the headline. It is never good: nothing here excludes all harm.
func (r *Report) listTone() Tone {
	switch h := r.Lists.Holder; {
	case h != nil && h.First.High >= namedMostly:
		return Bad
	case h != nil && h.First.High >= namedSometimes:
		return Warn
	}
	return Calm
}

// headline is the verdict in a sentence or two.
func (r *Report) headline() string {
	s := ""
	if h := r.Lists.Holder; h != nil {
		who := fmt.Sprintf("an adversary with a list of %s", CountGrouped(h.List.Inputs, "candidate"))
		switch {
		case h.First.Low >= namedMostly:
			s = fmt.Sprintf("Input identified: %s names it in %s of releases (at least %s).", who, percent1(h.First.Mean), percentDown(h.First.Low))
		case h.First.High >= namedSometimes:
			s = fmt.Sprintf("Input sometimes identified: %s names it in %s of releases (at most %s).", who, percent1(h.First.Mean), percentUp(h.First.High))
		default:
			s = fmt.Sprintf("Input rarely identified: %s names it in at most %s of releases.", who, percentUp(h.First.High))
		}
	}
	floor, prior := r.everybodysFloor()
	switch best := r.bestAttack("all"); {
	case floorCell(floor, prior) != "none":
		s += fmt.Sprintf(" Without a list, no adversary reconstructs inputs with an error of less than %s %s on average.", AtLeastNumber(floor), r.unit())
	case best != nil && best.Gain.closer():
		s += fmt.Sprintf(" Without a list, the best attack that ran reconstructs it with an error of %s %s.", number(r.inUnit(float64(best.MeanSquare))), r.unit())
	}
	return s
}

// everybodysFloor is the floor for adversaries without a list over whole inputs, 0 for
// none, and what the prior alone errs by.
func (r *Report) everybodysFloor() (floor, prior float64) {
	if p := r.Lists.EverySample(); p != nil {
		floor = r.inUnit(p.Floors[0].Anybody)
	}
	return floor, r.closeness()[0].prior
}

// listTiles are the figures behind the headline.
func (r *Report) listTiles() tiles {
	var t tiles
	unit := "normalised units"
	if r.Data.GreyLevels > 0 {
		unit = "grey levels"
	}
	if h := r.Lists.Holder; h != nil {
		t = append(t, tile{"Identification", percent1(h.First.Mean), fmt.Sprintf("of releases, among %s; guessing: %s", CountGrouped(h.List.Inputs, "candidate"), percentOrLess(1/float64(h.List.Inputs)))})
	}
	floor, prior := r.everybodysFloor()
	if best := r.bestAttack("all"); best != nil {
		about := "RMS error of the attack " + best.Name
		if prior == prior {
			about += "; without the release: " + number(prior)
		}
		t = append(t, tile{"Best attack", number(r.inUnit(float64(best.MeanSquare))) + " " + unit, about})
	}
	if r.Lists.EverySample() != nil {
		figure, about := floorCell(floor, prior), "RMS error below which nobody comes who holds no list"
		if figure == "none" {
			about = "proved at this noise for adversaries who know what inputs look like"
		} else {
			figure += " " + unit
		}
		t = append(t, tile{"Floor, every adversary", figure, about})
	}
	if clean, released := float64(r.Utility.CleanAccuracy), float64(r.Utility.ReleasedAccuracy); clean == clean && released == released {
		t = append(t, tile{"Accuracy cost", fmt.Sprintf("%.1f points", 100*(clean-released)), percent(clean) + " to " + percent(released)})
	}
	return t
}
