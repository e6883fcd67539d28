package bound

import (
	"cmp"
	"math"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
)

// mostSteps is the largest number of steps that are compared at a time. Twice as many
// prove a fiftieth more on MNIST and make four times as many pairs.
const mostSteps = 1024

// A step moves the inputs of one list of values to others of it.
type step struct {
	list  int       // whose inputs it moves
	by    []float64 // their change
	moves []float64 // the features' change, to first order, where J is not zero
}

// steps holds all steps from one stored input to a neighbour, with what a witness gains by
// each.
type steps struct {
	r     *refiner
	j     Jacobian
	theta []float64
	eps   []float64
	z     []float64 // where J is not zero
	rest  float64   // ‖z‖² elsewhere
	far   float64   // ‖ε‖²

	starts []int // of each list, the first of its inputs
	all    []step
	gram   []float64 // [all, all]: scalar products of moves, on the diagonal and above it
	dz, de []float64 // [all]: how ‖z‖² and ‖ε‖² change by each
}

func newSteps(r *refiner, j Jacobian, theta, eps, z []float64) *steps {
	s := &steps{r: r, j: j, theta: theta, eps: slices.Clone(eps), rest: simd.SumSquares(z), far: simd.SumSquares(eps)}
	for _, a := range j.Active {
		s.z = append(s.z, z[a])
	}
	s.rest = max(0, s.rest-simd.SumSquares(s.z))
	at := 0
	for b, v := range r.domain.Grid {
		s.starts = append(s.starts, at)
		for _, by := range s.from(b) {
			s.all = append(s.all, s.step(b, by))
		}
		at += v.Width
	}
	s.prefer()
	s.products()
	s.gains()
	return s
}

// from returns the changes that lead from where list b is to its neighbours, one up and
// one down, or all other rows.
func (s *steps) from(b int) (by [][]float64) {
	d, at := s.r.domain, s.starts[b]
	v := d.Grid[b]
	if v.List == nil {
		return nil
	}
	here := make([]float64, v.Width)
	for i := range here {
		here[i] = s.theta[at+i] + s.eps[at+i]
	}
	lo, hi := 0, len(v.List)
	if v.Width == 1 {
		i := v.above(here[0])
		lo, hi = max(0, i-1), min(len(v.List), i+2)
	}
	for ; lo < hi; lo += v.Width {
		if change := s.change(at, v.List[lo:lo+v.Width], here); change != nil {
			by = append(by, change)
		}
	}
	return by
}

// change returns how the inputs from at on change to values, nil if they are there,
// or where these are outside the box, or a change from θ that float64 cannot hold.
func (s *steps) change(at int, values []float32, here []float64) []float64 {
	by, moved := make([]float64, len(values)), false
	for i, v := range values {
		x, t := float64(v), s.theta[at+i]
		if sum, err := twoSum(t, x-t); sum != x || err != 0 || !s.r.domain.contains(at+i, x, 0) {
			return nil
		}
		by[i] = x - here[i]
		moved = moved || by[i] != 0
	}
	if !moved {
		return nil
	}
	return by
}

// step makes a step of a change of list b.
func (s *steps) step(b int, by []float64) step {
	moves, at := make([]float64, len(s.z)), s.starts[b]
	for r := range moves {
		for i, v := range by {
			moves[r] += v * s.j.Rows[r*s.j.P+at+i]
		}
	}
	return step{b, by, moves}
}

// prefer keeps the mostSteps steps that move the features least: they compensate for a
// small remainder of z.
func (s *steps) prefer() {
	if len(s.all) <= mostSteps {
		return
	}
	order, size := nn.Indices(len(s.all)), make([]float64, len(s.all))
	for k, t := range s.all {
		size[k] = simd.SumSquares(t.moves)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(size[a], size[b]) })
	order = order[:mostSteps]
	slices.Sort(order)
	all := make([]step, mostSteps)
	for i, k := range order {
		all[i] = s.all[k]
	}
	s.all = all
}

// products fills in the scalar products.
func (s *steps) products() {
	m, n := len(s.all), len(s.z)
	moves := make([]float64, 0, m*n)
	for _, t := range s.all {
		moves = append(moves, t.moves...)
	}
	s.gram = make([]float64, m*m)
	simd.Gram(false, m, n, 1, moves, n, 0, s.gram, m)
	simd.Mirror(m, s.gram, m)
}

// gains fills in what each step changes.
func (s *steps) gains() {
	m := len(s.all)
	s.dz, s.de = make([]float64, m), make([]float64, m)
	for k, t := range s.all {
		s.dz[k] = 2*simd.Dot(s.z, t.moves) + s.gram[k*m+k]
		for i, v := range t.by {
			s.de[k] += v * (2*s.eps[s.starts[t.list]+i] + v)
		}
	}
}

