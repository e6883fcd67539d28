package report

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"tattle/audit"
)

// curiousLead is the verdict on a classifier whose outputs were attacked: how often the target and
// the sensitive attribute are answered right, and how often without the outputs.
func (r *Report) curiousLead() verdictBlock {
	c := r.Curiosity
	v := verdictBlock{Badge: "No excess shown", Tone: Calm}
	var worst attackResult
	var shown []string
	for i, l := range c.results() {
		if i == 0 || l.Excess > worst.Excess {
			worst = l
		}
		if l.Shown() {
			shown = append(shown, l.Attribute)
		}
	}
	if len(shown) > 0 {
		v.Badge, v.Tone = "Reveals "+and(shown), Warn
	}
	v.Says = worst.says(string(c.Outputs))
	v.Tiles = []tile{
		{"Honesty", percent1(c.Honesty.Value), "", fmt.Sprintf("%s answered right, of %s", c.Target, Count(c.Examples, "test example"))},
		{"Curiosity", percent1(worst.Curiosity.Curiosity.Value), "", worst.Attribute + " guessed right from the outputs"},
		{"Without the outputs", percent1(worst.BaselineValue), "", cmp.Or(bestGuesses[worst.Baseline], "always the most frequent class")},
		{"Excess", change(worst.Excess, 1), "points", worst.uncertainty()},
	}
	return v
}

// says is what the attack shows.
func (l attackResult) says(outputs string) string {
	how := "is not shown to guess %s right more often than the best guess without the outputs; another attack may."
	if l.Shown() {
		how = "guesses %s right more often than the best guess without the outputs, so they reveal more about it than the answer alone."
	}
	return fmt.Sprintf("From the %s outputs, %s "+how, outputs, l.guesser(), l.Attribute)
}

// uncertainty is the excess's interval and p-value.
func (l attackResult) uncertainty() string {
	s := "p " + equalP(l.PValueHolm)
	if i := l.excessInterval(); i.known() {
		s = fmt.Sprintf("95 %% interval %s to %s; ", change(float64(i[0]), 1), change(float64(i[1]), 1)) + s
	}
	return s
}

// bestGuesses say what the best guess without the outputs rests on.
var bestGuesses = map[string]string{audit.FromTarget: "guessed from the true target", audit.FromLabel: "guessed from the answered label"}

// tablesLead is the verdict on published tables that were run again.
func (r *Report) tablesLead() verdictBlock {
	v := verdictBlock{Badge: "Computed again", Tone: Calm}
	var reduced []string
	cells, ran, compared, near := 0, 0, 0, 0
	for i := range r.Tables {
		t := &r.Tables[i]
		c, n, k, m := t.tally()
		cells, ran = cells+c, ran+n
		if t.Reduced == "" {
			compared, near = compared+k, near+m
		} else {
			reduced = append(reduced, strings.TrimSuffix(t.Reduced, "."))
		}
	}
	v.Says = "All published figures of these tables were computed again"
	if ran < cells {
		v.Says = "A part of the published figures was computed again"
	}
	part := r.Outcome == Unfinished
	switch {
	case len(reduced) > 0:
		part, v.Badge = false, "Not comparable"
		v.Says += ", but they do not compare with the published ones: " + strings.Join(unique(reduced), "; ")
	case compared > 0 && near == compared:
		v.Badge, v.Tone = "Agrees with the paper", Good
		v.Says += ", and all that are published with a standard deviation agree"
	case compared > 0:
		v.Badge = fmt.Sprintf("%d of %d figures agree", near, compared)
		v.Says += ", and not all that are published with a standard deviation agree"
	}
	if v.Says += "."; part {
		v.Badge, v.Tone = "Ran in part", Warn
	}
	v.Tiles = []tile{{"Ran", grouped(ran), fmt.Sprintf("of %s", Count(cells, "figure")), "the others were left out"}}
	if ran == cells {
		v.Tiles[0].About = "of the published tables"
	}
	if compared > 0 {
		v.Tiles = append(v.Tiles, tile{"Agree", grouped(near), fmt.Sprintf("of %d", compared), fmt.Sprintf("within %d standard deviations of the published figure", Beyond)})
	}
	v.Tiles = append(v.Tiles, r.firstTile("Honesty, first row", "δy")...)
	v.Tiles = append(v.Tiles, r.firstTile("Curiosity, first row", "δs")...)
	v.Tiles = v.Tiles[:min(4, len(v.Tiles))]
	return v
}

// firstTile is the first figure of that name that ran, beside the published one: δy is how often
// the target is answered right, δs how often the sensitive attribute is guessed right.
func (r *Report) firstTile(title, name string) []tile {
	for _, t := range r.Tables {
		for _, row := range t.Rows {
			for i, c := range row.Cells[:min(len(row.Cells), len(t.Columns))] {
				if k := t.Columns[i]; c.Ours != nil && k.Name == name {
					where := strings.Join(append([]string{k.Group}, row.Labels...), ", ")
					return []tile{{title, c.Ours.Words(k.Unit), "%", strings.TrimPrefix(where+"; published: "+c.Published.Words(k.Unit), ", ")}}
				}
			}
		}
	}
	return nil
}

// figureLead is the verdict on a figure of paper A that was run again.
func (r *Report) figureLead() verdictBlock {
	v := verdictBlock{Badge: "Published beside ours", Tone: Calm}
	for _, c := range r.Published {
		if len(v.Tiles) < 4 && !isNaN(c.Ours) && !isNaN(c.Published) {
			v.Tiles = append(v.Tiles, tile{c.Quantity, number(float64(c.Ours)), "", "published: " + c.published()})
		}
	}
	v.Says = r.figureSays()
	return v
}

// figureSays counts how many figures are within a tenth of the published ones: those that the
// paper prints, then those that were read off its pictures.
func (r *Report) figureSays() string {
	var known, near [2]int
	for _, c := range r.Published {
		if isNaN(c.Ours) || isNaN(c.Published) || c.Published == 0 {
			continue
		}
		kind := 0
		if c.ReadOff {
			kind = 1
		}
		known[kind]++
		if math.Abs(float64(c.Ours/c.Published)-1) < .1 {
			near[kind]++
		}
	}
	var says []string
	for kind, from := range []string{"that paper A prints", "read off its pictures"} {
		if known[kind] > 0 {
			says = append(says, fmt.Sprintf("%d of %s %s", near[kind], Count(known[kind], "figure"), from))
		}
	}
	if says == nil {
		return "The paper prints no figure to compare with."
	}
	return "Within 10 % of ours: " + strings.Join(says, ", and ") + "; the bounds that they describe limit unbiased estimators only."
}

func isNaN(x Number) bool { return x != x }
