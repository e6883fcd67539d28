package bound

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/engine/nn"
	"tattle/internal/file"
	"tattle/internal/math/gram"
	"tattle/internal/math/lsqr"
	"tattle/internal/math/simd"
	"tattle/internal/run"
)

// Settings of a large Jacobian's factor.
const (
	gramVectors   = 32   // products with J that are computed together
	gramBlock     = 1024 // most rows of a file
	gramBlocks    = 8    // a small matrix has as many files, for the same way of working at every size
	gramPanel     = 64   // rows of files are a multiple
	topSteps      = 16   // of bidiagonalisation for the largest singular value, which is then right to a few percent
	gramSolves    = 5    // with the factor, of an application of J⁺
	gramNoise     = 10   // singular values are inverted that are as many times as large as the error of J
	gramFolder    = "jacobian-"
	gramProducts  = 1 << 30 // bytes that the model's buffers may take for products, before files stay in memory
	gramTemporary = 5       // float64 vectors of each side that an application of J⁺ takes
)

// gramian is the Jacobian J of one example with the Cholesky factor of its smaller Gram matrix.
// X is J, restricted to active features, or its transpose, whichever has fewer rows, and the
// factor is that of G = X Xᵀ + λI. With H = G⁻¹ X Xᵀ, whose eigenvalues are h = s²/(s²+λ) for the
// singular values s of J, the pseudoinverse of X Xᵀ is taken to be (10 − 15H + 6H²) H² G⁻¹. So 1/s
// becomes (10h³ − 15h⁴ + 6h⁵)/s, which is (1 − O(λ³/s⁶))/s for s above √λ, and O(s⁵/λ³) below: what
// is zero in real arithmetic is not, as J is computed in float32, and must have no effect.
type gramian struct {
	matrix *gram.Matrix
	active []int // features
	p, n   int
	tall   bool // X = Jᵀ

	sum, wide []float64
}

// gramOptions describes the files for Jacobians of that size.
func (j jacobianSize) gramOptions() gram.Options {
	rows := min(j.rows, j.cols)
	block := (rows/gramBlocks + gramPanel) / gramPanel * gramPanel
	return gram.Options{Rows: rows, Cols: max(j.rows, j.cols), Block: min(gramBlock, block)}
}

// gramianAt computes J at theta and its factor, with files in dir. Nil means that J is zero.
func gramianAt(ctx context.Context, m nn.Model, theta []float32, files *file.Dir, dir string, memory int64) (*gramian, error) {
	p, n := m.Dims()
	lin := m.Linearize(theta)
	g := &gramian{p: p, n: n, active: trues(activity(lin, n))}
	least := leastInverted(ctx, m, lin, theta, len(g.active))
	if err := ctx.Err(); err != nil || !(least > 0) {
		return nil, err
	}
	g.tall = len(g.active) > p
	o := jacobianSize{len(g.active), p}.gramOptions()
	o.Files, o.Dir, o.Memory, o.Shift = files, dir, memory, least*least
	g.matrix = gram.New(o)
	rows := g.rowsOf(lin)
	return g, g.matrix.Build(ctx, func(first int, dst []float32) error {
		for part := range slices.Chunk(dst, gramVectors*o.Cols) {
			rows(first, part)
			if err := ctx.Err(); err != nil {
				return err
			}
			first += len(part) / o.Cols
		}
		return nil
	})
}

// leastInverted returns √λ, from where on singular values are inverted: cutoff times the largest,
// or gramNoise times those that the float32 error E of J makes of zeros, about ‖E‖_F(1/√p + 1/√rows)
// if its elements are independent. ‖E‖_F is ‖Ev‖ for random signs v, about. It is 0 if J is.
func leastInverted(ctx context.Context, m nn.Model, lin nn.Linearization[float32], theta []float32, rows int) float64 {
	p, n := m.Dims()
	v := drawSigns(p)
	b := lsqr.Bidiagonalize(&products{ctx.Err, lin, p, n}, v, min(topSteps, p, n))
	if len(b.Alpha) == 0 {
		return 0
	}
	z, exact := make([]float32, n), make([]float64, n)
	lin.JVP(z, v)
	m.Linearize64(nn.Float64s(theta)).JVP(exact, nn.Float64s(v))
	for i, w := range z {
		exact[i] -= float64(w)
	}
	noise := math.Sqrt(simd.SumSquares(exact)) * (1/math.Sqrt(float64(p)) + 1/math.Sqrt(float64(rows)))
	return max(cutoff*largestSingular(b), gramNoise*noise)
}

