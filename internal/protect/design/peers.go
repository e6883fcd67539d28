package design

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
	"tattle/internal/math/stat"
	"tattle/internal/protect/bayes"
	"tattle/internal/protect/release"
)

// Methods of others, with the model's own head. They are measured for comparison, and never chosen.
const (
	PeerDFIL Method = "dFIL"     // the features, with noise whose strength depends on the input (Maeng et al. 2023)
	TopK     Method = "top-k"    // the k largest features by absolute value, without noise
	Rounding Method = "rounding" // the features rounded to multiples of a step, without noise
)

// Peer reports whether m is a method of others.
func (m Method) Peer() bool { return m == PeerDFIL || m == TopK || m == Rounding }

// Of the line of a peer.
const (
	mostPoints = 10  // of a line with noise, or of rounding
	mostCounts = 8   // of features that are kept
	harmless   = .01 // of accuracy is lost where a line begins
	useless    = .1  // of what the model itself gains over guessing is left where a line ends
	// mostPeer is the largest number of multiply-adds of a line: about half a minute on two
	// cores. A line for comparison should not take longer than those that can be chosen.
	mostPeer  = 1e12
	perNumber = 1000 // multiply-adds in the time that it takes to change and hash a number without noise
	peerDraws = 400  // of a point with noise; an identification of 10 % is then known to 1.5 points
)

// peer measures a method of others along its parameter, from where it is nearly harmless to where
// it is useless. before is the number of multiply-adds before the cut, for one input.
func (s *searcher) peer(ctx context.Context, c *cut, p place, before int64) ([]Point, error) {
	l := &line{place: p, values: c.features, scale: stat.RMS(c.features.values), head: func(float64) (*nn.Graph, error) { return c.head, nil }}
	if l.scale == 0 {
		return nil, errors.New("all features are zero")
	}
	if p.Method == PeerDFIL {
		return s.dfil(ctx, c, l, before)
	}
	if err := s.tooMuch(perNumber * mostPoints * float64(len(s.candidates)) * float64(c.n)); err != nil {
		return nil, err
	}
	if p.Method == TopK {
		var points []Point
		for i, k := range counts(c.n) {
			s.tell("comparing: "+p.String(), i, mostCounts)
			l.process = func(row []float32) { keepLargest(row, k) }
			point, err := s.noiseless(ctx, c, l, Point{Keep: k, Parameter: float64(k)})
			if err != nil {
				return nil, err
			}
			points = append(points, point)
		}
		return points, nil
	}
	return s.scan(c, l, func(step float64) (Point, error) {
		l.process = func(row []float32) { round(row, step) }
		return s.noiseless(ctx, c, l, Point{Keep: c.n, Parameter: step})
	})
}

// strength returns the standard deviation of the noise of an example.
func (l *line) strength(sigma float64, example int) float64 {
	if l.scales == nil {
		return sigma
	}
	return sigma * l.scales[example]
}

// scan measures a line at its scale, at twice and four times that, and so on until the release is
// useless, and at halves of it until it is harmless. It returns the points in ascending order.
func (s *searcher) scan(c *cut, l *line, at func(x float64) (Point, error)) ([]Point, error) {
	clean, guess := share(c.right), guessing(c)
	var points []Point
	try := func(x float64) (accuracy float64, err error) {
		if x < release.MinSigma || x > release.MaxSigma {
			return 0, errEnd
		}
		s.tell("comparing: "+l.place.String(), len(points), mostPoints)
		p, err := at(x)
		if err != nil {
			return 0, err
		}
		points = append(points, p)
		return p.Accuracy[0], nil
	}
	first, err := try(l.scale)
	a := first
	for x := 2 * l.scale; err == nil && len(points) < mostPoints && a > guess+useless*(clean-guess); x *= 2 {
		a, err = try(x)
	}
	if err != nil && err != errEnd {
		return nil, err
	}
	up := len(points)
	a, err = first, nil
	for x := l.scale / 2; err == nil && len(points) < mostPoints && a < clean-harmless; x /= 2 {
		a, err = try(x)
	}
	// Noise may be too weak for float64.
	if err != nil && err != errEnd && !errors.Is(err, bayes.ErrRounding) {
		return nil, err
	}
	slices.Reverse(points[up:])
	return slices.Concat(points[up:], points[:up]), nil
}

// errEnd is the error of a strength beyond all that noise can have.
var errEnd = errors.New("end of the strengths")

