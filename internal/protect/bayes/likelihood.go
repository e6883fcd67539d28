package bayes

import (
	"math"

	"tattle/internal/math/simd"
	"tattle/internal/protect/release"
)

// likelihoods computes the log densities of releases given candidates, each up to a constant
// of the release.
type likelihoods interface {
	// load sets the block of candidates to the given features, [n, dim].
	load(features []float64, n int)
	// rows overwrites dst, [hi−lo, n], with the log densities of draws lo to hi−1 given the
	// candidates of the block.
	rows(dst []float64, lo, hi int)
	// own returns the log density of one draw given the features, the same bytes as in rows.
	own(draw int, features []float64) float64
	// rounding bounds the absolute error of all log densities computed so far.
	rounding() float64
}

// releases holds the releases of several draws.
type releases struct {
	y       []float64 // [draws, queries, dim]
	dim     int
	queries int
}

func (d *releases) len() int { return len(d.y) / (d.queries * d.dim) }

// release returns the q-th release of draw b.
func (d *releases) release(b, q int) []float64 {
	from := (b*d.queries + q) * d.dim
	return d.y[from : from+d.dim]
}

// newLikelihoods returns the likelihoods of the releases for this noise.
func newLikelihoods(d *releases, noise Density) likelihoods {
	if sigma, ok := release.AsGaussian(noise); ok {
		return newProducts(d, sigma)
	}
	return &densities{releases: d, noise: noise}
}

// products computes the log densities for Gaussian noise as matrix products:
//
//	−k‖ȳ − a‖²/2σ² = (⟨ȳ, a⟩ − ½‖a‖²)·k/σ² + a constant of the release,
//
// where ȳ, the mean of the k releases, is a sufficient statistic. A centre is subtracted
// from the features to reduce cancellation.
type products struct {
	dim     int
	scale   float64 // k/σ²
	centre  []float64
	y       []float64 // means of the releases less the centre, [draws, dim]
	a       []float64 // block of features less the centre, [n, dim]
	packed  simd.Packed[float64]
	half    []float64 // ½‖a‖²·k/σ² of the block
	n       int
	longest [2]float64 // largest ‖y‖ and ‖a‖
}

func newProducts(d *releases, sigma float64) *products {
	draws, queries := d.len(), d.queries
	p := &products{dim: d.dim, scale: float64(queries) / sigma / sigma, centre: make([]float64, d.dim),
		y: make([]float64, draws*d.dim), a: make([]float64, blockOf(d.dim)*d.dim), half: make([]float64, blockOf(d.dim))}
	for b := range draws {
		y := p.y[b*d.dim : (b+1)*d.dim]
		for q := range queries {
			simd.Axpy(1/float64(queries), d.release(b, q), y)
		}
		simd.Axpy(1/float64(draws), y, p.centre)
	}
	for b := range draws {
		y := p.y[b*d.dim : (b+1)*d.dim]
		simd.Axpy(-1, p.centre, y)
		p.longest[0] = max(p.longest[0], math.Sqrt(simd.SumSquares(y)))
	}
	return p
}

func (p *products) load(features []float64, n int) {
	p.n = n
	copy(p.a, features[:n*p.dim])
	for j := range n {
		a := p.a[j*p.dim : (j+1)*p.dim]
		simd.Axpy(-1, p.centre, a)
		s := simd.SumSquares(a)
		p.half[j] = s / 2 * p.scale
		p.longest[1] = max(p.longest[1], math.Sqrt(s))
	}
	p.packed.Pack(true, p.dim, n, p.a, p.dim)
}

func (p *products) rows(dst []float64, lo, hi int) {
	simd.GemmPacked(false, hi-lo, p.scale, p.y[lo*p.dim:hi*p.dim], p.dim, &p.packed, 0, dst, p.n)
	for b := range hi - lo {
		simd.Axpy(-1, p.half[:p.n], dst[b*p.n:(b+1)*p.n])
	}
}

// own gives the same bytes as rows, because an element of a product depends only on its row
// and column.
func (p *products) own(draw int, features []float64) float64 {
	a, out := make([]float64, p.dim), make([]float64, 1)
	copy(a, features)
	simd.Axpy(-1, p.centre, a)
	simd.Gemm(false, true, 1, 1, p.dim, p.scale, p.y[draw*p.dim:(draw+1)*p.dim], p.dim, a, p.dim, 0, out, 1)
	simd.Axpy(-1, []float64{simd.SumSquares(a) / 2 * p.scale}, out)
	return out[0]
}

// rounding adds three errors. A product of n terms errs by at most (n+2)u‖y‖‖a‖, and ½‖a‖² by
// (n+2)u‖a‖²/2. The mean of the releases and the subtractions of the centre and of ½‖a‖² err
// by less than 6u(‖y‖+‖a‖)‖a‖.
func (p *products) rounding() float64 {
	const unit = 0x1p-53
	y, a := p.longest[0], p.longest[1]
	return (float64(p.dim) + 8) * unit * (y + a) * a * p.scale
}

// densities computes the log densities for any other noise, summed over the releases: Σ ln f(y_q − a).
type densities struct {
	*releases
	noise Density
	a     []float64 // block of features, [n, dim]
	n     int
	most  float64 // largest absolute value of a log density
}

func (d *densities) load(features []float64, n int) { d.a, d.n = features, n }

func (d *densities) rows(dst []float64, lo, hi int) {
	simd.Parallel(hi-lo, 1, func(from, to int) {
		z := make([]float64, d.dim)
		for b := from; b < to; b++ {
			for j := range d.n {
				dst[b*d.n+j] = d.sum(z, lo+b, d.a[j*d.dim:(j+1)*d.dim])
			}
		}
	})
	d.most = max(d.most, simd.MaxAbs(dst))
}

func (d *densities) own(draw int, features []float64) float64 {
	return d.sum(make([]float64, d.dim), draw, features)
}

// sum returns the log density of the releases of one draw given features a; z is a buffer.
func (d *densities) sum(z []float64, draw int, a []float64) (s float64) {
	n := d.queries * d.dim
	for y := d.y[draw*n : (draw+1)*n]; len(y) > 0; y = y[d.dim:] {
		for i, v := range a {
			z[i] = y[i] - v
		}
		s += d.noise.LogDensity(z)
	}
	return s
}

// rounding is that of a sum of n terms of one sign, each with a relative error of a few u.
func (d *densities) rounding() float64 {
	const unit = 0x1p-53
	n := float64(d.queries * d.dim)
	return (n + 32) * unit * d.most
}
