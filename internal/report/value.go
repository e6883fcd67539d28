package report

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Unit is the unit of a value. A unit that is none of the constants is printed behind the number.
type Unit string

// The units with a form of their own.
const (
	Number  Unit = ""
	Share   Unit = "share"   // a fraction, printed in percent
	Percent Unit = "percent" // a fraction, printed in percent with two decimals and without the sign, as published tables do
	Points  Unit = "points"  // a difference of fractions, printed in points with a sign
	Count   Unit = "count"
	Bits    Unit = "bits"
	Chance  Unit = "probability" // a p-value
	Grey    Unit = "grey levels" // of 255

	Variance Unit = "% of the variance" // a difference of shares of a variance, printed like points
)

// Value is a number with an interval or a limit. What is not known is NaN.
//
// A value with X alone is a number, one with Low and High beside X has an interval, one with Low alone is a
// lower bound and one with High alone an upper bound. Limits are printed rounded away from what they claim:
// Low down, High up, so that no printed limit claims more than the computed one.
type Value struct {
	X, Low, High float64
	Unit         Unit
	Confidence   float64 // of the interval or limit; 0 if it is certain or there is none
}

var nan = math.NaN()

// Exactly returns a value without an interval.
func Exactly(x float64, u Unit) Value { return Value{x, nan, nan, u, 0} }

// Within returns a value with an interval that holds with a confidence.
func Within(x, low, high float64, u Unit, confidence float64) Value {
	return Value{x, low, high, u, confidence}
}

// AtLeast returns a lower bound.
func AtLeast(low float64, u Unit) Value { return Value{nan, low, nan, u, 0} }

// AtMost returns an upper bound.
func AtMost(high float64, u Unit) Value { return Value{nan, nan, high, u, 0} }

// Sure returns v with the confidence of its limit.
func (v Value) Sure(confidence float64) Value { v.Confidence = confidence; return v }

// known reports whether a part of a value is known.
func known(x float64) bool { return !math.IsNaN(x) }

// String prints the value with its unit and, if there is one, its interval.
func (v Value) String() string {
	if known(v.X) && known(v.Low) && known(v.High) {
		return v.Figure() + " (" + v.Interval() + ")"
	}
	return v.Figure()
}

// Figure prints the value or the limit with its unit: "61.2 %", "≥ 43.2 grey levels". A lower bound of 0 is "none".
func (v Value) Figure() string {
	return v.bare() + v.Unit.behind(v.bare() != "none" && v.bare() != "–")
}

// bare is Figure without a unit that stands in words.
func (v Value) bare() string {
	switch {
	case known(v.X):
		return v.Unit.print(v.X, nearest)
	case v.Low == 0:
		return "none"
	case known(v.Low):
		return "≥ " + strings.TrimPrefix(v.Unit.print(v.Low, down), "+")
	case known(v.High):
		return "≤ " + strings.TrimPrefix(v.Unit.print(v.High, up), "+")
	}
	return "–"
}

// Interval prints the limits with the unit: "58.1 to 64.0 %"; a dash if there are none.
func (v Value) Interval() string { return v.interval() + v.Unit.behind(known(v.Low) && known(v.High)) }

// interval is Interval without a unit that stands in words.
func (v Value) interval() string {
	if !known(v.Low) || !known(v.High) {
		return "–"
	}
	return strings.TrimSuffix(v.Unit.print(v.Low, down), " %") + " to " + v.Unit.print(v.High, up)
}

// LowFigure prints the lower limit, rounded down, with its unit.
func (v Value) LowFigure() string {
	return v.Unit.print(v.Low, down) + v.Unit.behind(known(v.Low))
}

// Asked prints a limit that somebody asked for with the digits that it was asked with, not rounded.
func (v Value) Asked() string {
	sign, x := "≤ ", v.High
	if known(v.Low) {
		sign, x = "≥ ", v.Low
	}
	if !known(x) {
		return v.Figure()
	}
	unit := v.Unit.behind(true)
	if v.Unit == Share || v.Unit == Points {
		x *= 100
	}
	if v.Unit == Share {
		unit = " %"
	}
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64) // 0.0145 times 100 is 1.45
	return sign + strconv.FormatFloat(x, 'f', -1, 64) + unit
}

