package release

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"tattle/nn"
	"tattle/run"
	"tattle/stat"
)

// Drop is what noise costs in accuracy, example by example.
type Drop struct {
	Mean     float64       // of clean − released, as fractions
	Interval stat.Interval // covers the drop on the population with Confidence, about
	Examples int
	Draws    int // of noise for each example
}

// Curve measures accuracy under noise of many kinds and strengths on one set of
// features, kept in memory, by common random numbers: draw d of example i comes from
// one generator whatever the noise, so that within a family accuracy falls almost
// monotonically with σ. It is not safe for concurrent use.
type Curve struct {
	head     nn.Model
	n        int
	classes  int
	draws    int
	seed     uint64
	features []float32 // [examples, n]
	labels   []int
	clean    []bool // classified correctly without noise
	accuracy Accuracy
	rms      float64

	z      []float64 // [curveBatch, n]
	x      []float32 // [curveBatch, n]
	logits []float32 // [curveBatch, classes]
	right  []bool    // [curveBatch]
}

// curveBatch is the number of examples that go through the head at once.
const curveBatch = 512

// NewCurve runs front on all examples. draws is the number of draws of noise for
// each, 0 meaning 1. It errs as Features.Utility does.
func NewCurve(ctx context.Context, front, head nn.Model, data nn.Source, draws int, seed uint64) (*Curve, error) {
	_, n := front.Dims()
	in, classes := head.Dims()
	if in != n {
		return nil, fmt.Errorf("the head takes %d features, but the front gives %d", in, n)
	}
	if draws < 0 {
		return nil, fmt.Errorf("%d draws of noise: give at least 1", draws)
	}
	c := &Curve{head: head, n: n, classes: classes, draws: max(draws, 1), seed: seed ^ ditherStream}
	size := min(curveBatch, max(data.Len(), 1))
	c.z, c.x = make([]float64, size*n), make([]float32, size*n)
	c.logits, c.right = make([]float32, size*classes), make([]bool, size)
	if err := c.keep(ctx, front, data); err != nil {
		return nil, fmt.Errorf("accuracy: %w", err)
	}
	return c, nil
}

// keep fills in the features and labels, and what comes of them without noise.
func (c *Curve) keep(ctx context.Context, front nn.Model, data nn.Source) error {
	err := forEachBatch(ctx, front, data, func(first int, features []float32) error {
		c.features = append(c.features, features...)
		return nil
	})
	if err != nil {
		return err
	}
	c.labels, c.clean = make([]int, data.Len()), make([]bool, data.Len())
	for i := range c.labels {
		c.labels[i] = data.Label(i)
	}
	c.rms = stat.RMS(c.features)
	correct, err := c.forEach(ctx, func(first int, x []float32) { copy(x, c.features[first*c.n:]) },
		func(i int, right bool) { c.clean[i] = right })
	c.accuracy = newAccuracy(correct, len(c.labels), 1)
	return err
}

// Clean returns the accuracy without noise.
func (c *Curve) Clean() Accuracy { return c.accuracy }

// RMS returns the root mean square of all features, as FeatureRMS does.
func (c *Curve) RMS() float64 { return c.rms }

// Against counts drops from what another classifier has right of the examples, in
// place of the front and head without noise: so what a projection loses and what the
// noise after it does count together, example by example. It panics unless there is
// one entry for each example.
func (c *Curve) Against(right []bool) {
	if len(right) != len(c.labels) {
		panic(fmt.Sprintf("release: %d entries for %d examples", len(right), len(c.labels)))
	}
	c.clean = right
}

// At measures the accuracy with noise d and post-processing p, and the drop from the
// accuracy without either, or from that of Against. It errs where TopK is negative, where the logits are not finite and, with ctx's
// error, where that ends.
func (c *Curve) At(ctx context.Context, d Dither, p Post) (Utility, Drop, error) {
	if d == nil {
		return Utility{}, Drop{}, errors.New("accuracy: no noise to add")
	}
	if err := p.check(); err != nil {
		return Utility{}, Drop{}, err
	}
	hits := make([]int32, len(c.labels))
	correct := 0
	for draw := range c.draws {
		k, err := c.forEach(ctx, func(first int, x []float32) { c.dither(d, p, first, draw, x) },
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
	u := Utility{Examples: len(c.labels), Classes: c.classes, Draws: c.draws, Clean: c.accuracy,
		Released: newAccuracy(correct, len(c.labels), c.draws)}
	return u, c.drop(hits), nil
}

// dither overwrites x, [b, n], with one draw of what leaves for consecutive
// examples.
func (c *Curve) dither(d Dither, p Post, first, draw int, x []float32) {
	features := c.features[first*c.n:][:len(x)]
	addNoise(x, features, c.z, c.n, d, p, func(i int) *rand.Rand { return run.Rand(c.seed, first+i, draw) })
}

// forEach classifies all examples, fill giving what the head takes, and returns how
// many are right.
func (c *Curve) forEach(ctx context.Context, fill func(first int, x []float32), see func(i int, right bool)) (correct int, err error) {
	for first := 0; first < len(c.labels); first += curveBatch {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		b := min(curveBatch, len(c.labels)-first)
		fill(first, c.x[:b*c.n])
		c.head.Forward(c.logits[:b*c.classes], c.x[:b*c.n])
		for i := range b {
			right, err := classified(first+i, c.labels[first+i], c.logits[i*c.classes:(i+1)*c.classes])
			if err != nil {
				return 0, err
			}
			if right {
				correct++
			}
			see(first+i, right)
		}
	}
	return correct, nil
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
