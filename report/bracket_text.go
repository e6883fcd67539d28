package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// barColumns is how wide the bars of the bracket are on a terminal.
const barColumns = 34

// scale is a logarithmic axis that holds every finite mark of a band, in grey
// levels where those are known.
type scale struct {
	lo, hi, unit float64
	name         string
}

// newScale covers the finite marks of all bands, with room to their right for
// arrows. ok is false where there is nothing to show.
func (b *Bracket) newScale(levels float64) (s scale, ok bool) {
	s = scale{lo: math.Inf(1), unit: 1, name: "normalised units"}
	if levels > 0 {
		s.unit, s.name = levels, "grey levels of 255"
	}
	for _, band := range b.Bands {
		for _, m := range band.Marks {
			if v := float64(m.Median) * s.unit; v > 0 && !m.unbounded() {
				s.lo, s.hi = min(s.lo, v), max(s.hi, v)
			}
		}
	}
	if s.hi == 0 {
		s.lo, s.hi = 1, 10
	}
	s.lo, s.hi = below(s.lo/1.5), s.hi*2
	return s, len(b.Bands) > 0
}

// below rounds down to 1 or 3 times a power of ten.
func below(x float64) float64 {
	e := math.Pow(10, math.Floor(math.Log10(x)))
	if x >= 3*e {
		return 3 * e
	}
	return e
}

// at is the place of a value on the axis, 0 to 1.
func (s scale) at(median Number) float64 {
	v := float64(median) * s.unit
	return min(1, max(0, math.Log(v/s.lo)/math.Log(s.hi/s.lo)))
}

// mostTicks is what a telephone has room for.
const mostTicks = 8

// ticks are 1 and 3 times the powers of ten on the axis, thinned out where they
// are many.
func (s scale) ticks() []float64 {
	var t []float64
	for v := s.lo; v < s.hi; v = below(v * 3.4) {
		t = append(t, v)
	}
	for len(t) > mostTicks {
		for i := range (len(t) + 1) / 2 {
			t[i] = t[2*i]
		}
		t = t[:(len(t)+1)/2]
	}
	return t
}

// unbounded tells it of a mark that was just made and of one read from JSON.
func (m Mark) unbounded() bool { return m.Unbounded || math.IsInf(float64(m.Median), 1) }

// floor tells whether a mark is a lower bound.
func (m Mark) floor() bool { return m.Method != MarkAttack && m.Method != MarkPrior }

// title names a mark in a few words; long takes the name that a page has room
// for.
func (m Mark) title(long bool) string {
	switch m.Method {
	case MarkAttack:
		return "attack: " + m.Name
	case MarkPrior:
		return "no release, prior"
	}
	which := 1
	if long {
		which = 0
	}
	if n := methodNames[newRung(m.Method, m.Search)]; n[which] != "" {
		return n[which]
	}
	return m.Method
}

// value says what a mark proves or reaches, on an axis.
func (m Mark) value(s scale) string {
	switch v := float64(m.Median) * s.unit; {
	case m.unbounded():
		return "unbounded"
	case math.IsNaN(v):
		return "not known"
	case !m.floor():
		return number(v)
	case v == 0:
		return "proves nothing"
	default:
		return "≥ " + number(v)
	}
}

// textBracket draws the bracket with bars: = from the left where an error is
// proved to be larger, - to the right where an attack has come as near.
func (r *Report) textBracket(w io.Writer) {
	if r.Bracket == nil {
		return
	}
	s, ok := r.Bracket.newScale(float64(r.Data.GreyLevels))
	if !ok {
		return
	}
	fmt.Fprintln(w)
	wrap(w, fmt.Sprintf("The bracket: the adversary's median error per coordinate, in %s, on a logarithmic scale. Floors (===) are errors that no unbiased reconstruction gets below, and an arrow means without limit. Ceilings (---) are what was reached: an attack that ran errs as little as where its dashes begin.", s.name))
	for _, band := range r.Bracket.Bands {
		fmt.Fprintf(w, "\n%s\n", band.title())
		fmt.Fprintf(w, "  %-19s%s\n", "", s.textAxis())
		for _, m := range band.Marks {
			fmt.Fprintf(w, "  %s%s %s%s\n", pad(m.title(false), 19), m.textBar(s), m.value(s), m.textStatus())
		}
		wrap(w, band.verdict(s))
	}
}

func (b BracketBand) title() string {
	of := coordinateWords(b.Of)
	if b.Name == "all" {
		return fmt.Sprintf("All %d %s", b.Coordinates, of)
	}
	return fmt.Sprintf("The %s coarsest of the %s (%d)", times(b.Name), of, b.Coordinates)
}

// textStatus is short so that a line fits.
func (m Mark) textStatus() string {
	switch m.Status {
	case StatusDemonstrated:
		return ""
	case "estimated":
		return " est."
	}
	return " " + m.Status
}

func (m Mark) textBar(s scale) string {
	if math.IsNaN(float64(m.Median)) && !m.unbounded() {
		return strings.Repeat(" ", barColumns)
	}
	if m.unbounded() {
		return strings.Repeat("=", barColumns-1) + ">"
	}
	n := min(barColumns-1, int(math.Round(s.at(m.Median)*barColumns)))
	switch {
	case m.Method == MarkPrior:
		return strings.Repeat(" ", n) + ":" + strings.Repeat(" ", barColumns-n-1)
	case m.floor():
		return strings.Repeat("=", n) + strings.Repeat(" ", barColumns-n)
	}
	return strings.Repeat(" ", n) + strings.Repeat("-", barColumns-n)
}

// textAxis sets every other tick, so that none runs into the next.
func (s scale) textAxis() string {
	line := []byte(strings.Repeat(" ", barColumns+6))
	free := 0
	for _, t := range s.ticks() {
		at := int(math.Round(s.at(Number(t/s.unit)) * barColumns))
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
