package release

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// MaxTable is the largest number of knots of a Table: χ² takes time in proportion.
const MaxTable = 4096

// farTable is the largest change of the log density, steepest slope times shift, for
// which χ² is worked out; beyond it is taken for infinite.
const farTable = 4000

// Table is independent noise in each feature of a density that a user gives:
// its logarithm is linear between knots and goes on beyond the ends as in the first
// and the last segment. NewTable and ReadTable make one.
type Table struct {
	name  string
	sigma float64
	x     []float64 // knots, ascending; the mean is 0 and the standard deviation sigma
	l     []float64 // log density at the knots; it integrates to 1
	slope []float64 // of l: slope[k] before knot k, the last behind the last knot
	mass  []float64 // cumulative, up to the end of the segment before knot k
	fall  []float64 // by which part the density falls over each segment, negative
	steep float64   // largest |slope|
}

var _ Noise = (*Table)(nil)

// NewTable returns noise of the density given at x, moved to mean 0 and stretched to
// standard deviation sigma; its scale need not be right. It returns the errors of
// NewGaussian, and an error unless x are at least three ascending numbers, the density is
// positive and it rises in the first segment and falls in the last.
func NewTable(x, density []float64, sigma float64) (*Table, error) {
	if err := checkSigma(sigma); err != nil {
		return nil, err
	}
	if err := checkTable(x, density); err != nil {
		return nil, fmt.Errorf("noise table: %w", err)
	}
	t := &Table{name: "table", sigma: sigma, x: slices.Clone(x), l: make([]float64, len(x))}
	top := slices.Max(density)
	for k, d := range density {
		t.l[k] = math.Log(d) - math.Log(top)
	}
	t.slopes()
	if t.slope[0] <= 0 || t.slope[len(x)] >= 0 {
		return nil, errors.New("noise table: the density must rise in the first segment and fall in the last, which are its tails: add a row of lower density before or behind")
	}
	if !t.standardise() {
		return nil, errors.New("noise table: its mean and standard deviation are out of range: give x a sensible unit")
	}
	return t, nil
}

func checkTable(x, density []float64) error {
	if len(x) != len(density) || len(x) < 3 || len(x) > MaxTable {
		return fmt.Errorf("%d positions and %d densities: give as many of either, from 3 to %d", len(x), len(density), MaxTable)
	}
	for k, v := range x {
		d := density[k]
		switch {
		case !(math.Abs(v) <= 1e100):
			return fmt.Errorf("x is %v in row %d: give numbers from -1e100 to 1e100", v, k+1)
		case k > 0 && v <= x[k-1]:
			return fmt.Errorf("x is %v in row %d and %v in the row before: they must ascend: sort them and leave out repeats", v, k+1, x[k-1])
		case d == 0:
			return fmt.Errorf("the density is 0 in row %d: where the supports of two releases do not cover each other, χ² is infinite and every bound is 0 (vacuous): leave out what is beyond the tails", k+1)
		case !(d >= 1e-290 && d <= 1e290):
			return fmt.Errorf("the density is %v in row %d: give numbers from 1e-290 to 1e290", d, k+1)
		}
	}
	return nil
}

// slopes fills in slope and steep.
func (t *Table) slopes() {
	n := len(t.x)
	t.slope, t.steep = make([]float64, n+1), 0
	for k := 1; k < n; k++ {
		t.slope[k] = (t.l[k] - t.l[k-1]) / (t.x[k] - t.x[k-1])
		t.steep = max(t.steep, math.Abs(t.slope[k]))
	}
	t.slope[0], t.slope[n] = t.slope[1], t.slope[n-1]
}

// standardise makes the mass 1, the mean 0 and the standard deviation sigma, and
// fills in mass and fall. It reports whether all came out as numbers.
func (t *Table) standardise() bool {
	mass := t.moment(0, 0)
	mean := t.moment(0, 1) / mass
	scale := t.sigma / math.Sqrt(t.moment(mean, 2)/mass)
	for k := range t.x {
		t.x[k] = (t.x[k] - mean) * scale
		t.l[k] -= math.Log(mass) + math.Log(scale)
		if k > 0 && !(t.x[k] > t.x[k-1]) {
			return false
		}
	}
	t.slopes()
	t.mass, t.fall = make([]float64, len(t.x)+1), make([]float64, len(t.x)+1)
	sum := 0.
	for k := range t.mass {
		sum += t.segment(k, func(float64) float64 { return 1 })
		t.mass[k] = sum
		lo, hi, _ := t.ends(k, math.Inf(1))
		t.fall[k] = math.Expm1(-math.Abs(t.slope[k]) * (hi - lo))
	}
	return t.steep < 1e150 && math.Abs(sum-1) < 1e-6 &&
		math.Abs(t.moment(0, 1)) < 1e-6*t.sigma && math.Abs(t.moment(0, 2)/(t.sigma*t.sigma)-1) < 1e-6
}

// moment returns ∫ f(x)(x−c)^k dx.
func (t *Table) moment(c float64, k int) float64 {
	var s float64
	for i := range t.slope {
		s += t.segment(i, func(x float64) float64 { return math.Pow(x-c, float64(k)) })
	}
	return s
}

// segment integrates f·h over the segment before knot k, h being a polynomial of
// low degree. A tail is cut where f has fallen by e⁻⁶⁰.
func (t *Table) segment(k int, h func(x float64) float64) float64 {
	lo, hi, at := t.ends(k, 60)
	return quadrature(hi-lo, math.Abs(t.slope[k])*(hi-lo), func(s float64) float64 {
		x := lo + s
		return math.Exp(t.l[at]+t.slope[k]*(x-t.x[at])) * h(x)
	})
}

// ends returns where the segment before knot k begins and ends, a tail after falling
// by exp(−fall), and the knot at which its log density is to be taken.
func (t *Table) ends(k int, fall float64) (lo, hi float64, at int) {
	n := len(t.x)
	switch k {
	case 0:
		return t.x[0] - fall/t.slope[0], t.x[0], 0
	case n:
		return t.x[n-1], t.x[n-1] - fall/t.slope[n], n - 1
	}
	return t.x[k-1], t.x[k], k - 1
}

// String returns "table:FILE" of a table that was read, "table" of another.
func (t *Table) String() string { return t.name }

// Std returns the standard deviation.
func (t *Table) Std() float64 { return t.sigma }

// Certain returns true: what the quadrature leaves out is bounded, for the density as
// it is kept.
func (t *Table) Certain() bool { return true }

// Fisher returns the sum over segments of slope² times mass.
func (t *Table) Fisher() float64 {
	var s, before float64
	for k, m := range t.mass {
		s += t.slope[k] * t.slope[k] * (m - before)
		before = m
	}
	return s
}

// Sample overwrites dst with independent deviates, by inverting the distribution
// function segment by segment.
func (t *Table) Sample(dst []float64, r *rand.Rand) {
	total := t.mass[len(t.mass)-1]
	for i := range dst {
		u := r.Float64() * total
		k := sort.SearchFloat64s(t.mass, u)
		dst[i] = t.invert(k, openUniform(r))
	}
}

// invert returns the point of the segment before knot k on whose higher side the
// part v of its mass lies.
func (t *Table) invert(k int, v float64) float64 {
	lo, hi, _ := t.ends(k, math.Inf(1))
	s := t.slope[k]
	switch {
	case s > 0:
		return hi + math.Log1p(v*t.fall[k])/s
	case s < 0:
		return lo + math.Log1p(v*t.fall[k])/s
	}
	return lo + v*(hi-lo)
}