// guessing returns the share of the most frequent class, of the examples to validate.
func guessing(c *cut) float64 {
	counts, most := map[int]int{}, 0
	for _, i := range c.validate {
		y := c.features.Label(i)
		counts[y]++
		most = max(most, counts[y])
	}
	return float64(most) / float64(len(c.validate))
}

// noiseless measures what a function of the features gives away, exactly.
func (s *searcher) noiseless(ctx context.Context, c *cut, l *line, p Point) (Point, error) {
	p.place = l.place
	err := s.judge(func(indices []int, attributes []bayes.Attribute) (*bayes.Result, error) {
		return s.partition(ctx, l, indices, attributes)
	}, c.validate, &p, false)
	if err != nil {
		return p, err
	}
	return s.weigh(ctx, c, l, p)
}

func (s *searcher) partition(ctx context.Context, l *line, indices []int, attributes []bayes.Attribute) (*bayes.Result, error) {
	return bayes.Partition(ctx, processed{list{l.values, indices}, l.process}, attributes)
}

// processed is a list whose values are changed when they are read.
type processed struct {
	list
	process func(row []float32)
}

func (p processed) Features(_ context.Context, dst []float64, indices []int) error {
	simd.Parallel(len(indices), 16, func(from, to int) {
		row := make([]float32, p.n)
		for i := from; i < to; i++ {
			copy(row, p.row(p.indices[indices[i]]))
			p.process(row)
			for k, v := range row {
				dst[i*p.n+k] = float64(v)
			}
		}
	})
	return nil
}

// within returns, for each example, twice the variance of the inputs with the same release, per
// number of an input: the mean of distances over all pairs of them.
func (s *searcher) within(r *bayes.Result, indices []int) []float64 {
	squares := make([]float64, len(indices))
	x, sum, square := make([]float32, s.inputs), make([]float64, s.inputs), make([]float64, s.inputs)
	for _, members := range r.Groups.Members {
		if len(members) == 1 {
			continue
		}
		clear(sum)
		clear(square)
		for _, j := range members {
			s.train.Examples(x, []int{indices[j]})
			for k, v := range x {
				sum[k] += float64(v)
				square[k] += float64(v) * float64(v)
			}
		}
		n, variance := float64(len(members)), 0.
		for k, t := range sum {
			variance += max(square[k]-t*t/n, 0) / n / float64(s.inputs)
		}
		for _, j := range members {
			squares[j] = 2 * variance
		}
	}
	return squares
}

// counts returns numbers of features to keep, each about as many times the one before: from
// 1 to fewer than n, or n where that is 1.
func counts(n int) []int {
	all := []int{1}
	for i := 1; i < mostCounts; i++ {
		k := int(math.Round(math.Pow(float64(n), float64(i)/mostCounts)))
		if k > all[len(all)-1] && k < n {
			all = append(all, k)
		}
	}
	return all
}

// keepLargest sets all but the k largest absolute values to zero. Of equal ones the first stay.
func keepLargest(row []float32, k int) {
	size := make([]float32, len(row))
	for i, v := range row {
		size[i] = max(v, -v)
	}
	least := kth(size, k)
	equal := k
	for _, v := range row {
		if max(v, -v) > least {
			equal--
		}
	}
	for i, v := range row {
		a := max(v, -v)
		if a == least && equal > 0 {
			equal--
		} else if a <= least {
			row[i] = 0
		}
	}
}

// kth returns the k-th largest value, and reorders x (Hoare's selection).
func kth(x []float32, k int) float32 {
	low, high := 0, len(x)-1
	for low < high {
		pivot := x[low+(high-low)/2]
		i, j := low, high
		for i <= j {
			for x[i] > pivot {
				i++
			}
			for x[j] < pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i++
				j--
			}
		}
		switch {
		case k-1 <= j:
			high = j
		case k-1 >= i:
			low = i
		default:
			return x[k-1]
		}
	}
	return x[k-1]
}

// round replaces values by the nearest multiples of step.
func round(row []float32, step float64) {
	for i, v := range row {
		row[i] = float32(math.RoundToEven(float64(v)/step) * step)
	}
}

// tooMuch returns an error if a peer that was not named needs more multiply-adds than mostPeer.
func (s *searcher) tooMuch(need float64) error {
	if s.named || need <= mostPeer {
		return nil
	}
	return fmt.Errorf("its figures need the time of %.2g multiply-adds, more than %.2g: name the method to compute it all the same", need, float64(mostPeer))
}
