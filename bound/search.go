package bound

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tattle/internal/simd"
	"tattle/lsqr"
	"tattle/nn"
)

// Defaults of a search, which are paper A's for MNIST.
const (
	DefaultRepeats  = 10       // of LSQR (A: i in Algorithm 1)
	DefaultRestarts = 25       // independent starts, over which the bounds are maximised (A section 3)
	DefaultSize     = 1. / 200 // ‖z‖ over σ (A Figure 1): small enough to be nearly linear, large against float32's rounding
	DefaultStack    = 500      // images in one LSQR of the published procedure; the authors take 5,000 of MNIST's, for ten times the memory
)

// The searches.
const (
	Auto       = "auto"         // direct where the Jacobian is small enough, else algorithm1
	Algorithm1 = "algorithm1"   // A's Algorithm 1, each example by itself, LSQR converged and matrix-free
	Direct     = "direct"       // the same with an explicit pseudoinverse of each example's Jacobian
	Published  = "as-published" // the authors' program: one LSQR for a stack of examples, stopped early
)

// The iterations of algorithm1 and direct.
const (
	PaperIteration   = "paper"   // z ← a(θ+ε) − a(θ), as Algorithm 1 says
	InverseIteration = "inverse" // z ← (J⁺)ᵀε: converges to the least singular value
)

// directLimit is the most rows or columns (whichever are fewer) of J for which
// a search decomposes it. The cost grows as their cube: 5 ms at 128, 16 s at
// 1,600, when LSQR on paper A's CIFAR-10 net, 25 restarts and 10 repeats, needs
// some 2e13 operations an image, two minutes' worth.
const directLimit = 2048

// SearchOptions says how witnesses are sought. Its zero value is paper A's
// choice, by the quickest way.
type SearchOptions struct {
	Search      string       // by default Auto
	Repeats     int          // by default DefaultRepeats
	Restarts    int          // by default DefaultRestarts
	Iteration   string       // by default PaperIteration; Published knows no other
	Relinearize bool         // algorithm1 only: J at θ+ε of the repeat before, not at θ
	Stack       int          // Published only: examples in one LSQR, by default DefaultStack
	LSQR        lsqr.Options // algorithm1 only
	Seed        uint64
}

// resolve replaces zeros by defaults and Auto by a search, saying why in reason.
func (o SearchOptions) resolve(m nn.Model, x []float32) (_ SearchOptions, reason string, err error) {
	if o.Search == "" {
		o.Search = Auto
	}
	if o.Iteration == "" {
		o.Iteration = PaperIteration
	}
	for _, d := range []struct {
		v   *int
		def int
	}{{&o.Repeats, DefaultRepeats}, {&o.Restarts, DefaultRestarts}, {&o.Stack, DefaultStack}} {
		if *d.v == 0 {
			*d.v = d.def
		}
	}
	switch {
	case o.Repeats < 0 || o.Restarts < 0 || o.Stack < 0:
		return o, "", fmt.Errorf("repeats %d, restarts %d, stack %d: each must be positive", o.Repeats, o.Restarts, o.Stack)
	case !slices.Contains([]string{Auto, Algorithm1, Direct, Published}, o.Search):
		return o, "", fmt.Errorf("no search %q: there are %s, %s, %s and %s", o.Search, Auto, Algorithm1, Direct, Published)
	case !slices.Contains([]string{PaperIteration, InverseIteration}, o.Iteration):
		return o, "", fmt.Errorf("no iteration %q: there are %s and %s", o.Iteration, PaperIteration, InverseIteration)
	case o.Relinearize && (o.Search == Direct || o.Search == Published):
		return o, "", fmt.Errorf("re-linearising is for the search %s (%s always does)", Algorithm1, Published)
	case o.Iteration == InverseIteration && (o.Search == Published || o.Relinearize):
		return o, "", fmt.Errorf("the inverse iteration is for J at θ: not for %s, not with re-linearising", Published)
	case o.Search != Auto:
		return o, "as asked", nil
	case o.Relinearize:
		o.Search = Algorithm1
		return o, "re-linearising needs it", nil
	}
	j := sizeUp(m, x)
	o.Search = Direct
	if !j.small() {
		o.Search = Algorithm1
	}
	return o, j.String(), nil
}

