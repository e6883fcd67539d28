package stat

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// EntropyBits returns −Σ p·log₂ p of a distribution, 0·log₂ 0 being 0.
func EntropyBits(p []float64) float64 {
	var h float64
	for _, v := range p {
		if v != 0 {
			h -= v * math.Log2(v)
		}
	}
	return max(0, h) // p slightly over 1 by rounding
}

// Information is a mutual information in bits.
type Information struct {
	Bits     float64 // of the observed frequencies, corrected and at least 0
	PlugIn   float64 // of the observed frequencies
	Interval Interval
}

// MutualInformation returns the mutual information of the rows and the columns of a table of
// counts. The plug-in estimate exceeds the truth on average; Bits includes the correction of
// G. Miller and W. Madow (1955),
//
//	(rows + columns − cells − 1)/2n nats,
//
// where only rows, columns and cells with counts are counted. Each end of the interval is the
// wider one of two approximations:
//   - The delta method, whose variance is that of log₂ p(r,c)/p(r)p(c). It is right for strong
//     dependence, but much too short near independence.
//   - 2n times the plug-in estimate in nats is noncentral χ² with (rows−1)(columns−1) degrees of
//     freedom. This is right near independence, where the interval reaches 0.
//
// At the upper end, an estimate below its average under independence counts as that average, so
// that luck does not prove independence. If only one row or column has counts, the upper end is
// at least the information that classes not seen may hold. If a class has only a few examples,
// the interval misses the truth more often, mostly at the upper end: one time in ten in
// simulations. MutualInformation panics if the table is not rectangular, has no counts or has
// negative counts.
func MutualInformation(counts [][]int, confidence float64) Information {
	t := newTable(counts, confidence)
	var cells int
	var nats, square float64
	for r, row := range counts {
		for c, k := range row {
			if k == 0 {
				continue
			}
			cells++
			l := math.Log(float64(k) / float64(t.rows[r]) * t.n / float64(t.columns[c]))
			nats += float64(k) / t.n * l
			square += float64(k) / t.n * l * l
		}
	}
	nats = max(0, nats)
	rows, columns := len(positive(t.rows)), len(positive(t.columns))
	ceiling := math.Log(float64(min(len(t.rows), len(t.columns))))
	corrected := min(ceiling, max(0, nats+float64(rows+columns-cells-1)/(2*t.n)))
	half := distuv.UnitNormal.Quantile((1+confidence)/2) * math.Sqrt(max(0, square-nats*nats)/t.n)
	low, high := noncentral(2*t.n*nats, float64(max(1, (rows-1)*(columns-1))), confidence)
	high /= 2 * t.n
	if rows == 1 {
		high = max(high, unseen(t.n, len(t.rows), confidence))
	}
	if columns == 1 {
		high = max(high, unseen(t.n, len(t.columns), confidence))
	}
	return Information{
		Bits:   corrected / math.Ln2,
		PlugIn: nats / math.Ln2,
		Interval: Interval{
			max(0, min(corrected, corrected-half, low/(2*t.n))) / math.Ln2,
			min(ceiling, max(corrected, corrected+half, high)) / math.Ln2,
		},
	}
}

// unseen returns the largest entropy, in nats, of a label with k classes if all of n examples
// have the same class: the other classes together have at most the probability p for which
// (1−p)ⁿ is half of 1 − confidence. The entropy limits the information in the label.
func unseen(n float64, k int, confidence float64) float64 {
	if k == 1 {
		return 0
	}
	p := -math.Expm1(math.Log((1-confidence)/2) / n)
	p = min(p, 1-1/float64(k)) // where the entropy is largest
	return -p*math.Log(p/float64(k-1)) - (1-p)*math.Log1p(-p)
}

// table holds the sums of a table of counts.
type table struct {
	rows, columns []int
	n             float64
}

func newTable(counts [][]int, confidence float64) table {
	if len(counts) == 0 || len(counts[0]) == 0 || !(0 < confidence && confidence < 1) {
		panic(fmt.Sprintf("stat: mutual information of an empty table, or confidence %v", confidence))
	}
	t := table{rows: make([]int, len(counts)), columns: make([]int, len(counts[0]))}
	for r, row := range counts {
		if len(row) != len(t.columns) {
			panic(fmt.Sprintf("stat: mutual information of rows of %d and %d counts", len(t.columns), len(row)))
		}
		for c, k := range row {
			if k < 0 {
				panic(fmt.Sprintf("stat: mutual information of %d examples", k))
			}
			t.rows[r] += k
			t.columns[c] += k
			t.n += float64(k)
		}
	}
	if t.n == 0 {
		panic("stat: mutual information of no examples")
	}
	return t
}

// noncentral returns the interval of the noncentrality λ of a χ² with df degrees of
// freedom of which x was seen.
func noncentral(x, df, confidence float64) (low, high float64) {
	tail := (1 - confidence) / 2
	top := x + df + 40*math.Sqrt(x+df) + 100 // neither end is beyond: 20 standard deviations, which are 2√λ
	return noncentrality(x, df, 1-tail, top), noncentrality(max(x, df), df, tail, top)
}

// noncentrality returns the λ in [0, top] at which χ² with df degrees of freedom is
// at most x with probability p, 0 if it is less than that at λ = 0. The
// probability falls as λ grows.
func noncentrality(x, df, p, top float64) float64 {
	central := centralTails(x, df, top)
	low, high := 0.0, top
	for high-low > 1e-9*(1+high) {
		mid := low + (high-low)/2
		if poissonMean(central, mid/2) > p {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// centralTails returns P(χ² with df + 2k degrees of freedom ≤ x) for each k that
// counts at noncentralities up to top.
func centralTails(x, df, top float64) []float64 {
	mean := top / 2
	tails := make([]float64, int(mean+10*math.Sqrt(mean)+50))
	last := len(tails) - 1
	a, half := df/2+float64(last), x/2
	tails[last] = mathext.GammaIncReg(a, half)
	for k := last - 1; k >= 0; k-- { // P(a, x) = P(a+1, x) + xᵃe⁻ˣ/Γ(a+1)
		a--
		lg, _ := math.Lgamma(a + 1)
		tails[k] = min(1, tails[k+1]+math.Exp(a*math.Log(half)-half-lg))
	}
	return tails
}

// poissonMean returns the mean of f over a Poisson variable, whose mean is positive,
// from its mode outward as far as it matters.
func poissonMean(f []float64, mean float64) float64 {
	mode := min(int(mean), len(f)-1)
	lg, _ := math.Lgamma(float64(mode) + 1)
	start := math.Exp(float64(mode)*math.Log(mean) - mean - lg)
	sum := start * f[mode]
	for k, w := mode+1, start; k < len(f) && w > 1e-18; k++ {
		w *= mean / float64(k)
		sum += w * f[k]
	}
	for k, w := mode, start; k > 0 && w > 1e-18; k-- {
		w *= float64(k) / mean
		sum += w * f[k-1]
	}
	return sum
}