// rowsOf returns what overwrites dst with rows of X from first on, gramVectors at most: rows of J by
// products with Jᵀ, or columns of J by products with J.
func (g *gramian) rowsOf(lin nn.Linearization[float32]) func(first int, dst []float32) {
	in, out, width := g.n, g.p, g.p
	if g.tall {
		in, out, width = g.p, g.n, len(g.active)
	}
	unit, product := make([]float32, gramVectors*in), make([]float32, gramVectors*out)
	return func(first int, dst []float32) {
		count := len(dst) / width
		clear(unit)
		for k := range count {
			at := first + k
			if !g.tall {
				at = g.active[at]
			}
			unit[k*in+at] = 1
		}
		if !g.tall {
			lin.VJP(dst, unit[:count*in])
			return
		}
		lin.JVP(product[:count*out], unit[:count*in])
		gather(dst, product, g.active, out)
	}
}

// gather overwrites rows of dst with the elements of rows of x, of that width, at the given places.
func gather[A, B nn.Float](dst []A, x []B, at []int, width int) {
	for i := range dst {
		dst[i] = A(x[i/len(at)*width+at[i%len(at)]])
	}
}

// scatter puts the elements of rows of x at the given places in rows of dst, of that width.
func scatter[A, B nn.Float](dst []A, x []B, at []int, width int) {
	for i, v := range x {
		dst[i/len(at)*width+at[i%len(at)]] = A(v)
	}
}

// invert overwrites y, [k, rows of X], with (X Xᵀ)⁺y.
func (g *gramian) invert(ctx context.Context, y []float64, k int) error {
	if err := g.matrix.Solve(ctx, y, k); err != nil {
		return err
	}
	g.sum = room(g.sum, len(y))
	clear(g.sum)
	for _, c := range []float64{0, 10, -15, 6} {
		if err := g.smooth(ctx, y, k); err != nil {
			return err
		}
		simd.Axpy(c, y, g.sum)
	}
	copy(y, g.sum)
	return nil
}

// smooth overwrites y, [k, rows of X], with H y.
func (g *gramian) smooth(ctx context.Context, y []float64, k int) error {
	g.wide = room(g.wide, k*g.matrix.Cols)
	if err := g.matrix.MulTrans(ctx, g.wide, y, k); err != nil {
		return err
	}
	if err := g.matrix.Mul(ctx, y, g.wide, k); err != nil {
		return err
	}
	return g.matrix.Solve(ctx, y, k)
}

// across applies the pseudoinverse of X to v, [k, rows], or that of Xᵀ to v, [k, cols]. dst has
// the other width.
func (g *gramian) across(ctx context.Context, dst, v []float64, k int, ofX bool) error {
	if ofX {
		if err := g.invert(ctx, v, k); err != nil {
			return err
		}
		return g.matrix.MulTrans(ctx, dst, v, k)
	}
	if err := g.matrix.Mul(ctx, dst, v, k); err != nil {
		return err
	}
	return g.invert(ctx, dst, k)
}

// drawSigns returns random signs, always the same.
func drawSigns(width int) []float32 {
	g := run.Rand(0, 0, 0)
	x := make([]float32, width)
	for i := range x {
		if x[i] = 1; g.Uint32()&1 == 0 {
			x[i] = -1
		}
	}
	return x
}

// largestSingular returns the largest singular value of B.
func largestSingular(b lsqr.Bidiagonal[float32]) float64 {
	k := len(b.Alpha)
	m := mat.NewDense(k, k, nil)
	for i, v := range b.Alpha {
		m.Set(i, i, v)
		if i+1 < k {
			m.Set(i, i+1, b.Beta[i])
		}
	}
	var svd mat.SVD
	if !svd.Factorize(m, mat.SVDNone) {
		return 0
	}
	return svd.Values(nil)[0]
}
