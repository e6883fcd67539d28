package report

import "fmt"

// greyRange is the number of grey levels of the whole range of the data.
const greyRange = 255

// manyRanges returns how many times the whole range an error is, rounded down to 10 or 100; 0 if
// it is less or the range is not known. The exact value of such an error means nothing to a
// reader, so it is in tables and JSON only.
func manyRanges(x, whole float64) int {
	switch {
	case whole > 0 && x >= 100*whole:
		return 100
	case whole > 0 && x >= 10*whole:
		return 10
	}
	return 0
}

// inLevels prints an error, given in normalised units, in grey levels or as many times the range
// of the data.
func (r *Report) inLevels(m float64) string { return r.levels(m, number) }

func (r *Report) levels(m float64, number func(float64) string) string {
	g := float64(r.Data.GreyLevels)
	if g <= 0 {
		return number(m) + " normalised units"
	}
	return fmt.Sprintf("%s grey levels of %d (%s normalised)", number(m*g), greyRange, number(m))
}

// atLeast returns a lower bound in words.
func (r *Report) atLeast(m float64) string {
	if n := manyRanges(m*float64(r.Data.GreyLevels), greyRange); n > 0 {
		return fmt.Sprintf("more than %d times the whole range of the data", n)
	}
	if m*float64(r.Data.GreyLevels) > greyRange {
		return "more than the whole range of the data"
	}
	return "at least " + r.levels(m, atLeastNumber)
}
