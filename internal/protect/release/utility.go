package release

import (
	"cmp"
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

// Accuracy is the mean score of trials, for a Task: of labels, the fraction that a model classified correctly.
type Accuracy struct {
	Correct, Trials int // Correct is the sum of the scores, rounded
	Fraction        float64
	// Interval covers the accuracy on the population that the examples were drawn from, with
	// Confidence (Clopper and Pearson's). Several draws for one example are not independent trials,
	// so it is as wide as with one draw for each example; of scores between 0 and 1, too. Of people, Fraction is the mean over them of the fraction for each,
	// and Interval is that of stat.PeopleMean.
	Interval stat.Interval
}

// Utility is the accuracy that a release allows.
type Utility struct {
	Examples int
	Clean    Accuracy // without noise
	Released Accuracy // with noise; zero if none was added
	Database int      // vectors that others are looked up among; 0: labels are answered
	Pairs    int      // of different people, of which verification accepts a share
	Drop     Accuracy // from UtilityOptions.Against to Released: Fraction and Interval are differences
}

// Features releases features with noise: Front maps inputs to features, which
// stay where they are computed, and Head maps released features to logits.
type Features struct {
	Front, Head nn.Model
	Noise       Noise
	Label       bool // the label of the features with noise leaves, and nothing else
}

// UtilityOptions are the settings of Features.Utility.
type UtilityOptions struct {
	Draws int // of noise for each example; zero means 1
	Seed  uint64
	// Against has the scores of another model for the same examples, such as the one before a
	// projection; nil: the drop is not measured.
	Against []float64
	Task    Task  // without noise; nil: Labels of the data
	Noisy   Task  // with noise; nil: Task
	People  []int // the person of each example, by any number; nil: each is of another person
}

// noiseStream keeps the noise of a release apart from other uses of one seed.
const noiseStream = 0x646974686572 // "dither"

// Utility measures accuracy without and with noise. Draw d of example i is made by
// run.Rand of seed, i and d, so it depends on no other example. It returns an error if
// there are no examples, the task does not fit the outputs or these are not finite, and
// ctx's error if that ends.
func (f Features) Utility(ctx context.Context, data nn.Source, o UtilityOptions) (Utility, error) {
	_, n := f.Front.Dims()
	if in, _ := f.Head.Dims(); in != n {
		return Utility{}, fmt.Errorf("the head takes %d features, but the front gives %d", in, n)
	}
	if o.Draws < 0 {
		return Utility{}, fmt.Errorf("%d draws of noise: give at least 1", o.Draws)
	}
	draws := max(o.Draws, 1)
	u := Utility{Examples: data.Len()}
	task := cmp.Or(o.Task, Task(Labels{data}))
	clean, released := newScorer(f.Head, task, data), newScorer(f.Head, cmp.Or(o.Noisy, task), data)
	noisy := newNoise(f.Noise, f.Label, n, o.Seed)
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
	scores := released.Scores()
	u.Clean, u.Released = newAccuracy(clean.Scores(), 1, o.People), newAccuracy(scores, draws, o.People)
	if o.Against != nil {
		u.Drop = dropOf(o.Against, scores, o.People)
	}
	return u, nil
}

// Outputs returns what the head makes of one release of each example, [examples, outputs]. The head may be nil: then it returns
// the releases themselves. It returns an error as Utility does.
func (f Features) Outputs(ctx context.Context, data nn.Source, seed uint64) ([]float32, error) {
	_, n := f.Front.Dims()
	width := n
	if f.Head != nil {
		_, width = f.Head.Dims()
	}
	out, noisy := make([]float32, data.Len()*width), newNoise(f.Noise, f.Label, n, seed)
	err := forEachBatch(ctx, f.Front, data, func(first int, features []float32) error {
		released, to := noisy.add(first, 0, features), out[first*width:][:len(features)/n*width]
		if f.Head == nil {
			copy(to, released)
		} else {
			f.Head.Forward(to, released)
		}
		return nil
	})
	return out, err
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

// dropOf returns the accuracy that noise costs, of the scores of each example without noise and with it.
//
// The interval is the normal one of the paired differences, each in [−1, 1], widened
// by ln(40)/N: where none of N examples differs, that is the limit of the fraction
// that does.
func dropOf(against, scores []float64, people []int) Accuracy {
	n := float64(len(scores))
	var sum, squares float64
	drops := make([]float64, len(scores))
	for i, x := range scores {
		d := against[i] - x
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

// CleanUtility measures the accuracy of a whole model without noise, for a task; nil: Labels of the data. It also returns
// the score of each example. People are those of UtilityOptions. It returns the errors of Features.Utility.
func CleanUtility(ctx context.Context, m nn.Model, data nn.Source, task Task, people []int) (Accuracy, []float64, error) {
	_, width := m.Dims()
	s := cmp.Or(task, Task(Labels{data})).Scorer(data.Len(), width)
	if err := forEachBatch(ctx, m, data, s.Add); err != nil {
		return Accuracy{}, nil, fmt.Errorf("accuracy: %w", err)
	}
	scores := s.Scores()
	return newAccuracy(scores, 1, people), scores, nil
}

// newAccuracy summarises the mean scores of each example over so many draws. Rounding their sum
// outward keeps the interval on the safe side.
func newAccuracy(scores []float64, draws int, people []int) Accuracy {
	n, sum := len(scores), 0.
	for _, x := range scores {
		sum += x
	}
	const room = 1e-9 // of the sum
	a := Accuracy{Correct: int(math.Round(sum * float64(draws))), Trials: n * draws, Fraction: sum / float64(n)}
	a.Interval = stat.Interval{
		Low:  stat.ClopperPearson(int(math.Floor(sum+room)), n, Confidence).Low,
		High: stat.ClopperPearson(min(n, int(math.Ceil(sum-room))), n, Confidence).High,
	}
	if people != nil {
		a.Fraction, a.Interval = meanOfPeople(scores, people, 0)
	}
	return a
}

// scorer scores what a head makes of features.
type scorer struct {
	Scorer
	head    nn.Model
	outputs []float32
}

func newScorer(head nn.Model, task Task, data nn.Source) *scorer {
	_, width := head.Dims()
	return &scorer{Scorer: task.Scorer(data.Len(), width), head: head}
}

// score scores features, [examples, n], of consecutive examples.
func (s *scorer) score(first int, features []float32) error {
	n, width := s.head.Dims()
	size := len(features) / n * width
	if len(s.outputs) < size {
		s.outputs = make([]float32, size)
	}
	s.head.Forward(s.outputs[:size], features)
	return s.Add(first, s.outputs[:size])
}

// noise adds noise to batches of features.
type noise struct {
	source Noise
	label  bool
	n      int
	seed   uint64

	z   []float64 // [examples, n]
	out []float32
}

func newNoise(d Noise, label bool, n int, seed uint64) *noise {
	return &noise{source: d, label: label, n: n, seed: seed ^ noiseStream}
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
		if s.label {
			OneHot(out[lo*n:hi*n], n)
		}
	})
	return out
}
