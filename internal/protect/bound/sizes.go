package bound

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// leastSearched is the smallest size of a perturbation: below, float32 witnesses are mostly rounding
// error.
const leastSearched = 1e-5

// ParseSizes reads the sizes of perturbations, such as 1/200 or 0.005, which must differ.
func ParseSizes(specs []string) ([]float64, error) {
	var out []float64
	for _, s := range specs {
		v, err := parseFraction(s)
		if err != nil {
			return nil, err
		}
		if slices.Contains(out, v) {
			return nil, fmt.Errorf("%s is given twice", s)
		}
		out = append(out, v)
	}
	return out, nil
}

// parseFraction reads 1/200 or 0.005.
func parseFraction(s string) (float64, error) {
	num, den, ok := strings.Cut(s, "/")
	if !ok {
		den = "1"
	}
	a, errA := strconv.ParseFloat(num, 64)
	b, errB := strconv.ParseFloat(den, 64)
	if errA != nil || errB != nil {
		return 0, fmt.Errorf("%q is not a number", s)
	}
	if v := a / b; v >= leastSearched && v <= 1 {
		return v, nil
	}
	return 0, fmt.Errorf("%s is not between %g and 1", s, leastSearched)
}
