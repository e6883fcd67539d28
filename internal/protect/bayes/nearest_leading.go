package bayes

import (
	"context"
	"math"

	"tattle/internal/engine/nn"
	"tattle/internal/math/eigen"
	"tattle/internal/math/simd"
	"tattle/internal/run"
)

// leading are the coordinates in which candidates differ most. A few of them usually prove that a candidate is not the nearest to a
// release. Beside the difference in these coordinates, only the noise along the rest of the difference counts. It is practically
// never beyond neverNearer/2 standard deviations.
type leading struct {
	k      int
	basis  []float32 // of the coordinates, orthonormal [k, n]; nil: they are the features
	values []float32 // of the candidates, less those of their mean unless they are the features [candidates, k]
	length float64   // of the longest of these rows
}

const (
	leadingSample = 512 // candidates from which the coordinates are chosen
	leadingPairs  = 1000
	leadingStep   = 8       // the number of coordinates is a multiple of it, or that of the features
	leadingValues = 1 << 25 // most coordinates of all candidates that are held beside their features: 134 MB
	leadingExact  = 400     // the cost of a candidate that is not ruled out, in coordinates; beside it come three times all features

	rounded = 1e-5 // relative error of squared distances, more than rounding causes
)

// newLeading finds the principal axes of some candidates. It takes the number for which comparing pairs of candidates, with noise of standard
// deviation sigma, is the least work. That is all features if fewer coordinates save nothing.
func newLeading(ctx context.Context, values []float32, n int, sigma float64, seed uint64) *leading {
	count := len(values) / n
	some := run.Rand(seed, 0, streamLeading).Perm(count)
	some = some[:min(count, leadingSample)]
	m := len(some)
	x, mean := make([]float64, m*n), make([]float64, n)
	for i, j := range some {
		for c, v := range values[j*n : (j+1)*n] {
			x[i*n+c] = float64(v)
		}
		simd.Axpy(1/float64(m), x[i*n:(i+1)*n], mean)
	}
	for i := range some {
		simd.Axpy(-1, mean, x[i*n:(i+1)*n])
	}
	gram := make([]float64, m*m)
	simd.Gemm(false, true, m, m, n, 1, x, n, x, n, 0, gram, m)
	all := 0.
	for i := range some {
		all += gram[i*m+i]
	}
	squares, vectors, _ := eigen.Large(ctx, gram, m, 1e-8*all)
	most := min(len(squares), n, leadingValues/count)
	for i := range most {
		simd.Scale(1/math.Sqrt(squares[i]), vectors[i*m:(i+1)*m])
	}
	basis, at := make([]float64, most*n), make([]float64, m*most)
	simd.Gemm(false, false, most, n, m, 1, vectors, m, x, n, 0, basis, n)
	simd.Gemm(false, true, m, most, n, 1, x, n, basis, n, 0, at, most)
	l := &leading{k: leastWork(x, at, n, most, sigma, seed)}
	if l.k == n {
		l.values = values
		l.measure()
		return l
	}
	l.basis, l.values = nn.Float32s(basis[:l.k*n]), make([]float32, count*l.k)
	less, centre := nn.Float32s(mean), make([]float32, l.k)
	l.product(centre, less)
	l.product(l.values, values)
	for j := range count {
		simd.Axpy(-1, centre, l.of(j))
	}
	l.measure()
	return l
}

// measure sets the length of the longest row.
func (l *leading) measure() {
	for j := range len(l.values) / l.k {
		l.length = max(l.length, math.Sqrt(float64(simd.SumSquares(l.of(j)))))
	}
}

// leastWork returns the number of coordinates that makes comparisons the least work, by pairs of rows x, [·, n], with the coordinates
// at, [·, most].
func leastWork(x, at []float64, n, most int, sigma float64, seed uint64) int {
	r, rows := run.Rand(seed, 1, streamLeading), len(x)/n
	work, difference, exact := make([]float64, most+1), make([]float64, n), float64(leadingExact+3*n)
	best, least := n, 0. // the work with all features
	for range leadingPairs {
		i, j := r.IntN(rows), r.IntN(rows)
		if i == j {
			continue
		}
		simd.Combine(difference, x[i*n:(i+1)*n], x[j*n:(j+1)*n], 1, -1, 0)
		square, part := simd.SumSquares(difference), 0.
		if square > neverNearer*sigma*neverNearer*sigma {
			continue
		}
		least += float64(n)
		for k := range most + 1 {
			if far := square - neverNearer*sigma*math.Sqrt(max(0, square-part)); part > 0 {
				work[k] += exact * math.Erfc(far/(2*sigma*math.Sqrt(2*part))) / 2
			} else {
				work[k] += exact
			}
			work[k] += float64(k)
			if k < most {
				part += math.Pow(at[i*most+k]-at[j*most+k], 2)
			}
		}
	}
	for k := leadingStep; k <= most; k += leadingStep {
		if work[k] < least {
			best, least = k, work[k]
		}
	}
	return best
}

// product overwrites dst, [rows, k], with the coordinates of x, [rows, n].
func (l *leading) product(dst, x []float32) {
	if l.basis == nil {
		copy(dst, x)
		return
	}
	n := len(l.basis) / l.k
	simd.Gemm(false, true, len(x)/n, l.k, n, 1, x, n, l.basis, n, 0, dst, l.k)
}

// of returns the coordinates of candidate j.
func (l *leading) of(j int) []float32 { return l.values[j*l.k : (j+1)*l.k] }

// never is the level of candidates that are not nearer to any release.
var never = float32(math.Inf(-1))

// level is for the sum with the product of a release's noise with candidate j in these coordinates. Only where the sum reaches the
// product with the true candidate, whose coordinates are own, can j be nearer to the release. It is never for one with the same features,
// and from neverNearer·σ on. The square is that of the distance, and sigma the standard deviation of the noise in each number.
func (l *leading) level(j int, square float32, own, difference []float32, sigma float64) float32 {
	far, s := neverNearer*sigma, float64(square)
	if s == 0 || s > far*far {
		return never
	}
	rest := rounded * s
	if l.basis != nil { // else the coordinates are the features, and the rest of the difference is rounding
		simd.Combine(difference, own, l.of(j), 1, -1, 0)
		rest += max(0, s-float64(simd.SumSquares(difference)))
	}
	return float32((far*math.Sqrt(rest) + rounded*s - s) / 2)
}
