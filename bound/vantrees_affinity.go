package bound

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/simd"
	"tattle/nn"
	"tattle/release"
	"tattle/stat"
)

// affinities evaluates how alike the releases of two inputs are, at draws of the prior.
type affinities struct {
	m           nn.Model
	affine      nn.Model // the layers before the first that is not affine; nil for none
	rest        nn.Model // the layers after them
	noise       release.Noise
	queries     int
	root        []float64 // R of Σ = RᵀR, [p, p]
	done, total int
	onProgress  func(done, total int)
}

// displaced are the displacements of m coordinates and what is known exactly of them.
type displaced struct {
	h        []float32 // [m, p]
	gain     []float64 // wᵀh
	distance []float64 // hᵀΣ⁻¹h
	spread   []float64 // guesses of the variances of the two coefficients, [2, m]
}

// displacements chooses h along (F·k·E[JᵀJ] + Σ⁻¹)⁻¹w, which is the best direction for a
// linear model, so long that hᵀ(F·k·E[JᵀJ] + Σ⁻¹)h = reach², times that one of
// vanTreesScales which is best at a few draws.
func (a *affinities) displacements(ctx context.Context, prior *Prior, c Coordinates, o VanTreesOptions) (*displaced, error) {
	p, m := prior.P, c.Len()
	var chol mat.Cholesky
	if !chol.Factorize(mat.NewSymDense(p, prior.Covariance)) {
		return nil, fmt.Errorf("the prior's covariance is not positive definite")
	}
	var root mat.TriDense
	chol.UTo(&root)
	a.root = mat.DenseCopyOf(&root).RawMatrix().Data
	g, err := a.meanGram(ctx, prior.draws(a.root, gramDraws, o.Seed, gramStream))
	if err != nil {
		return nil, err
	}
	simd.Scale(a.noise.Fisher()*float64(a.queries), g)
	covariance, err := posterior(a.root, g, p)
	if err != nil {
		return nil, err
	}
	d := newDisplaced(covariance, c, a.reach())
	var solved mat.Dense
	wide := widened64(d.h)
	if err := chol.SolveTo(&solved, mat.NewDense(m, p, wide).T()); err != nil {
		return nil, fmt.Errorf("van Trees bound: %w", err)
	}
	parallel(m, func(k int) {
		for i := range p {
			d.distance[k] += wide[k*p+i] * solved.At(i, k)
		}
	})
	return d, a.rescale(ctx, prior, d, o)
}

// newDisplaced returns h_k = reach·C w_k/√(w_kᵀC w_k) and w_kᵀh_k for C, [p, p].
func newDisplaced(covariance []float64, c Coordinates, reach float64) *displaced {
	p, m := c.Inputs(), c.Len()
	d := &displaced{h: make([]float32, m*p), gain: make([]float64, m), distance: make([]float64, m), spread: make([]float64, 2*m)}
	eachProduct(covariance, c, func(k int, h []float64, square float64) {
		std, all := math.Sqrt(max(square, 0)), make([]float64, m)
		for i, v := range h {
			d.h[k*p+i] = float32(reach * v / max(std, math.SmallestNonzeroFloat64))
			h[i] = float64(d.h[k*p+i])
		}
		c.Apply(all, h)
		d.gain[k] = all[k]
	})
	return d
}

// reach is the length of h that costs a linear model least: with Gaussian noise the bound
// is (x/4)/sinh(x/4) of the best possible at x = reach², 4 % less at x = 2, and a longer
// one would leave more to what the limits cost. The coefficient of other noise is bounded
// by a cosine, which is loose for far inputs.
func (a *affinities) reach() float64 {
	if _, ok := release.AsGaussian(a.noise); ok {
		return math.Sqrt2
	}
	return 1
}

// rescale multiplies each displacement by the best of vanTreesScales at scaleDraws draws.
func (a *affinities) rescale(ctx context.Context, prior *Prior, d *displaced, o VanTreesOptions) error {
	m, p := len(d.gain), prior.P
	draws := prior.draws(a.root, scaleDraws, o.Seed, scaleStream)
	best, chosen := make([]float64, m), make([]float64, m)
	for _, scale := range vanTreesScales {
		h := make([]float32, len(d.h))
		for i, v := range d.h {
			h[i] = float32(scale) * v
		}
		values, err := a.at(ctx, draws, h, p)
		if err != nil {
			return err
		}
		for k := range m {
			near, nearSpread := stat.MeanStd(rowOf(values, k, scaleDraws))
			far, farSpread := stat.MeanStd(rowOf(values, m+k, scaleDraws))
			if b := d.bound(k, scale, near, far); b > best[k] || chosen[k] == 0 {
				best[k], chosen[k] = b, scale
				d.spread[k], d.spread[m+k] = nearSpread*nearSpread, farSpread*farSpread
			}
		}
	}
	for k, scale := range chosen {
		d.gain[k] *= scale
		d.distance[k] *= scale * scale
		for i := range p {
			d.h[k*p+i] *= float32(scale)
		}
	}
	return nil
}

