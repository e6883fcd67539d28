package measure

import (
	"math"
	"slices"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
	"tattle/internal/math/stat"
	"tattle/internal/protect/bound"
)

const (
	// mostApart is the largest number of inputs of a sample that choose the balls, one tenth of
	// small samples.
	mostApart = 200
	// ballShare is the share of them that a ball holds. With a smaller ball, a floor loses more
	// by the projection, and less by the limit for the sample.
	ballShare = .9
	// rounding of the transform, relative to the norm of an input, is not the content of a band.
	rounding = 1e-12
)

// A ball is a set of values of a band, onto which floors without a list project inputs. The projection π is
// onto a convex set, so ‖πt − πx‖ ≤ ‖t − x‖ for every input x and reconstruction t: a floor on the
// error for πx is one for x. Its squared errors are at most those across the ball, however far apart
// inputs can be. The ball must not depend on the inputs for which the floor is computed.
type ball struct {
	center []float64
	radius float64
}

// most returns the largest mean-square error in the ball.
func (b ball) most() float64 { return 4 * b.radius * b.radius / float64(len(b.center)) }

// SetApart returns how many of a sample of n inputs, or people, choose the balls of floors without a list. Too few choose none.
func SetApart(n int) int {
	if k := min(mostApart, n/10); k > 1 {
		return k
	}
	return 0
}

// SquareRange returns the largest mean-square error over whole inputs for which limits without a list from a
// sample allow: that across the ball, or across the range of the inputs if the sample is small.
func SquareRange(sample *dataset.Set, seed uint64) float64 {
	p := nn.Size(sample.Shape)
	l := &lists{ListOptions: ListOptions{Sample: &List{Set: sample}}, target: Target{Coordinates: bound.Pixels(p)}}
	if balls := l.balls(DrawCandidates(sample.Len(), SetApart(sample.Len()), seed)); balls != nil {
		return balls[0].most()
	}
	low, high := legalRange(sample)
	return most(low, high, p)
}

// balls returns the ball of each band. Its center is the mean of the given inputs of the sample, and a
// share of ballShare of them lies inside. It returns nil if no inputs are given.
func (l *lists) balls(of []int) []ball {
	if len(of) == 0 {
		return nil
	}
	bands := bound.Octaves(l.target.Coordinates)
	values, largest := make([][][]float64, len(bands)), 0. // [band][input]
	reader := l.reader(bands)
	defer l.readers.Put(reader)
	for _, i := range of {
		reader.read(l.Sample, i)
		for k, v := range reader.split() {
			values[k] = append(values[k], slices.Clone(v))
		}
		largest = max(largest, math.Sqrt(simd.SumSquares(values[0][len(values[0])-1])))
	}
	out := make([]ball, len(bands))
	for k, all := range values {
		center, distances := make([]float64, len(all[0])), make([]float64, len(all))
		for _, v := range all {
			simd.Axpy(1/float64(len(all)), v, center)
		}
		for i, v := range all {
			simd.Axpy(-1, center, v)
			distances[i] = math.Sqrt(simd.SumSquares(v))
		}
		out[k] = ball{center, stat.Quantile(distances, ballShare)}
		if out[k].radius < rounding*largest {
			out[k].radius = 0
		}
	}
	return out
}

// A bandReader reads inputs of a list, and their values in each band, into storage of its own.
type bandReader struct {
	coordinates bound.Coordinates
	bands       []bound.Band
	stored      []float32
	along       []float64
	values      [][]float64 // of each band: the whole input, then its coordinates
}

// reader returns a reader of the octaves of the coordinates. The caller puts it back.
func (l *lists) reader(bands []bound.Band) *bandReader {
	if r, ok := l.readers.Get().(*bandReader); ok {
		return r
	}
	c := l.target.Coordinates
	r := &bandReader{coordinates: c, bands: bands, stored: make([]float32, c.Inputs()), along: make([]float64, c.Len())}
	r.values = append(r.values, make([]float64, c.Inputs()))
	for _, b := range bands[1:] {
		r.values = append(r.values, make([]float64, len(b.Keep)))
	}
	return r
}

// read returns an input of a list, which the caller may change.
func (r *bandReader) read(of *List, i int) []float64 {
	of.Set.Examples(r.stored, []int{i})
	for k, v := range r.stored {
		r.values[0][k] = float64(v)
	}
	return r.values[0]
}

// split returns the values in each band of the input that values[0] holds.
func (r *bandReader) split() [][]float64 {
	if len(r.bands) > 1 {
		r.coordinates.Apply(r.along, r.values[0])
	}
	for k, b := range r.bands[1:] {
		for j, c := range b.Keep {
			r.values[k+1][j] = r.along[c]
		}
	}
	return r.values
}

// project overwrites v with its projection, less the center.
func (b ball) project(v []float64) {
	simd.Axpy(-1, b.center, v)
	if norm := math.Sqrt(simd.SumSquares(v)); norm > b.radius {
		simd.Scale(b.radius/norm, v)
	}
}