// jacobianSize is what decides whether Jacobians are decomposed.
type jacobianSize struct{ rows, cols int } // rows that are not zero

func (j jacobianSize) small() bool { return min(j.rows, j.cols) <= directLimit }

func (j jacobianSize) String() string {
	s := fmt.Sprintf("the Jacobian has %d rows that matter and %d columns", j.rows, j.cols)
	if j.small() {
		return s + ": its decomposition is cheap and serves all restarts"
	}
	return s + fmt.Sprintf(": beyond %d decomposing it is dearer than LSQR", directLimit)
}

// sizeUp returns the size of the largest Jacobian of a few examples.
func sizeUp(m nn.Model, x []float32) jacobianSize {
	p, n := m.Dims()
	j := jacobianSize{rows: n, cols: p}
	lin, ok := m.Linearize(x).(nn.Activity)
	if !ok {
		return j
	}
	j.rows = 0
	on := make([]bool, len(x)/p*n)
	lin.Active(on)
	for i := 0; i < len(on); i += n {
		count := 0
		for _, yes := range on[i : i+n] {
			if yes {
				count++
			}
		}
		j.rows = max(j.rows, count)
	}
	return j
}

// A batch is a few examples whose restarts are searched together.
type batch struct {
	theta    []float32  // [examples, p]
	start    []float32  // [examples, restarts, n]: z⁰ for size 1, entries N(0, σ²/n)
	factors  []*Factors // of each example's J; nil unless the search or a Cramér-Rao bound wants them
	inverses [][]float32
}

// pseudoinverses returns (J⁺)ᵀ of each example.
func (b *batch) pseudoinverses() [][]float32 {
	if b.inverses == nil {
		b.inverses = make([][]float32, len(b.factors))
		parallel(len(b.factors), func(i int) { b.inverses[i] = b.factors[i].Pseudoinverse() })
	}
	return b.inverses
}

// A searcher overwrites eps, [examples, restarts, p], with perturbations whose
// features move by about size·σ. It tells what part of them is done before every
// step of some seconds, and ends soon after ctx is cancelled, with its error.
type searcher interface {
	search(ctx context.Context, eps []float32, b *batch, size float64, tell func(part float64)) error
}

// pseudoinverter applies the pseudoinverse of each example's J, to every restart.
type pseudoinverter interface {
	prepare(b *batch)
	solve(ctx context.Context, eps, z []float32) error     // ε = J⁺z
	transpose(ctx context.Context, z, eps []float32) error // z = (J⁺)ᵀε
	moved(eps []float32)                                   // tells where the next J is wanted, if it is not to stay at θ
}

// repeats is Algorithm 1 of A around a way to apply J⁺.
type repeats struct {
	model   nn.Model
	options SearchOptions
	domain  Domain
	inverse pseudoinverter

	z, next []float32
	frozen  []bool
}

func (s *repeats) search(ctx context.Context, eps []float32, b *batch, size float64, tell func(part float64)) error {
	p, n := s.model.Dims()
	rows := len(b.start) / n
	s.z = slices.Grow(s.z[:0], len(b.start))[:len(b.start)]
	s.next = slices.Grow(s.next[:0], len(eps))[:len(eps)]
	s.frozen = slices.Grow(s.frozen[:0], rows)[:rows]
	clear(s.frozen)
	simd.ScaleShift(s.z, b.start, float32(size), 0) // 1: z⁰
	norms := rowNorms(b.start, n)
	s.inverse.prepare(b)
	for j := 1; ; j++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		tell(float64(j-1) / float64(s.options.Repeats))
		s.rescale(norms, size, n)                                 // 4: ‖z̃‖ = ‖z⁰‖
		if err := s.inverse.solve(ctx, s.next, s.z); err != nil { // 5
			return err
		}
		s.domain.project(s.next, b.theta)
		s.accept(eps, p)
		if j == s.options.Repeats {
			return nil // the certificate computes z of the last ε
		}
		if s.options.Iteration == InverseIteration {
			if err := s.inverse.transpose(ctx, s.z, eps); err != nil {
				return err
			}
			continue
		}
		s.model.Linearize(b.theta).Shift(s.z, eps) // 6, 7
		s.inverse.moved(eps)
	}
}

