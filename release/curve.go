package release

import (
	"context"
	"errors"
	"fmt"
	"math"

	"tattle/nn"
	"tattle/stat"
)

// Drop is the accuracy lost to noise.
type Drop struct {
	Mean     float64       // accuracy without noise minus accuracy with noise, as fractions
	Interval stat.Interval // contains the drop on the population with about its Confidence
	Examples int
	Draws    int // of noise for each example
}

// Curve measures accuracy as a function of the noise, for features that it keeps in memory. It
// uses common random numbers: draw d of example i comes from the same generator for all noise,
// so that within a family accuracy falls almost monotonically with σ. It is not safe for
// concurrent use.
type Curve struct {
	scorer
	n        int
	draws    int
	seed     uint64
	features []float32 // [examples, n]
	clean    []bool    // classified correctly without noise
	accuracy Accuracy
	rms      float64
}

// curveBatch is the number of examples that go through the head at once.
const curveBatch = 512

// NewCurve runs front on all examples. draws is the number of draws of noise for each, 0
// meaning 1. It returns the errors of Features.Utility.
func NewCurve(ctx context.Context, front, head nn.Model, data nn.Source, draws int, seed uint64) (*Curve, error) {
	_, n := front.Dims()
	in, classes := head.Dims()
	if in != n {
		return nil, fmt.Errorf("the head takes %d features, but the front gives %d", in, n)
	}
	if draws < 0 {
		return nil, fmt.Errorf("%d draws of noise: give at least 1", draws)
	}
	c := &Curve{scorer: scorer{head: head, data: data, classes: classes}, n: n, draws: max(draws, 1), seed: seed}
	if err := c.keep(ctx, front); err != nil {
		return nil, fmt.Errorf("accuracy: %w", err)
	}
	return c, nil
}

// keep fills in the features, and which examples are classified correctly without noise.
func (c *Curve) keep(ctx context.Context, front nn.Model) error {
	err := forEachBatch(ctx, front, c.data, func(first int, features []float32) error {
		c.features = append(c.features, features...)
		return nil
	})
	if err != nil {
		return err
	}
	c.clean = make([]bool, c.data.Len())
	c.rms = stat.RMS(c.features)
	correct, err := c.forEach(ctx, func(_ int, features []float32) []float32 { return features },
		func(i int, right bool) { c.clean[i] = right })
	c.accuracy = newAccuracy(correct, c.data.Len(), 1)
	return err
}

// RMS returns the root mean square of all features, as FeatureScale does.
func (c *Curve) RMS() float64 { return c.rms }

// Against makes At measure drops from another classifier, instead of from front and head
// without noise; right says which examples it classifies correctly. So the loss of a projection
// and the loss from the noise after it are counted together. Against panics unless right has
// one entry for each example.
func (c *Curve) Against(right []bool) {
	if len(right) != c.data.Len() {
		panic(fmt.Sprintf("release: %d entries for %d examples", len(right), c.data.Len()))
	}
	c.clean = right
}

// At measures the accuracy with noise d and post-processing p, and the drop from the accuracy
// without both, or from the classifier that Against named. It returns an error if TopK is
// negative or the logits are not finite, and ctx's error if ctx ends.
func (c *Curve) At(ctx context.Context, d Noise, p Post) (Utility, Drop, error) {
	if d == nil {
		return Utility{}, Drop{}, errors.New("accuracy: no noise to add")
	}
	if err := p.check(); err != nil {
		return Utility{}, Drop{}, err
	}
	hits := make([]int32, c.data.Len())
	correct, noisy := 0, newNoise(d, p, c.n, c.seed)
	for draw := range c.draws {
		k, err := c.forEach(ctx, func(first int, features []float32) []float32 { return noisy.add(first, draw, features) },
			func(i int, right bool) {
				if right {
					hits[i]++
				}
			})
		if err != nil {
			return Utility{}, Drop{}, fmt.Errorf("accuracy: %w", err)
		}
		correct += k
	}
	u := Utility{Examples: len(hits), Classes: c.classes, Draws: c.draws, Clean: c.accuracy,
		Released: newAccuracy(correct, len(hits), c.draws)}
	return u, c.drop(hits), nil
}

// forEach classifies what released makes of the features of all examples, a batch at a
// time, and returns how many are right.
func (c *Curve) forEach(ctx context.Context, released func(first int, features []float32) []float32, see func(i int, right bool)) (int, error) {
	c.correct, c.see = 0, see
	for first := 0; first < c.data.Len(); first += curveBatch {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		end := min(c.data.Len(), first+curveBatch)
		if err := c.score(first, released(first, c.features[first*c.n:end*c.n])); err != nil {
			return 0, err
		}
	}
	return c.correct, nil
}

// drop summarises, for each example, how often it was right with noise.
//
// The interval is the normal one of the paired differences, each in [−1, 1], widened
// by ln(40)/N: where none of N examples differs, that is the limit of the fraction
// that does.
func (c *Curve) drop(hits []int32) Drop {
	n := float64(len(hits))
	var sum, squares float64
	for i, k := range hits {
		d := -float64(k) / float64(c.draws)
		if c.clean[i] {
			d++
		}
		sum, squares = sum+d, squares+d*d
	}
	mean := sum / n
	half := normal95*math.Sqrt(max(0, squares/n-mean*mean)/max(n-1, 1)) + math.Log(40)/n
	return Drop{Mean: mean, Interval: stat.Interval{Low: mean - half, High: mean + half}, Examples: len(hits), Draws: c.draws}
}

// normal95 is the normal quantile of Confidence, two-sided.
const normal95 = 1.959963984540054
