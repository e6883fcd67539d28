package classical

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"tattle/internal/engine/nn"
)

// same is the width of functions whose rows keep their length.
func same(in int) (int, error) { return in, nil }

// boundless is the bound of functions with no known one.
func boundless(ey, _, _, _ []float64) { fill(ey, math.Inf(1)) }

// exactOnly is the bound of functions that are known where their inputs are exact.
func exactOnly(ey, _, _, ex []float64) {
	fill(ey, 0)
	if slices.ContainsFunc(ex, func(e float64) bool { return e != 0 }) {
		fill(ey, math.Inf(1))
	}
}

// Lookup replaces each number by the value beside it in a table, and all else by the value
// absent. The first of equal keys counts; NaN is a key like any other. Text is looked up by its
// number.
func Lookup(operator string, keys, values []float64, absent float64) *nn.Opaque {
	of := table(keys, values, absent)
	return &nn.Opaque{Operator: operator, Width: same, Bound: exactOnly, Row: func(y, x []float64) {
		for i, k := range x {
			y[i] = of(k)
		}
	}}
}

// table returns the function that looks a key up.
func table(keys, values []float64, absent float64) func(key float64) float64 {
	known, missing := make(map[float64]float64, len(keys)), absent // missing is the value of NaN
	for i, k := range slices.Backward(keys) {
		if k == k {
			known[k] = values[i]
		} else {
			missing = values[i]
		}
	}
	return func(key float64) float64 {
		if v, ok := known[key]; ok {
			return v
		}
		if key != key {
			return missing
		}
		return absent
	}
}

// OneHot has an entry for each category: 1 for the one that a number is. The entries of what is
// no category are 0, or NaN where all must be known.
func OneHot(categories []float64, known bool) *nn.Opaque {
	places := make([]float64, len(categories))
	for i := range places {
		places[i] = float64(i)
	}
	of := table(categories, places, -1)
	return &nn.Opaque{
		Operator: "OneHotEncoder",
		Width: func(in int) (int, error) {
			if in != 1 {
				return 0, fmt.Errorf("rows of %d, want 1", in)
			}
			return len(places), nil
		},
		Row: func(y, x []float64) {
			clear(y)
			if i := int(of(x[0])); i >= 0 {
				y[i] = 1
			} else if known {
				fill(y, math.NaN())
			}
		},
		Bound: exactOnly,
	}
}

// Imputer replaces one value, which may be NaN, by others: one for each input of a row, or one
// for all.
func Imputer(replaced float64, by []float64) *nn.Opaque {
	return &nn.Opaque{
		Operator: "Imputer",
		Width: func(in int) (int, error) {
			if len(by) != 1 && len(by) != in {
				return 0, fmt.Errorf("%d imputed values for rows of %d", len(by), in)
			}
			return in, nil
		},
		Row: func(y, x []float64) {
			for i, v := range x {
				y[i] = v
				if v == replaced || v != v && replaced != replaced {
					y[i] = by[min(i, len(by)-1)]
				}
			}
		},
		Bound: func(ey, _, x, ex []float64) {
			for i, e := range ex {
				ey[i] = e
				if e != 0 && (x[i] != x[i] || math.Abs(x[i]-replaced) <= e*(1+0x1p-50)) {
					ey[i] = math.Inf(1)
				}
			}
		},
	}
}

// Label is the label of the largest score, the first of equal ones; of a single score of two
// classes it is the second where that is above a threshold.
func Label(operator string, labels []float64, threshold float64) *nn.Opaque {
	return &nn.Opaque{
		Operator: operator,
		Width: func(in int) (int, error) {
			if in != len(labels) && (in != 1 || len(labels) != 2) {
				return 0, errors.New("as many labels as scores are needed")
			}
			return 1, nil
		},
		Row: func(y, x []float64) {
			best := nn.Largest(x)
			if len(x) == 1 && x[0] > threshold {
				best = 1
			}
			y[0] = labels[best]
		},
		Bound: exactOnly,
	}
}
