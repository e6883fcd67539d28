package report

import "math"

// scale is a logarithmic axis, in grey levels where those are known. It ends at
// mostRanges times the whole range of the data: to be off by more is all alike,
// and the floors of far witnesses would squeeze the rest of the axis.
type scale struct {
	lo, hi, unit float64
	whole        float64 // the data's range on the axis, zero if it is not known
	name         string
}

// mostRanges is how many times the data's range an axis shows.
const mostRanges = 10

// mostSpan is the axis's end over its beginning: what is smaller proves nothing.
const mostSpan = 1e5

// newScale covers the finite marks of all bands, up to the axis's end, with room
// to their right for arrows. ok is false if there is nothing to show.
func (b *FloorsAndCeilings) newScale(levels float64) (s scale, ok bool) {
	s = scale{lo: math.Inf(1), unit: 1, name: "normalised units"}
	end := math.Inf(1)
	if levels > 0 {
		s.unit, s.name, s.whole = levels, "grey levels of 255", greyRange
		end = mostRanges * s.whole
	}
	for _, band := range b.Bands {
		for _, m := range band.Marks {
			if v := float64(m.level()) * s.unit; v > 0 && !m.unbounded() {
				s.lo, s.hi = min(s.lo, v), max(s.hi, v)
			}
		}
	}
	if s.hi == 0 {
		s.lo, s.hi = 1, 10
	}
	s.hi = min(2*s.hi, end)
	s.lo = below(max(min(s.lo/1.5, s.hi/mostRanges), s.hi/mostSpan))
	return s, len(b.Bands) > 0
}

// beyond reports whether a mark is past the axis's end.
func (s scale) beyond(m Mark) bool {
	return m.unbounded() || float64(m.level())*s.unit > s.hi
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
func (s scale) at(v float64) float64 {
	return min(1, max(0, math.Log(v*s.unit/s.lo)/math.Log(s.hi/s.lo)))
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
