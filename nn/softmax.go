package nn

import (
	"errors"
	"math"

	"tattle/internal/simd"
)

// Softmax is exp(x_i) / Σ_j exp(x_j) over the last dimension.
type Softmax struct{}

// Kind returns "Softmax".
func (*Softmax) Kind() string { return "Softmax" }

// Shape returns the input's shape; it errs where that has no dimension.
func (*Softmax) Shape(inputs ...[]int) ([]int, error) {
	s, err := oneInput(inputs)
	if err == nil && len(s) == 0 {
		return nil, errors.New("input has no dimension to sum over")
	}
	return s, err
}

// Params returns nil.
func (*Softmax) Params() []*Param { return nil }

func (*Softmax) kernel32(in ...[]int) kernel[float32] { return newSoftmax[float32](in[0]) }
func (*Softmax) kernel64(in ...[]int) kernel[float64] { return newSoftmax[float64](in[0]) }

// softmax is the kernel of Softmax, row by row in float64.
type softmax[T Float] struct {
	cols                    int
	perExample              int // rows of one example
	f                       *frame[T]
	dst, d                  []T
	k                       int
	rows, products, changes func(lo, hi int)
}

func newSoftmax[T Float](in []int) *softmax[T] {
	cols := in[len(in)-1]
	k := &softmax[T]{cols: cols, perExample: Size(in) / cols}
	k.rows = func(lo, hi int) {
		for r := lo; r < hi; r++ {
			softmaxRow(k.f.y[r*cols:][:cols], k.f.x[0][r*cols:][:cols])
		}
	}
	k.products = func(lo, hi int) {
		for r := lo; r < hi; r++ {
			y := k.f.y[k.primal(r)*cols:][:cols]
			softmaxProduct(k.dst[r*cols:][:cols], k.d[r*cols:][:cols], y)
		}
	}
	k.changes = func(lo, hi int) {
		for r := lo; r < hi; r++ {
			at := k.primal(r) * cols
			softmaxShift(k.dst[r*cols:][:cols], k.d[r*cols:][:cols], k.f.x[0][at:at+cols], k.f.y[at:at+cols])
		}
	}
	return k
}

// primal returns the row of f.y to which row r of k tangents per example belongs.
func (k *softmax[T]) primal(r int) int {
	return r/(k.k*k.perExample)*k.perExample + r%k.perExample
}

func (k *softmax[T]) forward(f *frame[T]) {
	k.f = f
	k.share(len(f.y), k.rows)
}

func (k *softmax[T]) share(n int, body func(lo, hi int)) {
	simd.Parallel(n/k.cols, 1+grain/16/k.cols, body)
}

func (k *softmax[T]) jvp(f *frame[T], dy []T, dx [][]T, n int) {
	k.f, k.dst, k.d, k.k = f, dy, dx[0], n
	k.share(len(dy), k.products)
}

// The Jacobian diag(y) − y·yᵀ is its own transpose.
func (k *softmax[T]) vjp(f *frame[T], dx [][]T, dy []T, n int) {
	if dx[0] != nil {
		k.f, k.dst, k.d, k.k = f, dx[0], dy, n
		k.share(len(dy), k.products)
	}
}

func (k *softmax[T]) shift(f *frame[T], dy []T, dx [][]T, n int) {
	k.f, k.dst, k.d, k.k = f, dy, dx[0], n
	k.share(len(dy), k.changes)
}

func softmaxRow[T Float](y, x []T) {
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, float64(v))
	}
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(float64(v) - top)
	}
	for i, v := range x {
		y[i] = T(math.Exp(float64(v)-top) / sum)
	}
}

// softmaxProduct is dst = y∘(d − ⟨y, d⟩).
func softmaxProduct[T Float](dst, d, y []T) {
	mean := 0.0
	for i, v := range y {
		mean += float64(v) * float64(d[i])
	}
	for i, v := range y {
		dst[i] = T(float64(v) * (float64(d[i]) - mean))
	}
}

// softmaxShift is softmax(x+d) − softmax(x). With t = d − c, for any c, and
// q = Σ_j y_j·expm1(t_j), it is y_i·(expm1(t_i) − q)/(1 + q), in which nothing
// large cancels while t is small: c is the mean ⟨y, d⟩. Where some |t_i| > 1/2 the
// two softmaxes differ visibly and are subtracted.
func softmaxShift[T Float](dst, d, x, y []T) {
	c := 0.0
	for i, v := range y {
		c += float64(v) * float64(d[i])
	}
	far, q := false, 0.0
	for i, v := range y {
		t := float64(d[i]) - c
		far = far || !(math.Abs(t) <= .5)
		q += float64(v) * math.Expm1(t)
	}
	if far {
		softmaxDifference(dst, d, x)
		return
	}
	for i, v := range y {
		dst[i] = T(float64(v) * (math.Expm1(float64(d[i])-c) - q) / (1 + q))
	}
}

func softmaxDifference[T Float](dst, d, x []T) {
	top, topMoved := math.Inf(-1), math.Inf(-1)
	for i, v := range x {
		top = max(top, float64(v))
		topMoved = max(topMoved, float64(v)+float64(d[i]))
	}
	sum, sumMoved := 0.0, 0.0
	for i, v := range x {
		sum += math.Exp(float64(v) - top)
		sumMoved += math.Exp(float64(v) + float64(d[i]) - topMoved)
	}
	for i, v := range x {
		moved := math.Exp(float64(v)+float64(d[i])-topMoved) / sumMoved
		dst[i] = T(moved - math.Exp(float64(v)-top)/sum)
	}
}

// roundoff: with r_i = ex_i + max_j ex_j the exact softmax at x lies within a factor
// e^{±r_i} of that at x̂: the exponent of entry i moves by at most ex_i, the
// logarithm of the sum by at most max_j ex_j. The computed ŷ_i differs from the
// softmax at x̂ by a factor e^{±ρ_i}: rounding t_j = x̂_j − max to T moves its
// exponential by e^{±u|t_j|}, math.Exp is good to 2 ulp, that is 4u, and cols − 1
// additions and a division add cols roundings of at most u/(1 − u) each. With the
// largest |t_j| that does not underflow bounded by 746,
//
//	ρ_i = u·(|t_i| + 746 + cols + 12),
//
// so ey_i = ŷ_i·expm1(r_i + ρ_i). Exponentials that underflow are each smaller than
// 2⁻¹⁰²² and are seen by no other entry, since the sum is at least 1; their own
// entry, and e^{r_i} times that, is allowed for by underflow. No error exceeds 1,
// up to the rounding of a ŷ near 1.
func (k *softmax[T]) roundoff(f *frame[float64], ey []float64, ex [][]float64) {
	up := roundUp(k.cols + 16)
	for lo := 0; lo < len(f.y); lo += k.cols {
		x, y, e := f.x[0][lo:lo+k.cols], f.y[lo:lo+k.cols], ex[0][lo:lo+k.cols]
		top, widest := math.Inf(-1), 0.0
		for i := range x {
			top, widest = max(top, x[i]), max(widest, e[i])
		}
		for i := range x {
			rho := unit * (math.Min(math.Abs(x[i]-top), 1e300) + 746 + float64(k.cols) + 12)
			r := (e[i] + widest + rho) * up
			ey[lo+i] = min(up, up*y[i]*math.Expm1(r)*(1+8*unit)+underflow*math.Exp(r))
		}
	}
}
