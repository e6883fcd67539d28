package shape

import (
	"math"

	"tattle/internal/simd"
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
//	    only, because what the label tells is released anyway.
//
// Its gradient is that of the sum, with both z_i and o_j as functions of the parameters:
// ∂r/∂ln K_ij = K_ij(a_ij(1 − r) − b_ij r)/(A_i + B_i), r = A_i/(A_i + B_i).
type leak struct {
	sigma      float64
	candidates int     // N
	weight     float64 // of identification
	protected  []protected
	given      []int // label of each example of the data

	kernel, slope   []float32 // [batch, batch]
	squares, noisy2 []float32
	sums            []float32
	fromRows, ahead []float32 // [batch, n]
}

// protected is an attribute that the release should not give away.
type protected struct {
	class  []int // of each example of the data
	weight float64
}

// penalty implements train.ReleasedOptions.Penalty.
func (l *leak) penalty(grad, released, noisy []float32, indices []int) float64 {
	b := len(indices)
	n := len(released) / b
	l.grow(b, n)
	for i := range b {
		l.squares[i] = simd.SumSquares(released[i*n : (i+1)*n])
		l.noisy2[i] = simd.SumSquares(noisy[i*n : (i+1)*n])
	}
	simd.Gemm(false, true, b, b, n, 1, noisy, n, released, n, 0, l.kernel, b)
	scale := float32(1 / (2 * l.sigma * l.sigma))
	simd.Parallel(b, 8, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := l.kernel[i*b : (i+1)*b]
			for j, dot := range row {
				row[j] = (2*dot - l.noisy2[i] - l.squares[j]) * scale
			}
			simd.Exp(row, row)
			l.sums[i] = l.row(i, row, l.slope[i*b:(i+1)*b], indices)
		}
	})
	// Of the exponent of K_ij: ∂/∂z_i = (o_j − z_i)/σ², ∂/∂o_j = (z_i − o_j)/σ².
	simd.Gemm(false, false, b, n, b, 1, l.slope, b, released, n, 0, l.fromRows, n)
	simd.Gemm(true, false, b, n, b, 1, l.slope, b, noisy, n, 0, l.ahead, n)
	unit := float32(1 / (l.sigma * l.sigma * float64(b)))
	var total float64
	for i := range b {
		total += float64(l.sums[i])
		var rows, columns float32
		for j := range b {
			rows += l.slope[i*b+j]
			columns += l.slope[j*b+i]
		}
		for k := i * n; k < (i+1)*n; k++ {
			grad[k] += unit * (l.fromRows[k] - rows*noisy[k] + l.ahead[k] - columns*released[k])
		}
	}
	return total / float64(b)
}

// row returns the penalty of example i of the batch, and its slopes ∂/∂ln K_ij.
func (l *leak) row(i int, kernel, slope []float32, indices []int) (sum float32) {
	clear(slope)
	if l.weight > 0 {
		others := float32(l.candidates-1) / float32(len(kernel)-1)
		total := simd.Sum(kernel) - kernel[i]
		if d := kernel[i] + others*total; d > 0 {
			r := kernel[i] / d
			w := float32(l.weight)
			sum += w * r
			for j, k := range kernel {
				slope[j] -= w * r * others * k / d
			}
			slope[i] += w * r * (1 + others*kernel[i]/d - kernel[i]/d)
		}
	}
	for _, p := range l.protected {
		me, label := p.class[indices[i]], l.given[indices[i]]
		var a, d float32
		for j, index := range indices {
			if j == i || l.given[index] != label {
				continue
			}
			d += kernel[j]
			if p.class[index] == me {
				a += kernel[j]
			}
		}
		if !(d > math.SmallestNonzeroFloat32) {
			continue
		}
		r, w := a/d, float32(p.weight)
		sum += w * r
		for j, index := range indices {
			switch {
			case j == i || l.given[index] != label:
			case p.class[index] == me:
				slope[j] += w * (1 - r) * kernel[j] / d
			default:
				slope[j] -= w * r * kernel[j] / d
			}
		}
	}
	return sum
}

func (l *leak) grow(b, n int) {
	if len(l.kernel) == b*b && len(l.ahead) == b*n {
		return
	}
	l.kernel, l.slope = make([]float32, b*b), make([]float32, b*b)
	l.squares, l.noisy2, l.sums = make([]float32, b), make([]float32, b), make([]float32, b)
	l.fromRows, l.ahead = make([]float32, b*n), make([]float32, b*n)
}
