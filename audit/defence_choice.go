package audit

import "fmt"

// recommend marks a defence and says why: of those that leave every attribute an excess
// whose upper limit is at most the margin, the one that keeps the most honesty, and of
// equally honest ones the one that releases the most, which the list holds first. Where
// none is shown to leave so little it is to release the label only, which by
// construction tells no more than the label does, or nothing.
func recommend(list []Defence, margin float64) string {
	best := -1
	for i := range list {
		list[i].Recommended = false
		if len(list[i].Left) > 0 && list[i].enough(margin) && (best < 0 || list[i].Honesty.Correct > list[best].Honesty.Correct) {
			best = i
		}
	}
	points := fmt.Sprintf("%.3g points", 100*margin)
	switch {
	case len(list) == 0 || len(list[0].Left) == 0:
		return "No attribute could be attacked, so that no defence could be tried."
	case list[0].enough(margin):
		list[0].Recommended = true
		return fmt.Sprintf("No defence is called for: with none the attacks reach an excess of at most %s, upper limits included.", points)
	case best >= 0 && list[best].Name != LabelOnly:
		list[best].Recommended = true
		return fmt.Sprintf("Release %q: of the defences whose excess is at most %s, upper limits included, it keeps the most honesty, %.1f %%.",
			list[best].Name, points, 100*list[best].Honesty.Value)
	}
	for i := range list {
		list[i].Recommended = list[i].Name == LabelOnly
	}
	return fmt.Sprintf("Release the label only, or nothing: no other defence was shown to leave an excess of at most %s, upper limits included. What the label itself tells remains.", points)
}

// enough tells whether every attribute's excess is at most the margin, upper limit
// included.
func (d *Defence) enough(margin float64) bool {
	for _, l := range d.Left {
		if !(l.Excess.High <= margin) {
			return false
		}
	}
	return true
}
