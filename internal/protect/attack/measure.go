package attack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
	"tattle/internal/protect/bound"
)

// Options are the settings of Measure.
type Options struct {
	Draws       int               // of noise for each example; 0 is DefaultDraws
	Coordinates bound.Coordinates // nil for pixels
	Classifier  nn.Model          // the whole model, to say whether it takes a reconstruction for the original; nil not to
	Pictures    int               // reconstructions kept, of the first examples; 0 is DefaultPictures
}

// Defaults of Options.
const (
	DefaultDraws    = 4  // the spread over examples is far wider than that over draws
	DefaultPictures = 16 // what a gallery shows
)

// Result holds the errors of an attack.
type Result struct {
	Attack, About string
	Indices       []int
	RMS           []float64 // [examples, m]: root mean square error of each coordinate over draws
	MeanSquare    []float64 // [examples]: per input, over draws and inputs
	Draws         int       // of noise for each example
	People        []int     // the person of each example, from 0 on in the order of the examples: means are then over people; nil: each is another
	// Recognised is the fraction of reconstructions that the classifier assigns to the same
	// class as the original; NaN without a classifier.
	Recognised float64
	Pictures   [][]float32 // [p], the reconstruction from the first draw, of the first examples
}

// measureBatch is how many releases are attacked at once.
const measureBatch = 200

// Measure runs the attack on Draws releases of each example in indices. Draw d of example i
// comes from run.Rand of seed, i and d, so it does not depend on other examples. An example is a step of the progress. It
// returns an error if there are no examples, or if a reconstruction is not finite.
func Measure(ctx context.Context, a *Attack, s Setting, indices []int, o Options) (*Result, error) {
	m, err := newMeasurement(a, s, indices, o)
	if err != nil {
		return nil, err
	}
	each := max(1, measureBatch/m.Draws)
	for lo := 0; lo < len(indices); lo += each {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(len(indices), lo+each)
		if err := m.batch(ctx, lo, hi); err != nil {
			return nil, err
		}
		s.tell(hi, len(indices))
	}
	m.result.Recognised = math.NaN()
	if o.Classifier != nil {
		m.result.Recognised = float64(m.same) / float64(len(indices)*m.Draws)
	}
	return m.result, nil
}

// measurement is one run of Measure.
type measurement struct {
	Options
	*channel
	attack *Attack
	p      int
	same   int
	result *Result
}

func newMeasurement(a *Attack, s Setting, indices []int, o Options) (*measurement, error) {
	p, _ := s.Front.Dims()
	o.Draws, o.Pictures, o.Coordinates = cmp.Or(o.Draws, DefaultDraws), cmp.Or(o.Pictures, DefaultPictures), cmp.Or(o.Coordinates, bound.Pixels(p))
	if len(indices) == 0 {
		return nil, errors.New("attack: no examples to reconstruct: give at least one")
	}
	about := a.About
	if a.Name == "inversion" && s.Label {
		about += "; it ignores the post-processing"
	}
	c, err := newChannel(s)
	if err != nil {
		return nil, err
	}
	r := &Result{Attack: a.Name, About: about, Indices: append([]int(nil), indices...), Draws: o.Draws}
	r.RMS, r.MeanSquare = make([]float64, len(indices)*o.Coordinates.Len()), make([]float64, len(indices))
	return &measurement{Options: o, channel: c, attack: a, p: p, result: r}, nil
}

// batch attacks all draws of examples lo to hi.
func (m *measurement) batch(ctx context.Context, lo, hi int) error {
	indices := m.result.Indices[lo:hi]
	theta, a := make([]float32, len(indices)*m.p), make([]float32, len(indices)*m.n)
	m.Data.Examples(theta, indices)
	m.Front.Forward(a, theta)
	x, guess := make([]float32, m.Draws*len(a)), make([]float32, m.Draws*len(theta))
	for d := range m.Draws {
		m.release(x[d*len(a):(d+1)*len(a)], a, sources(m.Seed, indices, d))
	}
	if err := m.attack.Reconstruct(ctx, guess, x); err != nil {
		return err
	}
	if !nn.Finite(guess) {
		return fmt.Errorf("attack: %s gave a reconstruction that is not finite for examples %d to %d", m.attack.Name, indices[0], indices[len(indices)-1])
	}
	for i := lo; i < min(hi, m.Pictures); i++ {
		m.result.Pictures = append(m.result.Pictures, append([]float32(nil), guess[(i-lo)*m.p:(i-lo+1)*m.p]...))
	}
	m.classify(theta, guess)
	m.errors(lo, theta, guess)
	return nil
}

// errors sums up guess − θ, [draws, examples, p], over draws.
func (m *measurement) errors(lo int, theta, guess []float32) {
	width, c := m.Coordinates.Len(), m.Coordinates
	simd.Parallel(len(theta)/m.p, 1, func(from, to int) {
		diff, image := make([]float64, m.p), make([]float64, width)
		for i := from; i < to; i++ {
			rms := m.result.RMS[(lo+i)*width : (lo+i+1)*width]
			for d := range m.Draws {
				g, t := guess[d*len(theta)+i*m.p:][:m.p], theta[i*m.p:(i+1)*m.p]
				for j := range g {
					diff[j] = float64(g[j]) - float64(t[j])
				}
				m.result.MeanSquare[lo+i] += simd.SumSquares(diff) / float64(m.p*m.Draws)
				c.Apply(image, diff)
				for k, v := range image {
					rms[k] += v * v
				}
			}
			for k, v := range rms {
				rms[k] = math.Sqrt(v / float64(m.Draws))
			}
		}
	})
}

// classify counts the reconstructions in the class of their originals.
func (m *measurement) classify(theta, guess []float32) {
	if m.Classifier == nil {
		return
	}
	_, classes := m.Classifier.Dims()
	of := func(x []float32) []int {
		y, best := make([]float32, len(x)/m.p*classes), make([]int, len(x)/m.p)
		m.Classifier.Forward(y, x)
		for i := range best {
			best[i] = nn.Largest(y[i*classes : (i+1)*classes])
		}
		return best
	}
	truth := of(theta)
	for i, k := range of(guess) {
		if k == truth[i%len(truth)] {
			m.same++
		}
	}
}
