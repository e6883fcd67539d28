package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tattle/bound"
)

// barColumns is how wide the bars of floors and ceilings are on a terminal.
const barColumns = 34

// unbounded reports whether a mark is unbounded, also if it was read from JSON.
func (m Mark) unbounded() bool { return m.Unbounded || math.IsInf(float64(m.level()), 1) }

// floor reports whether a mark is a lower bound.
func (m Mark) floor() bool { return m.Method != markAttack && m.Method != markPrior }

// title names a mark in a few words; long takes the name that a page has room
// for.
func (m Mark) title(long bool) string {
	switch m.Method {
	case markAttack:
		return "attack: " + m.Name
	case markPrior:
		return "prior alone"
	}
	which := 1
	if long {
		which = 0
	}
	if n := methodNames[newBoundKind(m.Method, m.Search)]; n[which] != "" {
		return n[which] + m.within()
	}
	return m.Method
}

// within names the domain of witnesses that are far from an input, where one differs
// from another: those near it say little of either.
func (m Mark) within() string {
	if m.Domain == "" || m.Search != bound.SearchFar && m.Search != bound.SearchTwins {
		return ""
	}
	return " (" + m.Domain + ")"
}

// value says what a mark proves or reaches, on an axis: in words where a figure
// says nothing more.
func (m Mark) value(s scale) string {
	if n := manyRanges(float64(m.level())*s.unit, s.whole); n > 0 && m.floor() && !m.unbounded() {
		return fmt.Sprintf("> %d× the range", n)
	}
	return m.exact(s)
}

// exact is value with the figure itself.
func (m Mark) exact(s scale) string {
	switch v := float64(m.level()) * s.unit; {
	case m.unbounded():
		return "unbounded"
	case math.IsNaN(v):
		return "not known"
	case !m.floor():
		return number(v)
	case v == 0:
		return "proves nothing"
	default:
		return "≥ " + atLeastNumber(v)
	}
}

// floorLetters draws the floors and ceilings of all coordinates with bars: = from the left where an
// error is proved to be larger, - to the right where an attack has come as near.
func (r *Report) floorLetters(w io.Writer) {
	s, _ := r.FloorsAndCeilings.newScale(float64(r.Data.GreyLevels))
	band := r.FloorsAndCeilings.Bands[0]
	d := band.digest()
	best := cmp.Or(d.attack, d.tried)
	wrap(w, fmt.Sprintf("%s: error in %s, logarithmic.", band.title(), s.name)+r.FloorsAndCeilings.textKey(d.attack != nil))
	fmt.Fprintf(w, "  %-20s%s\n", "", s.textAxis())
	for i := range band.Marks {
		m := &band.Marks[i]
		if m.Method == markAttack && m != best {
			continue // a table has it
		}
		fmt.Fprintf(w, "  %s%s %s%s\n", pad(m.title(false), 20), m.textBar(s), strings.NewReplacer("> ", "over ", " the range", "").Replace(m.value(s)), marked(m.textStatus(), m.AbovePrior))
	}
}

// uneven says which marks are about fewer examples than the others: empty if all
// are about the same.
func (b *FloorsAndCeilings) uneven() string {
	band := b.Bands[0]
	var said []string
	for _, m := range band.Marks {
		if band.some(m) != "" {
			said = append(said, fmt.Sprintf("%s: about %d of the %d inputs.", m.title(false), m.Examples, band.most()))
		}
	}
	return strings.Join(said, " ")
}

// unbeaten says in which bands no attack is shown to come closer than the prior alone:
// empty if there is none.
func (b *FloorsAndCeilings) unbeaten() string {
	var bands []string
	for _, band := range b.Bands {
		if d := band.digest(); d.tried != nil && d.attack == nil {
			bands = append(bands, band.brief())
		}
	}
	if len(bands) == 0 {
		return ""
	}
	return "No attack is shown to be closer than the prior alone in: " + strings.Join(bands, ", ") + "."
}

// textKey says what the bars stand for.
func (b *FloorsAndCeilings) textKey(attacked bool) string {
	key := ""
	if b.proves() {
		key = " === floor for unbiased reconstructions, median over coordinates and inputs; > larger than the axis (100×: 100 times the whole range of the data)."
	}
	if attacked {
		key += " --- begins at the error of the best attack."
	}
	return key + " " + b.squared()
}

// squared says which marks are root mean squares.
func (b *FloorsAndCeilings) squared() string {
	if b.columns()[vanTreesColumn] {
		return "Attack, van Trees and prior alone (guessing the mean, without the release): root mean square over the same."
	}
	return "Attack and prior alone (guessing the mean, without the release): root mean square over coordinates and inputs."
}

