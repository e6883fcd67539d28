package gram

import (
	"context"
	"slices"

	"tattle/internal/math/simd"
)

// Moments are the means and second central moments of values x and of answers y to them.
type Moments struct {
	N, P     int
	Examples int
	MeanX    []float64 // [n]
	MeanY    []float64 // [p]
	XX       []float64 // [n, n]: the covariance of the values, its lower triangle
	Products []float64 // [p, n]: sums of answers times values, both less a shift

	x, y []float64 // means less the shifts
}

// Sums add up examples about a fixed shift near their mean, so that nothing cancels.
type Sums struct {
	sums           Moments
	shiftX, shiftY []float64
	x, y           []float64 // a batch less the shift
}

// NewSums returns the sums of no examples, of n values and p answers each.
func NewSums(n, p int) *Sums {
	m := Moments{N: n, P: p, MeanX: make([]float64, n), MeanY: make([]float64, p)}
	m.XX, m.Products = make([]float64, n*n), make([]float64, p*n)
	return &Sums{sums: m}
}

// Add counts a batch of values, [batch, n], and answers, [batch, p].
func (s *Sums) Add(x, y []float32) {
	m := &s.sums
	batch := len(x) / m.N
	if s.shiftX == nil {
		s.shiftX, s.shiftY = meanOf(x, m.N), meanOf(y, m.P)
	}
	s.x, s.y = less(s.x, x, s.shiftX), less(s.y, y, s.shiftY)
	simd.SumRows(m.MeanX, batch, m.N, s.x)
	simd.SumRows(m.MeanY, batch, m.P, s.y)
	simd.Gram(true, m.N, batch, 1, s.x, m.N, 1, m.XX, m.N)
	simd.Gemm(true, false, m.P, m.N, batch, 1, s.y, m.P, s.x, m.N, 1, m.Products, m.N)
	m.Examples += batch
}

func meanOf(x []float32, width int) []float64 {
	mean, rows := make([]float64, width), float64(len(x)/width)
	for i, v := range x {
		mean[i%width] += float64(v) / rows
	}
	return mean
}

// less overwrites dst with the rows of x less shift.
func less(dst []float64, x []float32, shift []float64) []float64 {
	width := len(shift)
	dst = slices.Grow(dst[:0], len(x))[:len(x)]
	simd.Parallel(len(x)/width, 8, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := dst[i*width : (i+1)*width]
			for j, v := range x[i*width : (i+1)*width] {
				row[j] = float64(v) - shift[j]
			}
		}
	})
	return dst
}

// Central returns the moments of what was added. Their Products are those of the sums: Add changes them.
func (s *Sums) Central() *Moments {
	m := s.sums
	mean := func(sum, shift []float64) (less, mean []float64) {
		less, mean = slices.Clone(sum), slices.Clone(shift)
		simd.Scale(1/float64(m.Examples), less)
		simd.Add(mean, mean, less)
		return less, mean
	}
	m.x, m.MeanX = mean(m.MeanX, s.shiftX)
	m.y, m.MeanY = mean(m.MeanY, s.shiftY)
	m.XX = m.central(make([]float64, len(m.XX)), m.XX, m.x)
	return &m
}

// central overwrites dst with rows of sums, divided by the examples, less u xᵀ.
func (m *Moments) central(dst, sums, u []float64) []float64 {
	for i, v := range u {
		simd.Combine(dst[i*m.N:(i+1)*m.N], sums[i*m.N:(i+1)*m.N], m.x, 1/float64(m.Examples), -v, 0)
	}
	return dst
}

// Scale is the mean variance of a value, or 1 if all are constant.
func (m *Moments) Scale() float64 {
	var s float64
	for i := range m.N {
		s += m.XX[i*m.N+i]
	}
	if s <= 0 {
		return 1
	}
	return s / float64(m.N)
}

// factor factorizes C_xx + added·I.
func (m *Moments) factor(ctx context.Context, added float64) (*Factor, error) {
	a := slices.Clone(m.XX)
	for i := range m.N {
		a[i*m.N+i] += added
	}
	return Factorize(ctx, a, m.N)
}

// Regress returns the affine map y ≈ Wx + b of least mean-square error if noise of the variance added is added to
// each value: W = C_yx (C_xx + added·I)⁻¹, [p, n], and b, [p], rounded from float64.
func (m *Moments) Regress(ctx context.Context, added float64) (w, b []float32, err error) {
	f, err := m.factor(ctx, added)
	if err != nil {
		return nil, nil, err
	}
	w, b = make([]float32, 0, len(m.Products)), make([]float32, 0, m.P)
	room := make([]float64, min(denseRows*m.N, len(m.Products)))
	for some := range slices.Chunk(m.Products, denseRows*m.N) {
		rows := m.central(room[:len(some)], some, m.y[len(b):len(b)+len(some)/m.N])
		if err := f.Solve(ctx, rows); err != nil {
			return nil, nil, err
		}
		for i := range len(rows) / m.N {
			b = append(b, float32(m.MeanY[len(b)]-simd.Dot(rows[i*m.N:(i+1)*m.N], m.MeanX)))
		}
		for _, v := range rows {
			w = append(w, float32(v))
		}
	}
	return w, b, nil
}

// Filter returns C_xx (C_xx + added·I)⁻¹, [n, n], which is symmetric: the best linear estimate of values with noise.
func (m *Moments) Filter(ctx context.Context, added float64) ([]float64, error) {
	f, err := m.factor(ctx, added)
	if err != nil {
		return nil, err
	}
	y := slices.Clone(m.XX)
	simd.Mirror(m.N, y, m.N)
	return y, f.Solve(ctx, y)
}
