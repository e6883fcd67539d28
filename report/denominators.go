package report

import (
	"fmt"
	"math"
)

// coordinatesOf names the coordinates, and the inputs, that a figure counts: "pixels of
// the 3 of 10 inputs that were tried". What older reports do not count is left out.
func (r *Report) coordinatesOf(name string, examples int) string {
	of := r.tried(examples)
	switch name {
	case "dct":
		return "cosine modes of " + of
	case "pixels":
		return "pixels of " + of
	case "columns":
		return "column values of " + of
	}
	return "vectors of " + name + ", of " + of
}

// tried names so many of the examined inputs.
func (r *Report) tried(examples int) string {
	switch n := r.Data.Examples; {
	case examples == 0:
		return "the inputs"
	case examples < n:
		return fmt.Sprintf("the %d of %s that were tried", examples, Count(n, "input"))
	}
	return "the " + Count(examples, "input")
}

// some says of a figure that counts fewer than the examined inputs: empty elsewhere.
func (r *Report) some(examples int) string {
	if 0 < examples && examples < r.Data.Examples {
		return fmt.Sprintf(" (%d/%d)", examples, r.Data.Examples)
	}
	return ""
}

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
