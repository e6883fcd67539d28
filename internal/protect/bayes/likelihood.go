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
//	−k‖ȳ − a‖²/2σ² = ⟨(ȳ, 1), (a, −½‖a‖²)⟩·k/σ² + a constant of the release,
//
// where ȳ, the mean of the k releases, is a sufficient statistic. A centre is subtracted
// from the features to reduce cancellation.
type products struct {
	dim     int
	scale   float64 // k/σ²
	centre  []float64
	y       []float64 // means of the releases less the centre, then 1, [draws, dim+1]
	a       []float64 // block of features less the centre, then −½‖a‖², [n, dim+1]
	packed  simd.Packed[float64]
	n       int
	longest [2]float64 // largest ‖y‖ and ‖a‖
}

func newProducts(d *releases, sigma float64) *products {
	draws, queries, width := d.len(), d.queries, d.dim+1
	p := &products{dim: d.dim, scale: float64(queries) / sigma / sigma, centre: make([]float64, d.dim),
		y: make([]float64, draws*width), a: make([]float64, blockOf(d.dim)*width)}
	for b := range draws {
		y := p.y[b*width:][:d.dim]
		for q := range queries {
			simd.Axpy(1/float64(queries), d.release(b, q), y)
		}
		simd.Axpy(1/float64(draws), y, p.centre)
	}
	for b := range draws {
		y := p.y[b*width:][:width]
		simd.Axpy(-1, p.centre, y[:d.dim])
		p.longest[0] = max(p.longest[0], math.Sqrt(simd.SumSquares(y[:d.dim])))
		y[d.dim] = 1
	}
	return p
}

// place writes a row of a for some features, and returns ‖a‖.
func (p *products) place(a, features []float64) float64 {
	copy(a, features[:p.dim])
	simd.Axpy(-1, p.centre, a[:p.dim])
	s := simd.SumSquares(a[:p.dim])
	a[p.dim] = -s / 2
	return math.Sqrt(s)
}

func (p *products) load(features []float64, n int) {
	p.n = n
	width := p.dim + 1
	for j := range n {
		p.longest[1] = max(p.longest[1], p.place(p.a[j*width:][:width], features[j*p.dim:]))
	}
	p.packed.Pack(true, width, n, p.a, width)
}

func (p *products) rows(dst []float64, lo, hi int) {
	width := p.dim + 1
	simd.GemmPacked(false, hi-lo, p.scale, p.y[lo*width:hi*width], width, &p.packed, 0, dst, p.n)
}

// own gives the same bytes as rows, because an element of a product depends only on its row
// and column.
func (p *products) own(draw int, features []float64) float64 {
	width := p.dim + 1
	a, out := make([]float64, width), make([]float64, 1)
	p.place(a, features)
	simd.Gemm(false, true, 1, 1, width, p.scale, p.y[draw*width:][:width], width, a, width, 0, out, 1)
	return out[0]
}

// rounding adds three errors. A product of n+1 terms errs by at most (n+3)u(‖y‖‖a‖ + ½‖a‖²), and ½‖a‖² by
// (n+2)u‖a‖²/2. The mean of the releases and the subtractions of the centre err by less than 5u(‖y‖+‖a‖)‖a‖.
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
