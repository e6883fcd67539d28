package report

import (
	"fmt"
)

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

// units says in what the tables are.
func (r *Report) units() string {
	if g := float64(r.Data.GreyLevels); g > 0 {
		return fmt.Sprintf("in the model's normalised units (one is %s grey levels of 255)", number(g))
	}
	return "in the model's normalised units"
}

// coordinatesOf names the coordinates, and the inputs, that a figure counts: "pixels of
// the 3 of 10 inputs that were tried". What older reports do not count is left out.
func (r *Report) coordinatesOf(name string, examples int) string {
	of := r.tried(examples)
	if what, known := coordinateNames[name]; known {
		return what + " of " + of
	}
	return "vectors of " + name + ", of " + of
}

// coordinateNames are the coordinates that need no file.
var coordinateNames = map[string]string{"dct": "cosine modes", "pixels": "pixels", "columns": "column values"}

// tried names so many of the examined inputs.
func (r *Report) tried(examples int) string {
	switch n := r.Data.Examples; {
	case examples == 0:
		return "the inputs"
	case examples < n:
		return fmt.Sprintf("the %s of %s that were tried", grouped(examples), Count(n, "input"))
	}
	return "the " + Count(examples, "input")
}

// some says of a figure that counts fewer than the examined inputs: empty elsewhere.
func (r *Report) some(examples int) string {
	return when(0 < examples && examples < r.Data.Examples, fmt.Sprintf(" (%d/%d)", examples, r.Data.Examples))
}