// rescale gives each z the norm of its start. A z of zero, from features that do
// not move at all, freezes its ε: no other can be told apart less.
func (s *repeats) rescale(norms []float64, size float64, n int) {
	parallel(len(norms), func(i int) {
		z := s.z[i*n : (i+1)*n]
		if now := norm32(z); now > 0 {
			simd.Scale(float32(norms[i]*size/now), z)
		} else {
			s.frozen[i] = true
		}
	})
}

// accept takes the new ε of every row that is not frozen. One that float32 cannot
// hold freezes its row.
func (s *repeats) accept(eps []float32, p int) {
	parallel(len(s.frozen), func(i int) {
		next := s.next[i*p : (i+1)*p]
		s.frozen[i] = s.frozen[i] || !finite32(next)
		if !s.frozen[i] {
			copy(eps[i*p:(i+1)*p], next)
		}
	})
}

// finite32 tells whether all of x are numbers.
func finite32(x []float32) bool {
	for _, v := range x {
		if v-v != 0 {
			return false
		}
	}
	return true
}

// replaceVoid draws, for ε that are zero, as J⁺z is where J is zero, or not
// numbers, others that prove something: entries N(0, size²), on which the
// certificate has the last word.
func (e Experiment) replaceVoid(eps, theta []float32, size float64) {
	p, restarts := e.Coordinates.Inputs(), e.Search.Restarts
	parallel(len(eps)/p, func(i int) {
		row := eps[i*p : (i+1)*p]
		if finite32(row) && simd.MaxAbs(row) > 0 {
			return
		}
		g := rand.New(rand.NewPCG(e.Search.Seed, uint64(i%restarts)))
		for k := range row {
			row[k] = float32(g.NormFloat64() * size)
		}
		e.Domain.project(row, theta[i/restarts*p:(i/restarts+1)*p])
	})
}

// norm32 returns ‖x‖, in float64 where squares might leave float32.
func norm32(x []float32) float64 {
	s := float64(simd.SumSquares(x))
	if !(s > 1e-25 && s < 1e30) {
		s = 0
		for _, v := range x {
			s += float64(v) * float64(v)
		}
	}
	return math.Sqrt(s)
}

func rowNorms(x []float32, width int) []float64 {
	norms := make([]float64, len(x)/width)
	for i := range norms {
		norms[i] = norm32(x[i*width : (i+1)*width])
	}
	return norms
}

// project moves each ε so that θ+ε lies in the domain exactly, in real
// arithmetic: theta is [examples, p], eps [examples, restarts, p].
func (d Domain) project(eps, theta []float32) {
	if d.Low == nil {
		return
	}
	p := len(d.Low)
	restarts := len(eps) / len(theta)
	parallel(len(eps)/p, func(r int) {
		e, t := eps[r*p:(r+1)*p], theta[r/restarts*p:(r/restarts+1)*p]
		for i := range e {
			e[i] = d.nearest(i, t[i], e[i])
		}
	})
}

// nearest returns the float32 nearest e for which t + e lies in the interval, up
// to one rounding; 0 where t itself does not.
func (d Domain) nearest(i int, t, e float32) float32 {
	inside := func(e float32) bool {
		x, err := twoSum(float64(t), float64(e))
		return d.contains(i, x, err)
	}
	if inside(e) {
		return e
	}
	if !inside(0) {
		return 0
	}
	end := d.High[i]
	if e < 0 {
		end = d.Low[i]
	}
	e = float32(end - float64(t))
	for !inside(e) {
		e = math.Nextafter32(e, 0)
	}
	return e
}