// axis is the unit that an axis has for values of a unit.
func (u Unit) axis() Unit {
	if u == Variance {
		return Points
	}
	return u
}

// behind is the word behind a number; empty for units that are part of the number.
func (u Unit) behind(is bool) string {
	switch {
	case !is || u == Share || u == Count || u == Chance || u == Number:
		return ""
	case u == Percent:
		return " %"
	}
	return " " + string(u)
}

// print prints a number of the unit, rounded to the digits that are shown.
func (u Unit) print(x float64, to toward) string {
	switch {
	case math.IsNaN(x):
		return "–"
	case math.IsInf(x, 1):
		return "unbounded"
	case math.IsInf(x, -1):
		return "−unbounded"
	}
	switch u {
	case Share:
		return percent(x, to)
	case Percent:
		return decimal(x, 2, 2, to)
	case Points, Variance:
		s := decimal(x, 2, 1, to)
		if x > 0 && s != "0.0" {
			s = "+" + s
		}
		return s
	case Chance:
		if to == nearest {
			return PValue(&x)
		}
	case Count:
		if x == math.Trunc(x) && math.Abs(x) < 1e15 {
			return Grouped(int(x))
		}
	}
	return significant(x, to)
}

// percent prints a share with one decimal, with three digits if it is below 10 % or near all. It never prints 0 %
// or 100 % for what is not none or all.
func percent(x float64, to toward) string {
	decimals, none, all := 1, math.Abs(x), math.Abs(1-x)
	switch {
	case none > 0 && none < 1e-9:
		return scientific(x, 2, to) + " %"
	case none > 0 && none < .1:
		decimals = -int(math.Floor(math.Log10(none)))
	case all > 0 && all < .001:
		decimals = min(13, -2-int(math.Floor(math.Log10(all))))
	}
	return decimal(x, 2, decimals, to) + " %"
}

