package bayes

import (
	"context"
	"fmt"
	"math"

	"tattle/release"
	"tattle/run"
)

// Candidates are the features of a list of inputs.
type Candidates interface {
	// Len returns the number of candidates.
	Len() int
	// Dim returns the number of features of one.
	Dim() int
	// Features overwrites dst, [len(indices), Dim], with the features of those candidates.
	Features(ctx context.Context, dst []float64, indices []int) error
}

// Density is noise whose density is known.
type Density interface {
	release.Noise
	// LogDensity returns ln f(z) up to a constant.
	LogDensity(z []float64) float64
}

// Certain is no noise: every release is the features themselves, and candidates with
// other features are excluded.
type Certain struct{ release.None }

// excluded is the log density of what cannot be: far below negligible, and finite.
const excluded = -1000

// LogDensity returns 0 for zeros, and −1000 for all else.
func (Certain) LogDensity(z []float64) float64 {
	for _, v := range z {
		if v != 0 {
			return excluded
		}
	}
	return 0
}

// An Attribute is a class of every candidate, such as who wrote the digit.
type Attribute struct {
	Name    string
	Classes int
	Class   []int // of each candidate, from 0 to Classes−1
	Target  []int // class that the model answers, or nil: P(s | Y, target) is not computed
}

const (
	// DefaultDraws makes the limits of probabilities about one point wide.
	DefaultDraws = 10000
	// DefaultSlowDraws is DefaultDraws for noise that is not Gaussian: its likelihoods are
	// no matrix product and take some thirty times as long.
	DefaultSlowDraws = 500
)

// Options are the settings of Run.
type Options struct {
	Draws    int             // of a truth and its release; 0 is DefaultDraws or DefaultSlowDraws
	Queries  int             // releases of each truth, with fresh noise; 0 is one
	Seed     uint64          // of truths, noise and draws from posteriors
	Progress func(p float64) // told the share that is done, from one goroutine; nil: nobody
}

// A Draw is one truth, its releases, and what their posterior says.
type Draw struct {
	Truth   int     // candidate
	Other   int     // candidate drawn from the posterior, independent of Truth given the releases
	Top     float64 // posterior of the likeliest candidate
	Ten     float64 // of the ten likeliest together
	Rank    float64 // of the truth, from 1; candidates of equal posterior share the mean of their ranks
	Entropy float64 // of the posterior, in bits
}

// An Inference is the posterior of one attribute after one draw.
type Inference struct {
	Best    float64   // posterior of the likeliest class
	Entropy float64   // of the class, in bits
	Given   float64   // posterior of the likeliest class for who knows the target, or 0
	Left    float64   // entropy for who knows the target, in bits, or 0
	Score   []float64 // posterior of each class
}

// Result is what Run found.
type Result struct {
	Candidates int
	Draws      []Draw
	Attributes [][]Inference // of each attribute, of each draw
	// Rounding bounds the relative error of every posterior probability: the
	// limits allow for it on the adversary's side.
	Rounding float64
}

// Run draws truths from the list and computes the posterior after their releases. Candidates
// are read in one pass, a block at a time; memory grows with Draws·Dim. Equal inputs should
// be in the list once. It errs where ctx ends, where candidates cannot be read, are fewer than two,
// or have features that are not finite, and where rounding may change probabilities by more than a thousandth.
func Run(ctx context.Context, list Candidates, noise Density, attributes []Attribute, o Options) (*Result, error) {
	count := list.Len()
	if count < 2 {
		return nil, fmt.Errorf("a list of %d candidates: at least 2 are needed", count)
	}
	for _, a := range attributes {
		if len(a.Class) != count || a.Target != nil && len(a.Target) != count {
			return nil, fmt.Errorf("attribute %s: %d classes for %d candidates", a.Name, len(a.Class), count)
		}
		for j, c := range a.Class {
			if c < 0 || c >= a.Classes {
				return nil, fmt.Errorf("attribute %s: candidate %d is of class %d; there are %d", a.Name, j, c, a.Classes)
			}
		}
	}
	if o.Draws == 0 {
		o.Draws = DefaultSlowDraws
		if _, ok := noise.(release.Gaussian); ok {
			o.Draws = DefaultDraws
		}
	}
	o.Queries = max(o.Queries, 1)
	draws, err := newDraws(ctx, list, noise, o)
	if err != nil {
		return nil, err
	}
	l := newLikelihoods(&draws.releases, noise)
	posterior, err := stream(ctx, list, l, draws, attributes, o.Progress)
	if err != nil {
		return nil, err
	}
	const unit = 0x1p-53
	r := &Result{Candidates: count, Draws: posterior.draws, Attributes: posterior.inferred,
		Rounding: 2*l.rounding() + 4*(float64(count)+16)*unit}
	if !(r.Rounding < 1e-3) {
		return nil, fmt.Errorf("features are so large beside the noise that rounding may change probabilities by a factor of %.3g", math.Exp(r.Rounding))
	}
	return r, nil
}

// drawn are truths and their releases.
type drawn struct {
	releases
	truth    []int
	features []float64 // of the truths, [draws, dim]
	seed     uint64
}

// Streams of random numbers of one draw.
const (
	streamNoise = iota
	streamPosterior
)

// newDraws draws truths from the list, with replacement, and their releases.
func newDraws(ctx context.Context, list Candidates, noise release.Noise, o Options) (*drawn, error) {
	dim := list.Dim()
	d := &drawn{releases: releases{make([]float64, o.Draws*o.Queries*dim), dim, o.Queries},
		truth: make([]int, o.Draws), features: make([]float64, o.Draws*dim), seed: o.Seed}
	for lo := 0; lo < o.Draws; lo += blockCandidates {
		hi := min(lo+blockCandidates, o.Draws)
		for b := lo; b < hi; b++ {
			r := run.Rand(o.Seed, b, streamNoise)
			d.truth[b] = r.IntN(list.Len())
			for q := range o.Queries {
				noise.Sample(d.release(b, q), r)
			}
		}
		if err := readFeatures(ctx, list, d.features[lo*dim:hi*dim], d.truth[lo:hi]); err != nil {
			return nil, err
		}
		for b := lo; b < hi; b++ {
			for q := range o.Queries {
				for i, a := range d.features[b*dim : (b+1)*dim] {
					d.release(b, q)[i] += a
				}
			}
		}
	}
	return d, nil
}

// readFeatures reads features, which must be finite.
func readFeatures(ctx context.Context, list Candidates, dst []float64, indices []int) error {
	if err := list.Features(ctx, dst, indices); err != nil {
		return fmt.Errorf("features of the candidates: %w", err)
	}
	for k, v := range dst {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("features of candidate %d are not finite", indices[k/list.Dim()])
		}
	}
	return nil
}