// worth returns what a witness is worth whose ‖ε‖² and ‖z‖² are de and dz more, as a
// quotient: of expm1 the first two terms, by which witnesses of any use are compared
// alike.
func (s *steps) worth(de, dz, here float64) (top, under float64) {
	q := (max(0, here+dz) + s.rest) / (s.r.sigma * s.r.sigma)
	h := s.r.hidden / s.r.sigma
	q += h * h
	return s.far + de, q + q*q/2
}

// single takes the step that gains most, if one does.
func (s *steps) single() bool {
	here := simd.SumSquares(s.z)
	top, under := s.worth(0, 0, here)
	top *= 1 + 1e-9
	best := -1
	for k := range s.all {
		if a, b := s.worth(s.de[k], s.dz[k], here); a*under > top*b {
			top, under, best = a, b, k
		}
	}
	if best >= 0 {
		s.take(best, -1)
	}
	return best >= 0
}

// pair takes the two steps that together gain most, if some do.
func (s *steps) pair() bool {
	b := s.best()
	for k := 0; k < len(s.all); k += pairStride { // the first guesses spare the others most of their work
		b.second(k)
	}
	for k := range s.all {
		b.second(k)
	}
	if b.first >= 0 {
		s.take(b.first, b.other)
	}
	return b.first >= 0
}

// pairStride is the stride of the steps whose partners are sought first.
const pairStride = 16

// bestPair is the pair of steps that is worth most of those weighed, top/under.
type bestPair struct {
	*steps
	top, under    float64
	base, longest float64
	first, other  int
}

func (s *steps) best() *bestPair {
	b := &bestPair{steps: s, longest: simd.MaxAbs(s.de), first: -1}
	here, h := simd.SumSquares(s.z), s.r.hidden/s.r.sigma
	b.top, b.under = s.worth(0, 0, here)
	b.top *= 1 + 1e-9
	b.base = (here+s.rest)/(s.r.sigma*s.r.sigma) + h*h
	return b
}

// second weighs the pairs of step k and those after it. One that leaves more of the
// features' change than could pay for the longest second step is passed over at once.
func (b *bestPair) second(k int) {
	m, scale := len(b.all), 1/(b.r.sigma*b.r.sigma)
	row, dz := b.gram[k*m+k+1:(k+1)*m], b.dz[k+1:]
	e, z := b.far+b.de[k], b.base+b.dz[k]*scale
	enough := (most(e+b.longest, b.top, b.under) - z) / scale
	for i, v := range dz {
		if d := v + 2*row[i]; d < enough {
			l := k + 1 + i
			q := max(0, z+d*scale)
			top, under := e+b.de[l], q+q*q/2
			if top*b.under > b.top*under && b.all[k].list != b.all[l].list {
				b.top, b.under, b.first, b.other = top, under, k, l
				enough = (most(e+b.longest, top, under) - z) / scale
			}
		}
	}
}

// most is the largest q at which a witness with ‖ε‖² = e may be worth more than top/under,
// e/(q + q²/2), and a little.
func most(e, top, under float64) float64 {
	return (math.Sqrt(1+2*max(0, e)*under/top) - 1) * (1 + 1e-6)
}

// take moves on by one step, or two.
func (s *steps) take(first, second int) {
	s.move(first)
	if second >= 0 {
		s.move(second)
	}
	s.far = simd.SumSquares(s.eps)
	s.renew(s.all[first].list)
	if second >= 0 {
		s.renew(s.all[second].list)
	}
	s.gains()
}

func (s *steps) move(k int) {
	t := s.all[k]
	for i, v := range t.by {
		at := s.starts[t.list] + i
		x := s.theta[at] + s.eps[at] + v
		s.eps[at] = x - s.theta[at]
	}
	simd.Axpy(1, t.moves, s.z)
}

// renew computes the steps of list b again, from its present values. A step that leads
// nowhere any more gets a change of zero.
func (s *steps) renew(b int) {
	fresh := s.from(b)
	for k, t := range s.all {
		if t.list != b {
			continue
		}
		by := make([]float64, len(t.by))
		if len(fresh) > 0 {
			by, fresh = fresh[0], fresh[1:]
		}
		s.all[k] = s.step(b, by)
		s.project(k)
	}
}

// project fills in the scalar products with step k.
func (s *steps) project(k int) {
	m := len(s.all)
	for l, t := range s.all {
		s.gram[min(k, l)*m+max(k, l)] = simd.Dot(t.moves, s.all[k].moves)
	}
}