// bound is that of VanTrees on the mean square error of coordinate k for scale·h, from the
// expectations of the coefficients of θ ± h/2 and of θ ± h.
func (d *displaced) bound(k int, scale, near, far float64) float64 {
	gain, distance := scale*d.gain[k], scale*scale*d.distance[k]
	if gain == 0 {
		return 0
	}
	near, far = near*math.Exp(-distance/8), far*math.Exp(-distance/2)
	return gain * gain * near * near / (2 * (1 - far))
}

// limits returns the bounds, with each expectation's lower confidence limit. Of 2m limits
// each may fail with a probability of (1 − confidence)/(2m).
func (a *affinities) limits(ctx context.Context, prior *Prior, d *displaced, o VanTreesOptions) ([]float64, error) {
	m := len(d.gain)
	values, err := a.at(ctx, prior.draws(a.root, o.Draws, o.Seed, limitStream), d.h, prior.P)
	if err != nil {
		return nil, err
	}
	low, std := make([]float64, 2*m), make([]float64, m)
	parallel(2*m, func(k int) {
		low[k] = stat.BoundedMeanLow(rowOf(values, k, o.Draws), d.spread[k], (1-o.Confidence)/float64(2*m))
	})
	for k := range std {
		std[k] = math.Sqrt(d.bound(k, 1, low[k], low[m+k]))
	}
	return std, nil
}

// at returns the coefficients of θ ± h/2, then those of θ ± h, at every draw θ of x, [·, p],
// and every displacement of h, [m, p], as [2, m, draws].
func (a *affinities) at(ctx context.Context, x, h []float32, p int) ([]float64, error) {
	draws, m := len(x)/p, len(h)/p
	q, n := a.rest.Dims()
	out := make([]float64, 2*m*draws)
	block := max(1, min(m, affinityBlock/(4*(q+n))))
	d, change := make([]float32, 4*block*q), make([]float32, 4*block*n)
	bent := a.bent(x, draws)
	for lo := 0; lo < m; lo += block {
		count := min(block, m-lo)
		a.displace(d, h[lo*p:(lo+count)*p], count)
		for i := range draws {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			lin := a.rest.Linearize(rowOf(bent, i, q))
			lin.Shift(change[:4*count*n], d[:4*count*q])
			parallel(2*count, func(k int) {
				pair, k := k/count, k%count
				there := rowOf(change, 2*pair*count+k, n)
				back := rowOf(change, (2*pair+1)*count+k, n)
				out[(pair*m+lo+k)*draws+i] = a.coefficient(lin.Features(), there, back)
			})
			a.progress((lo*draws + (i+1)*count) / m)
		}
	}
	a.done += draws
	return out, nil
}

// count counts draws that are done.
func (a *affinities) count(more int) {
	a.done += more
	a.progress(0)
}

// progress reports that more draws are done.
func (a *affinities) progress(more int) {
	if a.onProgress != nil {
		a.onProgress(a.done+more, a.total)
	}
}

// coefficient returns at most the Bhattacharyya coefficient of the releases of features
// that are there − back apart, on both sides of others: for Gaussian noise exp(−‖z‖²/8σ²), and for Lattice
// noise the product of release.AffinityLow for the rounded features. For other noise √density
// moves on a sphere with the speed √F/2, so that the coefficient is at least the cosine of
// √F·|z|/2 up to a right angle: one feature at a time where the noise is independent, of
// ‖z‖ where it is not. Queries multiply it by itself. What is not finite counts as 0.
func (a *affinities) coefficient(features, there, back []float32) float64 {
	independent := false
	switch f := a.noise.(type) {
	case release.Lattice:
		z := make([]float64, 2*len(there))
		for j, v := range features {
			z[j] = f.Point(float64(v)+float64(there[j])) - f.Point(float64(v)+float64(back[j]))
		}
		return nothingFor(math.Pow(release.AffinityLow(f, z[:len(there)], z[len(there):]), float64(a.queries)))
	case release.Gaussian:
		square := 0.
		for j, v := range there {
			z := float64(v) - float64(back[j])
			square += z * z
		}
		return nothingFor(math.Exp(-square * a.noise.Fisher() * float64(a.queries) / 8))
	case release.Laplace, release.Logistic, release.StudentT, *release.Table:
		independent = true
	}
	half, product, square := math.Sqrt(a.noise.Fisher())/2, 1., 0.
	for j, v := range there {
		z := float64(v) - float64(back[j])
		square += z * z
		if independent {
			product *= cosine(half * math.Abs(z))
		}
	}
	if !independent {
		product = cosine(half * math.Sqrt(square))
	}
	return nothingFor(math.Pow(product, float64(a.queries)))
}

// cosine is that of an angle, 0 from a right angle on.
func cosine(angle float64) float64 {
	if !(angle < math.Pi/2) {
		return 0
	}
	return math.Cos(angle)
}

// nothingFor returns v, but 0 for what is not a number.
func nothingFor(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}
