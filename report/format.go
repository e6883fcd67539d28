package report

import (
	"encoding/base64"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
)

// dataURI returns a picture as a data URI, or its digest where the report was read from a
// file and has no picture.
func dataURI(b []byte, digest string) template.URL {
	if b == nil {
		return template.URL("sha256:" + digest)
	}
	return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(b))
}

// Fraction prints 0.005 as 1/200 where that is exact enough to be meant.
func Fraction(s float64) string {
	if n := math.Round(1 / s); n >= 2 && math.Abs(1/n-s) < 1e-12 {
		return fmt.Sprintf("1/%.0f", n)
	}
	return number(s)
}

// number prints three significant digits, or a dash for what is not known.
func number(x float64) string {
	switch {
	case math.IsNaN(x):
		return "–"
	case math.IsInf(x, 1):
		return "unbounded"
	case x != 0 && math.Abs(x) < .001:
		return fmt.Sprintf("%.2e", x)
	case math.Abs(x) >= 1e6:
		return fmt.Sprintf("%.2e", x)
	case math.Abs(x) >= 1000:
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// atLeastNumber is number of a lower bound, rounded down.
func atLeastNumber(x float64) string { return number(toDigits(x, math.Floor)) }

// atMostNumber is number of an upper bound, rounded up.
func atMostNumber(x float64) string { return number(toDigits(x, math.Ceil)) }

// toDigits rounds to the digits that number prints.
func toDigits(x float64, round func(float64) float64) float64 {
	size := math.Abs(x)
	if !(size > 0) || math.IsInf(size, 1) {
		return x
	}
	digits := 2 - int(math.Floor(math.Log10(size)))
	if size >= 1000 && size < 1e6 {
		digits = 0
	}
	if n := math.Pow10(min(max(digits, -300), 300)); math.Abs(x*n-math.Round(x*n)) > 1e-9*math.Abs(x*n) {
		return round(x*n) / n
	}
	return x
}

func percent(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return fmt.Sprintf("%.2f %%", 100*x)
}

// above is the multiple of step that is not below x: what bounds a leak from above is
// not made smaller by being written.
func above(x, step float64) float64 { return math.Ceil(x/step-1e-9) * step }

// below is the multiple of step that is not above x.
func below(x, step float64) float64 { return -above(-x, step) }

// inPoints prints a difference of shares in points.
func inPoints(x float64, decimals int) string { return decimal(100*x, "%.*f", decimals) }

// change is inPoints with a sign.
func change(x float64, decimals int) string { return decimal(100*x, "%+.*f", decimals) }

// decimal prints a number with so many decimals; what would be printed as zero has no sign.
func decimal(x float64, format string, decimals int) string {
	switch {
	case math.IsNaN(x):
		return "–"
	case math.Abs(x) < .5*math.Pow10(-decimals):
		return fmt.Sprintf("%.*f", decimals, 0.)
	}
	return minus(fmt.Sprintf(format, decimals, x))
}

// minus prints the sign that is as wide as a plus.
func minus(s string) string { return strings.Replace(s, "-", "−", 1) }

func interval(i [2]float64) string { return percent(i[0]) + " – " + percent(i[1]) }

// Share prints a fraction in percent, rounded down: never 100 % of what is not all.
func Share(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	if x > 0 && x < .001 {
		return "under 0.1 %"
	}
	return fmt.Sprintf("%.4g %%", math.Floor(1000*x+1e-9)/10)
}

// grouped prints a count with commas between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Count says how many there are: "1 epoch", "2,000 epochs".
func Count(n int, what string) string { return grouped(n) + " " + plural(n, what) }

// plural is a word with its s, unless there is one.
func plural(n int, what string) string {
	if n == 1 {
		return what
	}
	return what + "s"
}

// when is a text, or nothing.
func when(is bool, said string) string {
	if is {
		return said
	}
	return ""
}

// unique drops what has been said before.
func unique(words []string) []string {
	var out []string
	for _, w := range words {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}
