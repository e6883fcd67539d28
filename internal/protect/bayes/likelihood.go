package bayes

import (
	"math"

	"tattle/internal/math/simd"
	"tattle/internal/protect/release"
)

// likelihoods computes the log densities of releases given candidates, each up to a constant
// of the release.
type likelihoods interface {
	// load sets the block of candidates to the given features, [n, dim], with the scales of
	// their noise; nil: all 1.
	load(features, scales []float64, n int)
	// rows overwrites dst, [hi−lo, n], with the log densities of draws lo to hi−1 given the
	// candidates of the block.
	rows(dst []float64, lo, hi int)
	// own returns the log density of one draw given the features and the scale of their noise,
	// the same bytes as in rows.
	own(draw int, features []float64, scale float64) float64
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

// newLikelihoods returns the likelihoods of the releases for this noise. scaled says that
// each candidate has a scale.
func newLikelihoods(d *releases, noise Density, scaled bool) likelihoods {
	if sigma, ok := release.AsGaussian(noise); ok {
		p := newProducts(d, sigma)
		if scaled {
			p.keepSquares(d)
		}
		return p
	}
	return &densities{releases: d, noise: noise}
}

// products computes the log densities for Gaussian noise as matrix products:
//
//	−k‖ȳ − a‖²/2σ² = (⟨ȳ, a⟩ − ½‖a‖²)·k/σ² + a constant of the release,
//
// where ȳ, the mean of the k releases, is a sufficient statistic. A centre is subtracted
// from the features to reduce cancellation. If the noise of candidate a has the scale c, the
// lengths of the releases matter too:
//
//	−Σ‖y_q − a‖²/2σ²c² − kn ln c = (⟨ȳ, a⟩ − ½‖a‖² − t)·k/σ²c² − kn ln c, t = Σ‖y_q‖²/2k.
type products struct {
	dim     int
	queries int
	scale   float64 // k/σ²
	centre  []float64
	y       []float64 // means of the releases less the centre, [draws, dim]
	a       []float64 // block of features less the centre, [n, dim]
	packed  simd.Packed[float64]
	half    []float64 // ½‖a‖²·k/σ² of the block; with scales ½‖a‖²·k/σ²c² + kn ln c
	n       int
	longest [2]float64 // largest ‖y‖ and ‖a‖; with scales, of √2t and ‖a‖

	squares []float64  // t·k/σ² of the draws; nil without scales
	inverse []float64  // 1/c² of the block
	extreme [2]float64 // largest 1/c² and |ln c|
}

func newProducts(d *releases, sigma float64) *products {
	draws, queries := d.len(), d.queries
	p := &products{dim: d.dim, queries: queries, scale: float64(queries) / sigma / sigma, centre: make([]float64, d.dim),
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

// keepSquares prepares for candidates with scales.
func (p *products) keepSquares(d *releases) {
	p.squares, p.inverse = make([]float64, d.len()), make([]float64, len(p.half))
	y := make([]float64, p.dim)
	for b := range p.squares {
		var sum float64
		for q := range p.queries {
			copy(y, d.release(b, q))
			simd.Axpy(-1, p.centre, y)
			sum += simd.SumSquares(y) / float64(p.queries)
		}
		p.squares[b] = sum / 2 * p.scale
		p.longest[0] = max(p.longest[0], math.Sqrt(sum))
	}
}

func (p *products) load(features, scales []float64, n int) {
	p.n = n
	copy(p.a, features[:n*p.dim])
	for j := range n {
		a := p.a[j*p.dim : (j+1)*p.dim]
		simd.Axpy(-1, p.centre, a)
		s := simd.SumSquares(a)
		p.half[j] = s / 2 * p.scale
		p.longest[1] = max(p.longest[1], math.Sqrt(s))
		if p.squares != nil {
			p.inverse[j], p.half[j] = p.scaled(p.half[j], scales[j])
			p.extreme = [2]float64{max(p.extreme[0], p.inverse[j]), max(p.extreme[1], math.Abs(math.Log(scales[j])))}
		}
	}
	p.packed.Pack(true, p.dim, n, p.a, p.dim)
}

func (p *products) rows(dst []float64, lo, hi int) {
	simd.GemmPacked(false, hi-lo, p.scale, p.y[lo*p.dim:hi*p.dim], p.dim, &p.packed, 0, dst, p.n)
	for b := range hi - lo {
		p.finish(dst[b*p.n:(b+1)*p.n], lo+b, p.inverse, p.half[:p.n])
	}
}

// scaled returns 1/c² and half/c² + kn ln c.
func (p *products) scaled(half, c float64) (inverse, offset float64) {
	inverse = 1 / (c * c)
	return inverse, float64(half*inverse) + float64(float64(p.queries*p.dim)*math.Log(c))
}

// finish makes log densities of products ⟨ȳ, a⟩·k/σ² of a draw.
func (p *products) finish(dst []float64, draw int, inverse, half []float64) {
	if p.squares != nil {
		t := p.squares[draw]
		for j, v := range dst {
			dst[j] = (v - t) * inverse[j]
		}
	}
	simd.Axpy(-1, half, dst)
}

// own gives the same bytes as rows, because an element of a product depends only on its row
// and column.
func (p *products) own(draw int, features []float64, scale float64) float64 {
	a, out := make([]float64, p.dim), make([]float64, 1)
	copy(a, features)
	simd.Axpy(-1, p.centre, a)
	simd.Gemm(false, true, 1, 1, p.dim, p.scale, p.y[draw*p.dim:(draw+1)*p.dim], p.dim, a, p.dim, 0, out, 1)
	inverse, half := 1., simd.SumSquares(a)/2*p.scale
	if p.squares != nil {
		inverse, half = p.scaled(half, scale)
	}
	p.finish(out, draw, []float64{inverse}, []float64{half})
	return out[0]
}

// rounding adds three errors. A product of n terms errs by at most (n+2)u‖y‖‖a‖, and ½‖a‖² by
// (n+2)u‖a‖²/2. The mean of the releases and the subtractions of the centre and of ½‖a‖² err
// by less than 6u(‖y‖+‖a‖)‖a‖.
//
// With scales, the sum of k·n terms in t errs by at most (n+k+4)u‖y‖²/2, where ‖y‖ = √2t, and
// the other two as above. Subtracting the centre changes y by a relative u, and the subtractions,
// 1/c² and the product with it add 6u of the three together, which are ½(‖y‖+‖a‖)². The logarithm
// and what is added to it err by 4u·kn|ln c|.
func (p *products) rounding() float64 {
	const unit = 0x1p-53
	y, a := p.longest[0], p.longest[1]
	if p.squares != nil {
		return unit * ((float64(p.dim+p.queries)+16)*(y+a)*(y+a)*p.scale*p.extreme[0] + 4*float64(p.queries*p.dim)*p.extreme[1])
	}
	return (float64(p.dim) + 8) * unit * (y + a) * a * p.scale
}

// densities computes the log densities for any other noise, summed over the releases:
// Σ ln f((y_q − a)/c) − kn ln c, where c is the scale.
type densities struct {
	*releases
	noise  Density
	a      []float64 // block of features, [n, dim]
	scales []float64 // nil: all 1
	n      int
	most   float64 // largest absolute value of a log density
	log    float64 // largest |ln c|
}

func (d *densities) load(features, scales []float64, n int) {
	d.a, d.scales, d.n = features, scales, n
	for _, c := range scales {
		d.log = max(d.log, math.Abs(math.Log(c)))
	}
}

func (d *densities) rows(dst []float64, lo, hi int) {
	simd.Parallel(hi-lo, 1, func(from, to int) {
		z := make([]float64, d.dim)
		for b := from; b < to; b++ {
			for j := range d.n {
				scale := 1.
				if d.scales != nil {
					scale = d.scales[j]
				}
				dst[b*d.n+j] = d.sum(z, lo+b, d.a[j*d.dim:(j+1)*d.dim], scale)
			}
		}
	})
	d.most = max(d.most, simd.MaxAbs(dst[:(hi-lo)*d.n]))
}

func (d *densities) own(draw int, features []float64, scale float64) float64 {
	return d.sum(make([]float64, d.dim), draw, features, scale)
}

// sum returns the log density of the releases of one draw given features a with noise of this
// scale; z is a buffer.
func (d *densities) sum(z []float64, draw int, a []float64, scale float64) (s float64) {
	n := d.queries * d.dim
	for y := d.y[draw*n : (draw+1)*n]; len(y) > 0; y = y[d.dim:] {
		for i, v := range a {
			z[i] = (y[i] - v) / scale
		}
		s += d.noise.LogDensity(z)
	}
	return s - float64(n)*math.Log(scale)
}

// rounding is that of a sum of n terms of one sign, each with a relative error of a few u, and
// of the logarithms of the scales.
func (d *densities) rounding() float64 {
	const unit = 0x1p-53
	n := float64(d.queries * d.dim)
	return (n + 32) * unit * (d.most + n*d.log)
}
