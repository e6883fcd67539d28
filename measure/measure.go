package measure

import (
	"context"
	"math"

	"tattle/bound"
	"tattle/dataset"
	"tattle/nn"
	"tattle/release"
)

// A Request is one release of a model, to be measured on data.
type Request struct {
	Graph *nn.Graph
	Data  *dataset.Set
	Release
	Indices    []int            // of the examples that are bounded and attacked
	Draws      int              // of the noise for each example when accuracy is measured; 0 is 1
	Experiment bound.Experiment // SetNoise sets its Noise and Queries
	Memory     int64            // in bytes; 0 for the default
	Seed       uint64

	Adversaries *Adversaries // nil for none

	// FromData says what of the noise SetNoise computed from the data.
	FromData NoiseFrom
}

// NoiseFrom says what of the noise was computed from data.
type NoiseFrom string

const (
	NothingFrom NoiseFrom = ""
	SigmaFrom   NoiseFrom = "sigma"
	ClipFrom    NoiseFrom = "clip" // of lattice noise
	BothFrom    NoiseFrom = "sigma and clip"
)

// SetNoise makes the noise of q.Experiment for the features of front. Where q.Sigma is 0,
// it is set to q.Scale times the root mean square of all features over data (A section 3).
// What lattice noise leaves open is settled by all features over data, too.
// measured says that this root mean square is needed anyway; it is returned, 0 if it
// was not. A table's file is looked up in dir.
func (q *Request) SetNoise(ctx context.Context, front *nn.Net, data nn.Source, dir string, measured bool) (rms float64, err error) {
	var largest float64
	if measured || q.Sigma == 0 || release.CompleteLattice(q.Family, 1, 1) != q.Family {
		if rms, largest, err = release.FeatureScale(ctx, front, data); err != nil {
			return 0, err
		}
	}
	if q.Sigma == 0 {
		q.Sigma = q.Scale * rms
		if q.Family != NoNoise {
			q.FromData = SigmaFrom
		}
	}
	if whole := release.CompleteLattice(q.Family, q.Sigma, largest); whole != q.Family {
		if release.CompleteLattice(q.Family, q.Sigma, 1) != release.CompleteLattice(q.Family, q.Sigma, math.MaxFloat32) {
			q.FromData = map[NoiseFrom]NoiseFrom{NothingFrom: ClipFrom, SigmaFrom: BothFrom}[q.FromData]
		}
		q.Family = whole
	}
	_, n := front.Dims()
	noise, err := q.Noise(q.Sigma, n, dir)
	if err != nil {
		return rms, &OptionError{Option: "Sigma", Err: err}
	}
	q.Experiment.Noise, q.Experiment.Queries = noise, q.Queries
	return rms, nil
}

// Utility measures accuracy without and with the noise, on all of data. Of a projection,
// the accuracy without noise is that of the model itself: what the projection loses is
// part of the release's price.
func (q *Request) Utility(ctx context.Context, s *Split, data nn.Source) (release.Utility, error) {
	f := release.Features{Front: s.Front, Head: s.Head, Noise: q.Experiment.Noise, Post: q.Post}
	u, err := f.Utility(ctx, data, release.UtilityOptions{Draws: q.Draws, Seed: q.Seed})
	if err != nil || s.Whole == nil {
		return u, err
	}
	clean, err := release.CleanUtility(ctx, s.Whole, data)
	u.Clean = clean.Clean
	return u, err
}

// Bounds computes the bounds of q.Experiment for the examples. o.Hashes are what a resumed
// run must share besides the experiment, the digests of model and data among them.
func (q *Request) Bounds(ctx context.Context, s *Split, o bound.RunOptions) (*bound.Result, error) {
	x := q.Experiment
	x.Memory = q.Memory
	return bound.Run(ctx, s.Front, q.Data, q.Indices, x, o)
}
