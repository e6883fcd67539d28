package attack

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
	"tattle/internal/run"
)

// batchOf is how many examples of p inputs go through the model and into one product: so
// few that ctx is checked every second.
func batchOf(p int) int { return min(512, max(16, 1<<19/p)) }

// maxMoments bounds the matrices of second moments, [n, n+p], of which four are
// held at once, to 1 GiB each: as many features and inputs as a Prior takes.
const maxMoments = 1 << 27

// moments are the means and second central moments of features a and inputs θ.
type moments struct {
	p, n     int
	examples int
	meanA    []float64 // [n]
	meanT    []float64 // [p]
	joint    []float64 // [n, n+p]: C_aa, its upper triangle, beside C_aθ
}

func (m *moments) width() int { return m.n + m.p }

// sums adds up rows [a θ] about a fixed shift, near the mean, so that nothing
// cancels.
type sums struct {
	moments
	shift, total []float64 // [n+p]
	rows         []float64 // [batch, n+p]
	features     []float64 // [batch, n], the first part of rows lying close
}

func newSums(p, n int) *sums {
	s := &sums{moments: moments{p: p, n: n, joint: make([]float64, n*(n+p))}}
	s.total = make([]float64, n+p)
	s.rows, s.features = make([]float64, batchOf(p)*(n+p)), make([]float64, batchOf(p)*n)
	return s
}

// add counts a batch of features and inputs, both float32.
func (s *sums) add(a, theta []float32) {
	batch, width := len(a)/s.n, s.width()
	if s.shift == nil {
		s.shift = make([]float64, width)
		for i := range batch {
			addWide(s.shift[:s.n], a[i*s.n:(i+1)*s.n], 1/float64(batch))
			addWide(s.shift[s.n:], theta[i*s.p:(i+1)*s.p], 1/float64(batch))
		}
	}
	simd.Parallel(batch, 8, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := s.rows[i*width : (i+1)*width]
			differ(row[:s.n], a[i*s.n:(i+1)*s.n], s.shift[:s.n])
			differ(row[s.n:], theta[i*s.p:(i+1)*s.p], s.shift[s.n:])
			copy(s.features[i*s.n:(i+1)*s.n], row)
		}
	})
	simd.SumRows(s.total, batch, width, s.rows[:batch*width])
	for lo := 0; lo < s.n; lo += systemStrip { // no more of C_aa than its upper triangle
		simd.Gemm(true, false, min(systemStrip, s.n-lo), width-lo, batch, 1, s.features[lo:], s.n, s.rows[lo:], width, 1, s.joint[lo*width+lo:], width)
	}
	s.examples += batch
}

// central returns the central moments of what was added.
func (s *sums) central() *moments {
	m, width, count := s.moments, s.width(), float64(s.examples)
	mean := make([]float64, width)
	for j, v := range s.total {
		mean[j] = v / count
	}
	m.joint = make([]float64, len(s.joint))
	simd.Parallel(m.n, 16, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := m.joint[i*width : (i+1)*width]
			simd.Combine(row, s.joint[i*width:(i+1)*width], mean, 1/count, -mean[i], 0)
		}
	})
	simd.Add(mean, mean, s.shift)
	m.meanA, m.meanT = mean[:m.n], mean[m.n:]
	return &m
}

func addWide(dst []float64, x []float32, by float64) {
	for j, v := range x {
		dst[j] += float64(v) * by
	}
}

func differ(dst []float64, x []float32, from []float64) {
	for j, v := range x {
		dst[j] = float64(v) - from[j]
	}
}

// trainingSet chooses at most most examples of the data by the seed, in order.
func (s Setting) trainingSet(most int) ([]int, error) {
	if s.Data.Len() < 2 {
		return nil, errors.New("attack: training data of fewer than two examples: give more")
	}
	order := nn.Indices(s.Data.Len())
	if most < len(order) {
		r := run.Rand(s.Seed^trainingStream, -1, 0)
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		order = order[:max(2, most)]
		slices.Sort(order)
	}
	return order, nil
}

// eachBatch calls f with the inputs and features of one batch after the other. Features that the memo knows are not computed.
func (s Setting) eachBatch(ctx context.Context, indices []int, f func(indices []int, a, theta []float32)) error {
	p, n := s.Front.Dims()
	a := make([]float32, min(batchOf(p), len(indices))*n)
	return nn.EachBatch(ctx, s.Data, p, indices, batchOf(p), func(batch []int, theta []float32) error {
		a := a[:len(batch)*n]
		if !s.Memo.Known(a, batch) {
			s.Front.Forward(a, theta)
		}
		if !nn.Finite(a) || !nn.Finite(theta) {
			return fmt.Errorf("attack: a feature of examples %d to %d is not finite: look for bad values in the data and the model", batch[0], batch[len(batch)-1])
		}
		f(batch, a, theta)
		return nil
	})
}

// trainingStream keeps the noise that attacks are trained with apart from the noise
// that they are measured on, where both have one seed.
const trainingStream = 0x7a11

// sources returns the noise's generator of each example, draw being the restart.
func sources(seed uint64, indices []int, draw int) func(i int) *rand.Rand {
	return func(i int) *rand.Rand { return run.Rand(seed, indices[i], draw) }
}
