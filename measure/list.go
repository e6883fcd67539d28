package measure

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"

	"tattle/bayes"
	"tattle/bound"
	"tattle/nn"
)

// A ListRequest asks what an adversary can do who holds a list of candidate inputs, and what
// one can do who knows the distribution of the inputs alone.
type ListRequest struct {
	Data     nn.Source // the candidates
	Most     int       // candidates, the first of Data; 0 is all
	Draws    int       // 0 is the default of package bayes
	Bands    []Band    // of the target's coordinates
	Seed     uint64
	Progress func(done, total int)
}

// A Band is a named set of coordinates; a nil Of is all of them.
type Band struct {
	Name string
	Of   []int
}

// ListConfidence is that of every limit of a List.
const ListConfidence = .999

// A List is what the best adversary can do who holds a list of candidates, one of which is the input.
// Every figure is a mean over draws of a candidate and its release, with limits that hold with
// ListConfidence each.
type List struct {
	Candidates int // different inputs
	Merged     int // inputs that were in the list before
	Draws      int
	Queries    int

	Named, Ten bayes.Limit // probability of naming the input, at once and within ten names
	Rank       bayes.Limit // expected rank of the input
	Bits       bayes.Limit // told of which candidate it is
	BitsAbove  float64     // an upper bound on them without draws; NaN where the noise is not Gaussian
	Floors     []ListFloor // of each band
}

// A ListFloor is a floor on the mean over the coordinates of a band of the mean-square error.
type ListFloor struct {
	Band      Band
	List      bayes.Limit // of every adversary who holds the list
	Everybody float64     // lower limit of every adversary who knows the distribution of the inputs and no more; NaN where the data's range is not known
}

// List measures an adversary with a list of candidates against the target. The floors for
// everybody hold for a list of inputs on which the model was not trained.
func (t Target) List(ctx context.Context, q ListRequest) (*List, error) {
	noise, ok := t.Noise.(bayes.Density)
	if !ok {
		return nil, fmt.Errorf("%v noise has no density: there is no posterior", t.Noise)
	}
	count := q.Data.Len()
	if q.Most > 0 {
		count = min(count, q.Most)
	}
	p, _ := t.Front.Dims()
	indices, merged := distinct(q.Data, p, count)
	list := bayes.Inputs{Front: t.Front, Data: q.Data, Indices: indices}
	o := bayes.Options{Draws: q.Draws, Queries: t.Queries, Seed: q.Seed}
	if q.Progress != nil {
		o.Progress = func(done float64) { q.Progress(int(done*1000), 1000) }
	}
	r, err := bayes.Run(ctx, list, noise, nil, o)
	if err != nil {
		return nil, err
	}
	const alpha = 1 - ListConfidence
	out := &List{Candidates: len(indices), Merged: merged, Draws: len(r.Draws), Queries: max(t.Queries, 1),
		Rank: r.Rank(alpha), Bits: r.Bits(alpha), BitsAbove: math.NaN()}
	out.Named, out.Ten = r.Identified(alpha)
	if out.BitsAbove, err = bayes.BitsAbove(ctx, list, noise, t.Queries); errors.Is(err, bayes.ErrNotGaussian) {
		out.BitsAbove = math.NaN()
	} else if err != nil {
		return nil, err
	}
	squares := t.squares(r, list, q.Bands)
	for k, b := range q.Bands {
		out.Floors = append(out.Floors, t.floor(r, b, squares[k], alpha))
	}
	return out, nil
}

// distinct returns the first count inputs of data without those that are equal to an earlier
// one, and how many these are.
func distinct(data nn.Source, p, count int) (indices []int, merged int) {
	x, bytes := make([]float32, p), make([]byte, 4*p)
	seen := make(map[[32]byte]bool, count)
	for i := range count {
		data.Examples(x, []int{i})
		for k, v := range x {
			u := math.Float32bits(v + 0) // −0 is 0
			bytes[4*k], bytes[4*k+1], bytes[4*k+2], bytes[4*k+3] = byte(u), byte(u>>8), byte(u>>16), byte(u>>24)
		}
		if h := sha256.Sum256(bytes); seen[h] {
			merged++
		} else {
			seen[h] = true
			indices = append(indices, i)
		}
	}
	return indices, merged
}

// squares are the mean squares, over the coordinates of each band, of the differences of the truth and
// the candidate drawn from its posterior, [band][draw].
func (t Target) squares(r *bayes.Result, list bayes.Inputs, bands []Band) [][]float64 {
	p, m := t.Coordinates.Inputs(), t.Coordinates.Len()
	x, y, w := make([]float32, p), make([]float64, p), make([]float64, m)
	out := make([][]float64, len(bands))
	for _, d := range r.Draws {
		list.Data.Examples(x, []int{list.Indices[d.Truth]})
		for k, v := range x {
			y[k] = float64(v)
		}
		list.Data.Examples(x, []int{list.Indices[d.Other]})
		for k, v := range x {
			y[k] -= float64(v)
		}
		t.Coordinates.Apply(w, y)
		for k, b := range bands {
			var s float64
			for _, i := range b.Of {
				s += w[i] * w[i]
			}
			n := len(b.Of)
			if b.Of == nil {
				for _, v := range w {
					s += v * v
				}
				n = m
			}
			out[k] = append(out[k], s/float64(n))
		}
	}
	return out
}

// floor is that of one band, by the data's range, which bounds what is averaged; without it there is none.
func (t Target) floor(r *bayes.Result, b Band, squares []float64, alpha float64) ListFloor {
	most := t.mostSquare(b)
	if math.IsInf(most, 1) {
		return ListFloor{Band: b, List: bayes.Limit{Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}, Everybody: math.NaN()}
	}
	half := r.Floor(squares, most, alpha/2)
	return ListFloor{b, r.Floor(squares, most, alpha), bayes.PopulationFloor(half.Low, most, r.Candidates, alpha/2)}
}

// mostSquare bounds the mean square, over the coordinates of a band, of the difference of two inputs
// in the data's range: coordinate by coordinate, and for the cosine modes and pixels together, which are
// orthonormal, by the length of the difference.
func (t Target) mostSquare(b Band) float64 {
	low, high := t.Legal.Low, t.Legal.High
	if low == nil {
		return math.Inf(1)
	}
	p, m := t.Coordinates.Inputs(), t.Coordinates.Len()
	all := b.Of == nil
	n := len(b.Of)
	if all {
		n = m
	}
	var length float64
	for k := range low {
		length += (high[k] - low[k]) * (high[k] - low[k])
	}
	inBand := make([]bool, m)
	for _, i := range b.Of {
		inBand[i] = true
	}
	e, w, width := make([]float64, p), make([]float64, m), make([]float64, m)
	for k := range p {
		e[k] = 1
		t.Coordinates.Apply(w, e)
		e[k] = 0
		for i, v := range w {
			width[i] += math.Abs(v) * (high[k] - low[k])
		}
	}
	var each float64
	for i, v := range width {
		if all || inBand[i] {
			each += v * v
		}
	}
	if bound.Orthonormal(t.Coordinates) {
		each = min(each, length)
	}
	return each / float64(n) * (1 + 1e-9)
}
