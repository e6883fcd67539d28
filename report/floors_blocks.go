package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tattle/bound"
)

// floors adds a table of floors for unbiased estimators and of attacks, band by band.
func (d *document) floors(r *Report) {
	b := r.FloorsAndCeilings
	if b == nil || len(b.Bands) == 0 {
		return
	}
	title := "Attacks by band"
	if b.proves() {
		title = "Floors for unbiased estimators, and attacks"
	}
	d.folded(title)
	used := b.columns()
	t := table{Says: "Errors per coordinate in " + r.unit() + ": floors as medians over coordinates and inputs, the others as root mean squares.", Heads: append([]string{"band", "n"}, used.of(digestHeads)...)}
	if used[twinsColumn] {
		t.Says += " Twins: ∞ with a share of coordinates means that for these a million normalised units and more are certified, where twins were sought."
	}
	if b.modes() {
		t.Says += " A mode’s number is the larger of its two frequencies: 0 is the mean grey of a picture, the last band its finest detail."
	}
	for _, band := range b.Bands {
		t.add(append([]string{times(band.Name), fmt.Sprint(band.Coordinates)}, used.of(r.digestCells(band.digest()))...)...)
	}
	d.table(t)
	d.say(b.uneven(), b.unbeaten(), b.undercut())
}

// The columns of a digest.
var digestHeads = []string{"near floor", "far", "twins", "van Trees", "attack", "prior"}

// twinsColumn is the place of twins in a digest.
const twinsColumn = 2

// marks are those of a digest, column by column.
func (d digest) marks() []*Mark {
	return []*Mark{d.floor, d.far, d.twins, d.vanTrees, d.attack, d.prior}
}

// usedColumns holds which columns have a mark in any band.
type usedColumns []bool

func (b *FloorsAndCeilings) columns() usedColumns {
	c := make(usedColumns, len(digestHeads))
	for _, band := range b.Bands {
		for i, m := range band.digest().marks() {
			c[i] = c[i] || m != nil
		}
	}
	return c
}

// of leaves out the cells of columns that hold nothing.
func (c usedColumns) of(cells []string) []string {
	var out []string
	for i, used := range c {
		if used {
			out = append(out, cells[i])
		}
	}
	return out
}

// digestCells are the figures of a digest.
func (r *Report) digestCells(d digest) []string {
	var cells []string
	for _, m := range d.marks() {
		switch {
		case m == nil:
			cells = append(cells, number(math.NaN()))
		case m == d.twins && m.UnboundedFraction > 0:
			cells = append(cells, marked("∞ "+Share(float64(m.UnboundedFraction)), m.AbovePrior))
		default:
			cells = append(cells, marked(r.markValue(m), m.AbovePrior))
		}
	}
	return cells
}

// markValue prints what a mark proves or reaches.
func (r *Report) markValue(m *Mark) string {
	v, whole := r.toUnit(float64(m.level())), 0.
	if r.Data.GreyLevels > 0 {
		whole = greyRange
	}
	switch n := manyRanges(v, whole); {
	case m.unbounded():
		return "∞"
	case math.IsNaN(v):
		return "not known"
	case !m.floor():
		return number(v)
	case v == 0:
		return "proves nothing"
	case n > 0:
		return fmt.Sprintf("> %d× the range", n)
	}
	return "≥ " + atLeastNumber(v)
}

// modes reports whether bands are octaves of cosine modes.
func (b *FloorsAndCeilings) modes() bool {
	return slices.ContainsFunc(b.Bands, func(b BandMarks) bool { return b.Of == "dct" && strings.HasPrefix(b.Name, "mode") })
}

// proves reports whether any band has a floor.
func (b *FloorsAndCeilings) proves() bool {
	return slices.ContainsFunc(b.Bands, func(b BandMarks) bool { return slices.ContainsFunc(b.Marks, Mark.floor) })
}

// uneven says which marks are about fewer examples than the others: empty if all are about the same.
func (b *FloorsAndCeilings) uneven() string {
	most := 0
	for _, m := range b.Bands[0].Marks {
		most = max(most, m.Examples)
	}
	var said []string
	for _, m := range b.Bands[0].Marks {
		if 0 < m.Examples && m.Examples < most {
			said = append(said, fmt.Sprintf("%s: about %d of the %d inputs.", m.title(), m.Examples, most))
		}
	}
	return strings.Join(said, " ")
}

// title names a mark in a few words.
func (m Mark) title() string {
	switch m.Method {
	case markAttack:
		return "attack: " + m.Name
	case markPrior:
		return "prior alone"
	}
	name := boundNames[newBoundKind(m.Method, m.Search)].name
	if m.Search == bound.SearchFar || m.Search == bound.SearchTwins {
		name += " (" + m.Domain + ")"
	}
	return name
}

// unbeaten says in which bands no attack is shown to come closer than the prior alone:
// empty if there is none.
func (b *FloorsAndCeilings) unbeaten() string {
	var bands []string
	for _, band := range b.Bands {
		if d := band.digest(); d.tried != nil && d.attack == nil {
			bands = append(bands, times(band.Name))
		}
	}
	if len(bands) == 0 {
		return ""
	}
	return "No attack is shown to be closer than the prior alone in: " + strings.Join(bands, ", ") + "."
}

// undercut says why an attack errs by less than van Trees' floor, where one does:
// empty elsewhere.
func (b *FloorsAndCeilings) undercut() string {
	bands, below := 0, 0
	for _, band := range b.Bands {
		if d := band.digest(); d.vanTrees != nil && d.attack != nil {
			bands++
			if d.attack.level() < d.vanTrees.level() {
				below++
			}
		}
	}
	if below == 0 {
		return ""
	}
	return fmt.Sprintf("In %d of %s the best attack errs by less than van Trees' floor: that floor is about the average over inputs drawn from a Gaussian with the training data's mean and covariance. These inputs are not drawn from it, so this is no contradiction.", below, Count(bands, "band"))
}
