package release

import (
	"context"
	"fmt"
	"math"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
	"tattle/internal/math/stat"
	"tattle/internal/run"
)

// Confidence is that of every interval of an Accuracy.
const Confidence = .95

// Accuracy is the fraction of trials that a model classified correctly.
type Accuracy struct {
	Correct, Trials int
	Fraction        float64
	// Interval covers the accuracy on the population that the examples were drawn from, with
	// Confidence (Clopper and Pearson's). Several draws for one example are not independent trials,
	// so it is as wide as with one draw for each example. Of people, Fraction is the mean over them of the fraction for each,
	// and Interval is that of stat.PeopleMean.
	Interval stat.Interval
}

// Utility is the accuracy that a release allows.
type Utility struct {
	Examples int
	Clean    Accuracy // without noise
	Released Accuracy // with noise; zero if none was added
	Drop     Accuracy // from UtilityOptions.Against to Released: Fraction and Interval are differences
}

// Features releases features with noise: Front maps inputs to features, which
// stay where they are computed, and Head maps released features to logits.
type Features struct {
	Front, Head nn.Model
	Noise       Noise
	Post        Post // of the features with noise
}

// UtilityOptions are the settings of Features.Utility.
type UtilityOptions struct {
	Draws int // of noise for each example; zero means 1
	Seed  uint64
	// Against says which examples another classifier answers right, such as the model before a
	// projection; nil: the drop is not measured.
	Against []bool
	People  []int // the person of each example, by any number; nil: each is of another person
}

// noiseStream keeps the noise of a release apart from other uses of one seed.
const noiseStream = 0x646974686572 // "dither"

