package measure

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/release"
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

	Use   *release.Use // of the outputs, if they are vectors; nil: they are scores of the classes of the labels
	Views *dataset.Set // of the same examples, of Use; nil: none
	// OfVectors says that there is no model but what a search made of vectors: outputs are compared with the inputs.
	OfVectors bool

	// Scaling is the training data from which SetNoise computes what is left open of the noise; nil:
	// it uses Data. ScaleByTraining sets it.
	Scaling nn.Source
	// FromData says what of the noise SetNoise computed from features.
	FromData NoiseFrom
	Clipped  float64 // share of the inputs in Data whose norm is clipped; SetUtility sets it
}

// NoiseFrom says what of the noise was computed from the features of data.
type NoiseFrom string

const (
	NothingFrom NoiseFrom = ""
	SigmaFrom   NoiseFrom = "sigma"
	ClipFrom    NoiseFrom = "clip" // of lattice noise
	BothFrom    NoiseFrom = "sigma and clip"
)

// ScaleByTraining lets SetNoise compute from the training data of the adversaries, if there are
// any, what is left open of the noise. The release then does not depend on the measured data (see
// Request.Shared), as in a deployment. If these are the training data, it does nothing.
func (q *Request) ScaleByTraining() {
	if a := q.Adversaries; q.Unsettled() && a != nil && a.Training != nil && a.TrainingSHA256 != q.Data.SHA256 {
		q.ScaleBy(a.Training)
	}
}

// ScaleBy lets SetNoise read training data instead of q.Data.
func (q *Request) ScaleBy(training nn.Source) {
	q.Scaling = someOf(training, affordable(q.Graph, scalingWork, leastScaling, mostScaling))
}

// Unsettled reports whether the strength of the noise, or the clip of a lattice, is left open.
func (r Release) Unsettled() bool { return r.Family != NoNoise && (r.Sigma == 0 || r.clipOpen()) }

// clipOpen reports whether the noise is that of a lattice whose clip is left open.
func (r Release) clipOpen() bool {
	return release.CompleteLattice(r.Family, 1, 1) != release.CompleteLattice(r.Family, 1, math.MaxFloat32)
}

// SetNoise makes the noise of q.Experiment for the features of front. Where q.Sigma is 0,
// it is set to q.Scale times the root mean square of all features over data (A section 3), or over
// q.Scaling if that is not nil. What lattice noise leaves open is settled by the same features.
// A table's file is looked up in dir. data reads as q.scaling does.
func (q *Request) SetNoise(ctx context.Context, front *nn.Net, data nn.Source, dir string) error {
	rms, largest, err := release.FeatureScale(ctx, front, data)
	if err != nil {
		if q.Scaling != nil && ctx.Err() == nil {
			err = fmt.Errorf("the training examples from which the noise is computed: %w", err)
		}
		return err
	}
	from := NothingFrom
	if q.clipOpen() {
		from = ClipFrom
	}
	if q.Sigma == 0 {
		q.Sigma = q.Scale * rms
		from = map[NoiseFrom]NoiseFrom{NothingFrom: SigmaFrom, ClipFrom: BothFrom}[from]
	}
	q.Family = release.CompleteLattice(q.Family, q.Sigma, largest)
	if from != NothingFrom && q.Family != NoNoise {
		q.FromData = from
	}
	_, n := front.Dims()
	noise, err := q.Noise(q.Sigma, n, dir)
	if err != nil {
		return &OptionError{Option: "Sigma", Err: err}
	}
	q.Experiment.Noise, q.Experiment.Queries = noise, q.Queries
	return nil
}

// Shared returns how many of the inputs that SetNoise reads equal inputs of the measured data.
func (q *Request) Shared() int {
	if q.Scaling == nil {
		return q.Data.Len()
	}
	return q.Scaling.Len() - len(unseen(q.Data, q.Scaling, nn.Indices(q.Data.Len()), nn.Indices(q.Scaling.Len())))
}

// scaling returns the data whose features SetNoise reads.
func (q *Request) scaling() nn.Source { return cmp.Or(q.Scaling, nn.Source(q.Data)) }

// Original returns what the release is compared with; nil: both its sides without noise.
func (q *Request) Original(s *Split) (nn.Model, error) {
	p, _ := s.Front.Dims()
	if _, width := s.Head.Dims(); q.OfVectors && q.Use != nil && width == p {
		return nn.NewNet(zoo.Vectors(p))
	}
	if s.Whole == nil {
		return nil, nil
	}
	return s.Whole, nil
}
