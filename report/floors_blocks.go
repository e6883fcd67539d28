package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// floorColumns are the columns of the table of floors and attacks.
var floorColumns = []struct {
	head string
	of   func(BandMarks) *Mark
}{
	{"near floor", func(b BandMarks) *Mark { return b.Near }},
	{"far", func(b BandMarks) *Mark { return b.Far }},
	{"twins", func(b BandMarks) *Mark { return b.Twins }},
	{"attack", BandMarks.closer},
	{"prior", func(b BandMarks) *Mark { return b.Prior }},
}

// closer is the nearest attack if it is shown to be closer than the prior alone, else nil.
func (b BandMarks) closer() *Mark {
	if b.Attack == nil || !b.Attack.Gain.Closer() {
		return nil
	}
	return b.Attack
}

// floors adds a table of floors for unbiased estimators and of attacks, band by band.
func (d *document) floors(r *Report) {
	f := r.FloorsAndCeilings
	if f == nil || len(f.Bands) == 0 {
		return
	}
	title, t := "Attacks by band", table{Says: "Errors per coordinate in " + r.unit() + ": floors as medians over coordinates and inputs, the others as root mean squares.", Heads: []string{"band", "n"}}
	for _, b := range f.Bands {
		t.add(times(b.Name), fmt.Sprint(b.Coordinates))
	}
	for _, c := range floorColumns {
		i := slices.IndexFunc(f.Bands, func(b BandMarks) bool { return c.of(b) != nil })
		if i < 0 {
			continue
		}
		if c.of(f.Bands[i]).Status != StatusDemonstrated {
			title = "Floors for unbiased estimators, and attacks"
		}
		if c.head == "twins" {
			t.Says += " Twins: ∞ with a share of coordinates means that for these a million normalised units and more are certified, where twins were sought."
		}
		t.Heads = append(t.Heads, c.head)
		for k, b := range f.Bands {
			t.Rows[k] = append(t.Rows[k], r.markCell(c.of(b)))
		}
	}
	if f.modes() {
		t.Says += " A mode’s number is the larger of its two frequencies: 0 is the mean grey of a picture, the last band its finest detail."
	}
	d.folded(title)
	d.table(t)
	d.say(f.uneven(), f.unbeaten())
}

// markCell prints what a mark proves or reaches.
func (r *Report) markCell(m *Mark) string {
	if m == nil {
		return number(math.NaN())
	}
	v, whole := r.toUnit(float64(m.Error)), 0.
	if r.Data.GreyLevels > 0 {
		whole = greyRange
	}
	said := "≥ " + atLeastNumber(v)
	switch n := manyRanges(v, whole); {
	case m.UnboundedFraction > 0:
		said = "∞ " + Share(float64(m.UnboundedFraction))
	case m.unbounded():
		said = "∞"
	case math.IsNaN(v):
		said = "not known"
	case m.Status == StatusDemonstrated:
		said = number(v)
	case v == 0:
		said = "proves nothing"
	case n > 0:
		said = fmt.Sprintf("> %d× the range", n)
	}
	return marked(said, m.AbovePrior)
}

// modes reports whether bands are octaves of cosine modes.
func (f *FloorsAndCeilings) modes() bool {
	return slices.ContainsFunc(f.Bands, func(b BandMarks) bool { return b.Of == "dct" && strings.HasPrefix(b.Name, "mode") })
}

// uneven says which marks are about fewer examples than the others: empty if all are about the same.
func (f *FloorsAndCeilings) uneven() string {
	most := 0
	for _, c := range floorColumns {
		if m := c.of(f.Bands[0]); m != nil {
			most = max(most, m.Examples)
		}
	}
	var said []string
	for _, c := range floorColumns {
		if m := c.of(f.Bands[0]); m != nil && 0 < m.Examples && m.Examples < most {
			said = append(said, fmt.Sprintf("%s: about %d of the %d inputs.", capital(c.head), m.Examples, most))
		}
	}
	return strings.Join(said, " ")
}

// unbeaten says in which bands the nearest attack is not shown to come closer than the prior alone:
// empty if there is none.
func (f *FloorsAndCeilings) unbeaten() string {
	var bands []string
	for _, b := range f.Bands {
		if b.Attack != nil && b.closer() == nil {
			bands = append(bands, times(b.Name))
		}
	}
	return when(len(bands) > 0, "The nearest attack is not shown to be closer than the prior alone in: "+strings.Join(bands, ", ")+".")
}
