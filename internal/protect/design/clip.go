package design

import (
	"math"

	"tattle/internal/math/stat"
	"tattle/internal/protect/release"
)

// exposedClip is the share of training inputs whose norm stays as it is where exposure is limited: the tails of a release are
// what exposes single people.
const exposedClip = .1

// roomOnLattice is by how much a radius is smaller for the noise on a lattice, whose σ is taken to be a little smaller.
const roomOnLattice = 1e-3

// radiusOf returns the radius of the clip at noise σ; 0: no clip. With a promise whatever the data it grows with σ, else it is
// given.
func (s *searcher) radiusOf(given, sigma float64) float64 {
	if s.Worst > 0 {
		return sigma * s.worstRadius()
	}
	return given
}

// worstRadius is the radius, in units of σ, that keeps the promise whatever the data; 0 if none does.
func (o *Options) worstRadius() float64 {
	return release.RadiusFor(1/float64(o.Among), o.Worst) / math.Sqrt(float64(max(o.Queries, 1))) * (1 - roomOnLattice)
}

// center returns the mean of rows, and their distances from it.
func (r rows) center() (mean, norms []float64) {
	mean = make([]float64, r.P)
	for i := range r.Len() {
		for k, v := range r.row(i) {
			mean[k] += float64(v)
		}
	}
	for k := range mean {
		mean[k] /= float64(r.Len())
	}
	for i := range r.Len() {
		square := 0.
		for k, v := range r.row(i) {
			square += (float64(v) - mean[k]) * (float64(v) - mean[k])
		}
		norms = append(norms, math.Sqrt(square))
	}
	return mean, norms
}

// within returns rows that are moved toward a center as far as a radius; they themselves if it is 0.
func (r rows) within(center []float64, radius float64) rows {
	if radius == 0 || r.P == 0 {
		return r
	}
	out := r
	out.X = make([]float32, len(r.X))
	for i := range r.Len() {
		x, y, square := r.row(i), out.row(i), 0.
		for k, v := range x {
			square += (float64(v) - center[k]) * (float64(v) - center[k])
		}
		factor := min(1, radius/math.Sqrt(max(square, math.SmallestNonzeroFloat64)))
		for k, v := range x {
			y[k] = float32(center[k] + factor*(float64(v)-center[k]))
		}
	}
	return out
}

// clip sets the radius of a line whose place says so, and the center.
func (l *line) clip() {
	var norms []float64
	l.center, norms = l.values.center()
	if l.Clip {
		l.radius = fewest(norms)
	}
}

// fewest returns the norm that exposedClip of the inputs do not exceed.
func fewest(norms []float64) float64 { return stat.Quantile(norms, exposedClip) }

// clipped returns the values of a line at a strength of the noise, clipped.
func (s *searcher) clipped(l *line, sigma float64) rows {
	radius := s.radiusOf(l.radius, sigma)
	if l.last == nil || l.lastRadius != radius {
		r := l.values.within(l.center, radius)
		l.last, l.lastRadius = &r, radius
	}
	return *l.last
}