// proves reports whether any band has a floor.
func (b *FloorsAndCeilings) proves() bool {
	for _, band := range b.Bands {
		if slices.ContainsFunc(band.Marks, Mark.floor) {
			return true
		}
	}
	return false
}

// The columns of a digest, for a terminal and for a page.
var (
	digestShort = []string{"near floor", "far", "twins", "van Trees", "attack", "prior"}
	digestLong  = []string{"near floor, median", "far, median", "twins", "van Trees, rms", "best attack, rms", "prior alone, rms"}
)

// The places of twins and of van Trees' floor in a digest.
const (
	twinsColumn    = 2
	vanTreesColumn = 3
)

// usedColumns holds which columns have a mark in any band.
type usedColumns []bool

func (b *FloorsAndCeilings) columns() usedColumns {
	c := make(usedColumns, len(digestShort))
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

// marks are those of a digest in the order of its fields.
func (d digest) marks() []*Mark {
	return []*Mark{d.floor, d.far, d.twins, d.vanTrees, d.attack, d.prior}
}

// cells are a digest in words, in the order of its fields.
func (d digest) cells(s scale) []string {
	var cells []string
	for _, m := range d.marks() {
		switch {
		case m == nil:
			cells = append(cells, number(math.NaN()))
		case m == d.twins && m.UnboundedFraction > 0:
			cells = append(cells, marked(d.twins.limitless(), m.AbovePrior))
		default:
			cells = append(cells, marked(strings.NewReplacer("unbounded", "∞", " the range", "").Replace(m.value(s)), m.AbovePrior))
		}
	}
	return cells
}

// limitless says for which share of a band's coordinates twins leave no useful limit.
func (m *Mark) limitless() string {
	if f := float64(m.UnboundedFraction); !math.IsNaN(f) {
		return "∞ " + Share(f)
	}
	return number(math.NaN())
}

// title names a band with the number of its coordinates.
func (b BandMarks) title() string {
	switch of := coordinateWords(b.Of); {
	case b.Name == "all":
		return fmt.Sprintf("All %d %s", b.Coordinates, of)
	case b.Of == "dct" && square(b.Name):
		return fmt.Sprintf("The %s coarsest of the %s (%d)", times(b.Name), of, b.Coordinates)
	case b.Of == "dct":
		return fmt.Sprintf("Cosine %s (%d)", b.Name, b.Coordinates)
	}
	return fmt.Sprintf("%s (%d)", b.Name, b.Coordinates)
}

// square reports whether a band is the coarsest n of both directions, as "8x8".
func square(band string) bool {
	rows, columns, ok := strings.Cut(band, "x")
	_, err := strconv.Atoi(rows)
	return ok && rows == columns && err == nil
}

// textStatus is short so that a line fits.
func (m Mark) textStatus() string {
	if m.Method == markAttack && !m.Gain.closer() {
		return " not closer"
	}
	switch m.Status {
	case StatusDemonstrated:
		return ""
	case "estimated":
		return " est."
	}
	return " " + m.Status
}

func (m Mark) textBar(s scale) string {
	if math.IsNaN(float64(m.level())) && !m.unbounded() || m.Method == markAttack && !m.Gain.closer() {
		return strings.Repeat(" ", barColumns)
	}
	if s.beyond(m) && m.floor() {
		return strings.Repeat("=", barColumns-1) + ">"
	}
	n := min(barColumns-1, int(math.Round(s.at(m.position())*barColumns)))
	switch {
	case m.Method == markPrior:
		return strings.Repeat(" ", n) + ":" + strings.Repeat(" ", barColumns-n-1)
	case m.floor():
		return strings.Repeat("=", n) + strings.Repeat(" ", barColumns-n)
	}
	return strings.Repeat(" ", n) + strings.Repeat("-", barColumns-n)
}

// textAxis sets ticks so that none runs into the next.
func (s scale) textAxis() string {
	line := []byte(strings.Repeat(" ", barColumns+6))
	free := 0
	for _, t := range s.ticks() {
		at := int(math.Round(s.at(t/s.unit) * barColumns))
		if label := number(t); at >= free && at+len(label) < len(line) {
			copy(line[at:], label)
			free = at + len(label) + 2
		}
	}
	return strings.TrimRight(string(line), " ")
}

// pad fills up with blanks to n runes.
func pad(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-utf8.RuneCountInString(s)))
}
