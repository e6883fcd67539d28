package dataset

import (
	"math"
	"strconv"
	"strings"
)

// interval is a set of numbers from lo to hi; an open end is not part of it.
type interval struct {
	lo, hi         float64
	openLo, openHi bool
}

// within reports whether all of v is in w.
func (v interval) within(w interval) bool {
	low := v.lo > w.lo || v.lo == w.lo && (v.openLo || !w.openLo)
	high := v.hi < w.hi || v.hi == w.hi && (v.openHi || !w.openHi)
	return low && high
}

// meets reports whether v and w have a number in common.
func (v interval) meets(w interval) bool {
	return before(v.lo, w.hi, v.openLo || w.openHi) && before(w.lo, v.hi, w.openLo || v.openHi)
}

// before reports a ≤ b, or a < b where one of them is not in its interval.
func before(a, b float64, open bool) bool { return a < b || a == b && !open }

// number reads a finite number.
func number(s string) (float64, bool) {
	x, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	return x, err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
}

// prefixes are the ways to write a half line, longest first where one begins
// another.
var prefixes = []struct {
	text string
	make func(x float64) interval
}{
	{"<=", atMost}, {">=", atLeast}, {"<", below}, {">", above},
	{"=", func(x float64) interval { return interval{lo: x, hi: x} }},
	{"more than ", above}, {"over ", above}, {"less than ", below}, {"under ", below},
}

func atMost(x float64) interval  { return interval{lo: math.Inf(-1), hi: x} }
func atLeast(x float64) interval { return interval{lo: x, hi: math.Inf(1)} }
func below(x float64) interval   { return interval{lo: math.Inf(-1), hi: x, openHi: true} }
func above(x float64) interval   { return interval{lo: x, hi: math.Inf(1), openLo: true} }

// parseInterval reads "30", "20-29", "20..29", "20 to 29", "<=30", "more than
// 70" or "70+".
func parseInterval(s string) (interval, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	if x, ok := number(s); ok {
		return interval{lo: x, hi: x}, true
	}
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(s, p.text); ok {
			x, ok := number(rest)
			return p.make(x), ok
		}
	}
	if rest, ok := strings.CutSuffix(s, "+"); ok {
		x, ok := number(rest)
		return atLeast(x), ok
	}
	for _, sep := range []string{"..", " to ", "–", "-"} {
		if v, ok := span(s, sep); ok {
			return v, true
		}
	}
	return interval{}, false
}

// span reads two numbers in order with a separator between them.
func span(s, sep string) (interval, bool) {
	if len(s) < 2 {
		return interval{}, false
	}
	i := strings.Index(s[1:], sep) // a minus before the first number is not one
	if i < 0 {
		return interval{}, false
	}
	lo, ok1 := number(s[:i+1])
	hi, ok2 := number(s[i+1+len(sep):])
	return interval{lo: lo, hi: hi}, ok1 && ok2 && lo <= hi
}
