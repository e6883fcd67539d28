package shape

import (
	"math"
	"slices"

	"tattle/internal/engine/nn/train"
	"tattle/internal/math/simd"
)

// A leak is a penalty on what the release of a batch gives away. With o_j the released values
// of example j, z_i = o_i + noise, and K_ij = exp(−‖z_i − o_j‖²/2σ²), the posterior odds of
// groups of examples are ratios of sums of K_ij. The penalty is the mean over i of
//
//		weight · A_i/(A_i + B_i),  A_i = Σ_j a_ij K_ij,  B_i = Σ_j b_ij K_ij.
//
//	  - Identification: A_i is K_ii, and B_i the sum over the others, times (N − 1)/(batch − 1):
//	    the probability that an adversary with N candidates gives to the true input.
//	  - A sensitive attribute: A_i is the sum over the other examples of the same class of the
//	    attribute, B_i that over those of other classes; both among examples of the same label
//	    only, because what the label reveals is released anyway.
//
// Its gradient is that of the sum, with both z_i and o_j as functions of the parameters:
// ∂r/∂ln K_ij = K_ij(a_ij(1 − r) − b_ij r)/(A_i + B_i), r = A_i/(A_i + B_i).
type leak struct {
	candidates int     // N
	weight     float64 // of identification
	protected  []protected
	given      []int // label of each example of the data

	train.Released                  // the batch
	rows           func(lo, hi int) // computes the exponents and slopes of some rows
	exponents      []float32        // ln K_ij, [batch, batch]
	slope          []float32        // ∂/∂ln K_ij, [batch, batch]
	posterior      []float32        // of one row at a time, [batch, batch]
	squares        []float32        // ‖o_j‖²
	noisySquares   []float32        // ‖z_i‖²
	sums           []float32        // the penalty of each example
	members        [][]int          // of the batch with each label
	columns        []float32        // sums of the columns of slope
	pulled, pushed []float32        // slope·o and slopeᵀ·z, [batch, n]
}

// protected is an attribute that the release should not give away.
type protected struct {
	class  []int // of each example of the data
	weight float64
}

// penalty implements train.ReleasedOptions.Penalty.
func (l *leak) penalty(grad []float32, batch train.Released) float64 {
	b := len(batch.Indices)
	n := len(batch.Values) / b
	l.Released = batch
	l.grow(b, n)
	for i := range b {
		l.squares[i] = simd.SumSquares(batch.Values[i*n : (i+1)*n])
		l.noisySquares[i] = simd.SumSquares(batch.Noisy[i*n : (i+1)*n])
	}
	for y := range l.members {
		l.members[y] = l.members[y][:0]
	}
	for i, index := range batch.Indices {
		y := l.given[index]
		l.members[y] = append(l.members[y], i)
	}
	simd.Gemm(false, true, b, b, n, 1, batch.Noisy, n, batch.Values, n, 0, l.exponents, b)
	simd.Parallel(b, 8, l.rows)
	// Of the exponent of K_ij: ∂/∂z_i = (o_j − z_i)/σ², ∂/∂o_j = (z_i − o_j)/σ².
	simd.Gemm(false, false, b, n, b, 1, l.slope, b, batch.Values, n, 0, l.pulled, n)
	simd.Gemm(true, false, b, n, b, 1, l.slope, b, batch.Noisy, n, 0, l.pushed, n)
	clear(l.columns)
	simd.SumRows(l.columns, b, b, l.slope)
	unit := float32(1 / (batch.Sigma * batch.Sigma * float64(b)))
	var total float64
	for i := range b {
		total += float64(l.sums[i])
		row := simd.Sum(l.slope[i*b : (i+1)*b])
		for k := i * n; k < (i+1)*n; k++ {
			grad[k] += unit * (l.pulled[k] - row*batch.Noisy[k] + l.pushed[k] - l.columns[i]*batch.Values[k])
		}
	}
	l.Released = train.Released{}
	return total / float64(b)
}

// row computes the penalty of example i of the batch, and its slopes ∂/∂ln K_ij, from the
// products z_i·o_j in exponents.
func (l *leak) row(i int) {
	b := len(l.Indices)
	row, slope, posterior := l.exponents[i*b:(i+1)*b], l.slope[i*b:(i+1)*b], l.posterior[i*b:(i+1)*b]
	scale := float32(1 / (2 * l.Sigma * l.Sigma))
	simd.ScaleShift(row, row, 2*scale, -scale*l.noisySquares[i])
	simd.Axpy(-scale, l.squares, row)
	clear(slope)
	l.sums[i] = 0
	if l.weight > 0 && b > 1 {
		l.sums[i] += l.identified(i, row, slope, posterior)
	}
	for _, p := range l.protected {
		l.sums[i] += l.inferred(p, i, row, slope, posterior)
	}
}

// Only ratios of odds count. So the largest becomes 1 before the others are computed: odds that
// are all small do not become zero together.

// identified returns the penalty for the identification of example i, and adds its slopes.
func (l *leak) identified(i int, row, slope, odds []float32) float32 {
	others := float32(math.Log(float64(l.candidates-1) / float64(len(row)-1)))
	top := max(row[i], simd.Max(row)+others)
	simd.ScaleShift(odds, row, 1, others-top)
	odds[i] = row[i] - top
	simd.Exp(odds, odds)
	a := odds[i]
	odds[i] = 0
	b := simd.Sum(odds)
	w := float32(l.weight) / (a + b)
	simd.Axpy(-w*a/(a+b), odds, slope)
	slope[i] += w * a * (b / (a + b))
	return w * a
}

// inferred returns the penalty for the inference of an attribute of example i, and adds its
// slopes. odds has those of the examples with the same label, one after the other.
func (l *leak) inferred(p protected, i int, row, slope, odds []float32) float32 {
	members := l.members[l.given[l.Indices[i]]]
	odds = odds[:0]
	for _, j := range members {
		odds = append(odds, row[j])
		if j == i {
			odds[len(odds)-1] = impossible
		}
	}
	top := simd.Max(odds)
	if top == impossible {
		return 0
	}
	simd.ScaleShift(odds, odds, 1, -top)
	simd.Exp(odds, odds)
	var a, b float32
	mine := p.class[l.Indices[i]]
	for k, j := range members {
		if p.class[l.Indices[j]] == mine {
			a += odds[k]
		} else {
			b += odds[k]
		}
	}
	w := float32(p.weight) / (a + b)
	up, down := w*b/(a+b), w*a/(a+b)
	for k, j := range members {
		if p.class[l.Indices[j]] == mine {
			slope[j] += up * odds[k]
		} else {
			slope[j] -= down * odds[k]
		}
	}
	return w * a
}

// impossible is the logarithm of the odds of an example that is left out.
const impossible = -math.MaxFloat32

// grow makes room for a batch of b examples.
func (l *leak) grow(b, n int) {
	if l.rows == nil {
		l.members = make([][]int, slices.Max(l.given)+1)
		l.rows = func(lo, hi int) {
			for i := lo; i < hi; i++ {
				l.row(i)
			}
		}
	}
	for _, s := range []*[]float32{&l.exponents, &l.slope, &l.posterior} {
		*s = room(*s, b*b)
	}
	for _, s := range []*[]float32{&l.squares, &l.noisySquares, &l.sums, &l.columns} {
		*s = room(*s, b)
	}
	for _, s := range []*[]float32{&l.pulled, &l.pushed} {
		*s = room(*s, b*n)
	}
}