// Utility measures accuracy without and with noise. Draw d of example i is made by
// run.Rand of seed, i and d, so it depends on no other example. It returns an error if
// there are no examples, labels and classes do not match or logits are not finite, and
// ctx's error if that ends.
func (f Features) Utility(ctx context.Context, data nn.Source, o UtilityOptions) (Utility, error) {
	_, n := f.Front.Dims()
	if in, _ := f.Head.Dims(); in != n {
		return Utility{}, fmt.Errorf("the head takes %d features, but the front gives %d", in, n)
	}
	if o.Draws < 0 {
		return Utility{}, fmt.Errorf("%d draws of noise: give at least 1", o.Draws)
	}
	if err := f.Post.check(); err != nil {
		return Utility{}, err
	}
	draws := max(o.Draws, 1)
	u := Utility{Examples: data.Len()}
	clean, released := newScorer(f.Head, data), newScorer(f.Head, data)
	noisy := newNoise(f.Noise, f.Post, n, o.Seed)
	err := forEachBatch(ctx, f.Front, data, func(first int, features []float32) error {
		if err := clean.score(first, features); err != nil {
			return err
		}
		for draw := range draws {
			if err := released.score(first, noisy.add(first, draw, features)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return Utility{}, fmt.Errorf("accuracy: %w", err)
	}
	u.Clean, u.Released = newAccuracy(clean.hits, 1, o.People), newAccuracy(released.hits, draws, o.People)
	if o.Against != nil {
		u.Drop = dropOf(o.Against, released.hits, draws, o.People)
	}
	return u, nil
}

// meanOfPeople returns the mean of the means of values of each person, and its interval with Confidence. Values are from least,
// 0 or −1, to 1.
func meanOfPeople(x []float64, people []int, least float64) (mean float64, in stat.Interval) {
	of, n := stat.Numbered(people)
	means := stat.GroupMeans(x, of, n)
	if n < 2 {
		return means[0], stat.Interval{Low: least, High: 1}
	}
	m := stat.NewPeopleMean(means, least, run.Rand(0, 0, noiseStream))
	in = m.Limits((1 + Confidence) / 2)
	return m.Mean, stat.Interval{Low: max(in.Low, least), High: min(in.High, 1)}
}

// dropOf returns the accuracy that noise costs. The classifier with noise answers an example right in some of
// the draws of noise; the one that it is compared with answers it right or not.
//
// The interval is the normal one of the paired differences, each in [−1, 1], widened
// by ln(40)/N: where none of N examples differs, that is the limit of the fraction
// that does.
func dropOf(right []bool, hits []int, draws int, people []int) Accuracy {
	n := float64(len(hits))
	var sum, squares float64
	drops := make([]float64, len(hits))
	for i, k := range hits {
		d := -float64(k) / float64(draws)
		if right[i] {
			d++
		}
		drops[i], sum, squares = d, sum+d, squares+d*d
	}
	if people != nil {
		mean, in := meanOfPeople(drops, people, -1)
		return Accuracy{Fraction: mean, Interval: in}
	}
	mean := sum / n
	half := normal95*math.Sqrt(max(0, squares/n-mean*mean)/max(n-1, 1)) + math.Log(40)/n
	return Accuracy{Fraction: mean, Interval: stat.Interval{Low: mean - half, High: mean + half}}
}

// normal95 is the normal quantile of Confidence, two-sided.
const normal95 = 1.959963984540054

// CleanUtility measures the accuracy of a whole model, from inputs to logits, with no
// noise. It returns the errors of Features.Utility.
func CleanUtility(ctx context.Context, m nn.Model, data nn.Source, people []int) (Utility, error) {
	a, right, err := Right(ctx, m, data, people)
	return Utility{Examples: len(right), Clean: a}, err
}

// Right returns the accuracy of a whole model without noise, and which examples it classifies
// correctly. People are those of UtilityOptions. It returns the errors of Features.Utility.
func Right(ctx context.Context, m nn.Model, data nn.Source, people []int) (Accuracy, []bool, error) {
	_, classes := m.Dims()
	right := make([]bool, data.Len())
	s := &scorer{data: data, classes: classes, hits: make([]int, data.Len())}
	err := forEachBatch(ctx, m, data, func(first int, logits []float32) error { return s.count(first, logits) })
	if err != nil {
		return Accuracy{}, nil, fmt.Errorf("accuracy: %w", err)
	}
	for i, k := range s.hits {
		right[i] = k > 0
	}
	return newAccuracy(s.hits, 1, people), right, nil
}

// newAccuracy summarises the correct ones of so many draws of each example. Rounding the mean
// number of correct examples outward keeps the interval on the safe side.
func newAccuracy(hits []int, draws int, people []int) Accuracy {
	a := Accuracy{Trials: len(hits) * draws}
	shares := make([]float64, len(hits))
	for i, k := range hits {
		a.Correct += k
		shares[i] = float64(k) / float64(draws)
	}
	a.Fraction = float64(a.Correct) / float64(a.Trials)
	a.Interval = stat.Interval{
		Low:  stat.ClopperPearson(a.Correct/draws, len(hits), Confidence).Low,
		High: stat.ClopperPearson((a.Correct+draws-1)/draws, len(hits), Confidence).High,
	}
	if people != nil {
		a.Fraction, a.Interval = meanOfPeople(shares, people, 0)
	}
	return a
}

// scorer counts correct classifications.
type scorer struct {
	head    nn.Model // of features
	data    nn.Source
	classes int
	logits  []float32
	hits    []int // correct classifications of each example
}

func newScorer(head nn.Model, data nn.Source) *scorer {
	_, classes := head.Dims()
	return &scorer{head: head, data: data, classes: classes, hits: make([]int, data.Len())}
}

// score classifies features, [examples, n], of consecutive examples.
func (s *scorer) score(first int, features []float32) error {
	n, _ := s.head.Dims()
	size := len(features) / n * s.classes
	if len(s.logits) < size {
		s.logits = make([]float32, size)
	}
	s.head.Forward(s.logits[:size], features)
	return s.count(first, s.logits[:size])
}

func (s *scorer) count(first int, logits []float32) error {
	for i := 0; i < len(logits); i += s.classes {
		example := first + i/s.classes
		right, err := classified(example, s.data.Label(example), logits[i:i+s.classes])
		if err != nil {
			return err
		}
		if right {
			s.hits[example]++
		}
	}
	return nil
}

// classified reports whether the label is that of the largest logit. It returns an error
// if there is no such label or a logit is not finite.
func classified(example, label int, logits []float32) (bool, error) {
	if label < 0 || label >= len(logits) {
		return false, fmt.Errorf("example %d has label %d, but the model has the classes 0 to %d: give it the data set that it was trained for", example, label, len(logits)-1)
	}
	best, ok := largest(logits)
	if !ok {
		return false, fmt.Errorf("example %d: its logits are not finite: look for bad values in the data and the model", example)
	}
	return best == label, nil
}

// largest returns the first index of the largest logit, and whether all are
// finite.
func largest(logits []float32) (best int, ok bool) {
	for i, v := range logits {
		if !finite(v) {
			return 0, false
		}
		if v > logits[best] {
			best = i
		}
	}
	return best, true
}

// noise adds noise to batches of features.
type noise struct {
	source Noise
	post   Post
	n      int
	seed   uint64

	z   []float64 // [examples, n]
	out []float32
}

func newNoise(d Noise, p Post, n int, seed uint64) *noise {
	return &noise{source: d, post: p, n: n, seed: seed ^ noiseStream}
}

// add returns one draw of the release a_θ + Z of consecutive examples, [examples, n],
// after post-processing. It is valid until the next call.
func (s *noise) add(first, draw int, features []float32) []float32 {
	if len(s.z) < len(features) {
		s.z, s.out = make([]float64, len(features)), make([]float32, len(features))
	}
	out, n := s.out[:len(features)], s.n
	points, rounds := s.source.(Lattice)
	simd.Parallel(len(features)/n, 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			z, out := s.z[i*n:(i+1)*n], out[i*n:(i+1)*n]
			s.source.Sample(z, run.Rand(s.seed, first+i, draw))
			for j, a := range features[i*n : (i+1)*n] {
				v := float64(a)
				if rounds {
					v = points.Point(v)
				}
				out[j] = float32(v + z[j])
			}
		}
		s.post.Apply(out[lo*n:hi*n], n)
	})
	return out
}