// significant prints three significant digits.
func significant(x float64, to toward) string {
	size := math.Abs(x)
	switch {
	case size == 0:
		return "0"
	case size >= 1e6 || size < .001:
		return scientific(x, 0, to)
	case size >= 1000:
		return decimal(x, 0, 0, to)
	}
	s := decimal(x, 0, 2-int(math.Floor(math.Log10(size))), to)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// toward is where a number is rounded to.
type toward int

const (
	down toward = iota - 1
	nearest
	up
)

// steps rounds x to a whole number of 10⁻ⁿ. A step is compared with x as the float64 that its decimals are read as:
// 0.57 is 57 hundredths, in whatever direction it is rounded.
func steps(x float64, n int, to toward) float64 {
	k := math.Round(x * math.Pow10(n))
	at, _ := strconv.ParseFloat(fmt.Sprintf("%.0fe%d", k, -n), 64)
	switch {
	case to == down && at > x:
		return k - 1
	case to == up && at < x:
		return k + 1
	}
	return k
}

// decimal prints x times 10 to the power of shift with so many decimals.
func decimal(x float64, shift, decimals int, to toward) string {
	k := steps(x, shift+decimals, to) + 0. // −0 becomes 0
	return strings.Replace(strconv.FormatFloat(k/math.Pow10(decimals), 'f', decimals, 64), "-", "−", 1)
}

// scientific prints x times 10 to the power of shift with three digits and an exponent.
func scientific(x float64, shift int, to toward) string {
	if math.Abs(x) < 1e-300 { // beyond the powers of ten that float64 has
		if x > 0 && to == down || x < 0 && to == up {
			return "0"
		}
		x = math.Copysign(1e-300, x)
	}
	e := int(math.Floor(math.Log10(math.Abs(x))))
	k := steps(x, 2-e, to)
	if math.Abs(k) >= 1000 {
		k, e = k/10, e+1
	}
	return strings.Replace(fmt.Sprintf("%.2fe%+03d", k/100, e+shift), "-", "−", 1)
}

// PValue prints a p-value.
func PValue(p *float64) string {
	switch {
	case p == nil || math.IsNaN(*p):
		return "–"
	case *p < 1e-4:
		return "< 0.0001"
	}
	return strconv.FormatFloat(*p, 'f', 4, 64)
}

// Grouped prints a count with commas between thousands.
func Grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// jsonNumber writes NaN as null and infinities as strings, which JSON has no numbers for.
type jsonNumber float64

func (n jsonNumber) MarshalJSON() ([]byte, error) {
	switch x := float64(n); {
	case math.IsNaN(x):
		return []byte("null"), nil
	case math.IsInf(x, 0):
		return fmt.Appendf(nil, "%q", strconv.FormatFloat(x, 'g', -1, 64)), nil
	default:
		return json.Marshal(x)
	}
}

func (n *jsonNumber) UnmarshalJSON(b []byte) error {
	switch string(b) {
	case "null":
		*n = jsonNumber(nan)
	case `"+Inf"`:
		*n = jsonNumber(math.Inf(1))
	case `"-Inf"`:
		*n = jsonNumber(math.Inf(-1))
	default:
		return json.Unmarshal(b, (*float64)(n))
	}
	return nil
}

// jsonValue is a Value as JSON has it: what is not known is left out.
type jsonValue struct {
	X          *jsonNumber `json:"x,omitempty"`
	Low        *jsonNumber `json:"low,omitempty"`
	High       *jsonNumber `json:"high,omitempty"`
	Unit       Unit        `json:"unit,omitempty"`
	Confidence float64     `json:"confidence,omitempty"`
}

// MarshalJSON leaves out what is not known.
func (v Value) MarshalJSON() ([]byte, error) {
	part := func(x float64) *jsonNumber {
		if n := jsonNumber(x); known(x) {
			return &n
		}
		return nil
	}
	return json.Marshal(jsonValue{part(v.X), part(v.Low), part(v.High), v.Unit, v.Confidence})
}

// UnmarshalJSON reads what is left out as NaN.
func (v *Value) UnmarshalJSON(b []byte) error {
	var j jsonValue
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	part := func(n *jsonNumber) float64 {
		if n == nil {
			return nan
		}
		return float64(*n)
	}
	*v = Value{part(j.X), part(j.Low), part(j.High), j.Unit, j.Confidence}
	return nil
}

// jsonSeries is a Series whose numbers may be NaN or infinite.
type jsonSeries struct {
	ID   string       `json:"id"`
	Name string       `json:"name"`
	X    []jsonNumber `json:"x"`
	Y    []jsonNumber `json:"y"`
	Low  []jsonNumber `json:"low,omitempty"`
	High []jsonNumber `json:"high,omitempty"`
}

func converted[To, From ~float64](x []From) []To {
	if x == nil {
		return nil
	}
	out := make([]To, len(x))
	for i := range x {
		out[i] = To(x[i])
	}
	return out
}

// MarshalJSON writes NaN as null.
func (s Series) MarshalJSON() ([]byte, error) {
	return json.Marshal(jsonSeries{s.ID, s.Name, converted[jsonNumber](s.X), converted[jsonNumber](s.Y), converted[jsonNumber](s.Low), converted[jsonNumber](s.High)})
}

// UnmarshalJSON reads what MarshalJSON wrote. It returns an error if the lengths differ.
func (s *Series) UnmarshalJSON(b []byte) error {
	var j jsonSeries
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	if len(j.X) != len(j.Y) || len(j.Low) != len(j.High) || len(j.Low) > 0 && len(j.Low) != len(j.X) {
		return fmt.Errorf("series %s, %s: x, y, low and high have different lengths", j.ID, j.Name)
	}
	*s = Series{j.ID, j.Name, converted[float64](j.X), converted[float64](j.Y), converted[float64](j.Low), converted[float64](j.High)}
	return nil
}
