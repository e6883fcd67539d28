package design

import (
	"cmp"
	"context"
	"math"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/math/stat"
	"tattle/internal/protect/measure"
	"tattle/internal/protect/release"
)

// An Answer is what a search found.
type Answer struct {
	Best      *Point      // nil if no place keeps the limits
	Model     *nn.Graph   // the released model: its node Node is what noise is added to, its output the logits of the target
	Heads     []*nn.Graph // of the released values: one for each task
	ListDraws int         // of the final measurement
	Clean     float64     // accuracy of the model itself, on the examples to validate
	Points    []Point     // all that was tried, line after line
	Curves    []Curve     // what each kind of promise costs; nil where none is about naming the input
	Left      []string    // places that were given up, with the reasons
	Nearest   *Point      // of the points that do not meet the limits, the nearest; nil if Best is there
}

// cheaper reports whether p costs less than q: mean accuracy over the tasks, then the number of
// values.
func cheaper(p, q *Point) bool {
	return cmp.Or(-cmp.Compare(mean(p.Accuracy), mean(q.Accuracy)), cmp.Compare(p.Keep, q.Keep)) < 0
}

func mean(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum / float64(max(1, len(x)))
}

// answer chooses among the places.
func (s *searcher) answer(ctx context.Context, all []*found) (*Answer, error) {
	a := &Answer{ListDraws: s.draws()}
	best := -1
	for i, f := range all {
		a.Points = append(a.Points, f.Points...)
		if f.Left != "" {
			a.Left = append(a.Left, f.Left)
		}
		a.Clean = max(a.Clean, f.Clean)
		if f.Nearest != nil && (a.Nearest == nil || cheaper(f.Nearest, a.Nearest)) {
			a.Nearest = f.Nearest
		}
		if f.Best != nil && len(f.Best.Accuracy) > len(s.Tasks) && (best < 0 || cheaper(f.Best, all[best].Best)) {
			best = i
		}
	}
	if best < 0 {
		return a, nil
	}
	a.Best, a.Nearest = all[best].Best, nil
	var err error
	if a.Curves, err = s.relearn(ctx, all[best]); err != nil {
		return nil, err
	}
	if err := s.assemble(all[best], a); err != nil {
		return nil, err
	}
	return a, s.settle(ctx, a)
}

// relearn learns the release of a place again, from all training data, also from the part that measured accuracies. It returns
// the curves, whose accuracies are of that part.
func (s *searcher) relearn(ctx context.Context, f *found) ([]Curve, error) {
	c, err := s.cutAt(ctx, f.Best.Node)
	if err != nil {
		return nil, err
	}
	whole := *c
	whole.learn = append(append([]int(nil), c.learn...), c.validate...)
	slices.Sort(whole.learn)
	if whole.moments, err = c.features.moments(ctx, whole.learn, c.moments.Classes); err != nil {
		return nil, err
	}
	l, err := s.line(ctx, &whole, f.Best.place)
	if err != nil {
		return nil, err
	}
	f.Best.Radius = s.radiusOf(l.radius, f.Best.Sigma)
	if err := f.encode(l); err != nil || s.Identify == 0 && s.Exposed == nil && s.Worst == 0 {
		return nil, err
	}
	return s.curves(ctx, &whole, l, f.Best.Sigma)
}

// draws returns the number of draws of the final measurement: 200 of them would identify the
// input at the limit, so that the limit of the mean is some 20 to 30 % above the mean. There are more
// where guessing without the release comes closer to the limit than that.
func (s *searcher) draws() int {
	n := cmp.Or(s.ListDraws, DefaultListDraws)
	if s.Identify > 0 {
		n = max(n, int(math.Ceil(200/s.Identify)))
		for guess := 1 / float64(s.people.Count); n < mostListDraws && highest((guess+s.Identify)/2, n) > s.Identify; {
			n = n * 5 / 4
		}
	}
	return min(n, mostListDraws)
}

// highest returns the upper limit of a probability at the first look, for draws with this mean.
func highest(mean float64, draws int) float64 { return 1 - stat.ChernoffLow(1-mean, draws, alpha) }

// Strengths returns those at which an answer of noise sigma is measured, one look after the other,
// until the promise is kept. Nothing of a look changes them, which measure.ListOptions.Look
// requires. The steps are small at first, as little is missed usually, and grow.
func Strengths(sigma float64) (all []float64) {
	for k := range mostLooks {
		next := sigma * math.Pow(firstStep, float64(k*(k+1)/2))
		if next > release.MaxSigma {
			break
		}
		all = append(all, next)
	}
	return all
}

// Of Strengths.
const (
	firstStep = 1.03
	mostLooks = measure.Looks // 1.03^91 is 15
)
