package bound

import (
	"cmp"
	"slices"

	"tattle/internal/simd"
)

// mostSteps is how many steps are weighed against each other at a time: their scalar
// products take 8·mostSteps² bytes.
const mostSteps = 2048

// A step moves the inputs of one list of values to others of it.
type step struct {
	at    int       // of the first of the inputs
	by    []float64 // their change
	moves []float64 // the features' change, to first order, where J is not zero
}

// steps are all that lead from one stored input to a neighbour, with what a witness
// gains by them.
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
	of     []int     // [all]: whose list
	gram   []float64 // [all, all]: scalar products of moves
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
			s.all, s.of = append(s.all, s.step(at, by)), append(s.of, b)
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

// change returns how the inputs from at on change to values, nil where they are there,
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

// step makes a step of a change.
func (s *steps) step(at int, by []float64) step {
	moves := make([]float64, len(s.z))
	for r := range moves {
		for i, v := range by {
			moves[r] += v * s.j.Rows[r*s.j.P+at+i]
		}
	}
	return step{at, by, moves}
}

// prefer keeps the mostSteps steps that move the features least: they are what a
// small remainder is made up by.
func (s *steps) prefer() {
	if len(s.all) <= mostSteps {
		return
	}
	order := make([]int, len(s.all))
	size := make([]float64, len(s.all))
	for k, t := range s.all {
		order[k], size[k] = k, simd.SumSquares(t.moves)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(size[a], size[b]) })
	order = order[:mostSteps]
	slices.Sort(order)
	all, of := make([]step, mostSteps), make([]int, mostSteps)
	for i, k := range order {
		all[i], of[i] = s.all[k], s.of[k]
	}
	s.all, s.of = all, of
}

// products fills in the scalar products.
func (s *steps) products() {
	m, n := len(s.all), len(s.z)
	d := make([]float64, 0, m*n)
	for _, t := range s.all {
		d = append(d, t.moves...)
	}
	s.gram = make([]float64, m*m)
	if m > 0 {
		simd.Gemm(false, true, m, m, n, 1, d, n, d, n, 0, s.gram, m)
	}
}

// gains fills in what each step changes.
func (s *steps) gains() {
	m := len(s.all)
	s.dz, s.de = make([]float64, m), make([]float64, m)
	for k, t := range s.all {
		s.dz[k] = 2*simd.Dot(s.z, t.moves) + s.gram[k*m+k]
		for i, v := range t.by {
			s.de[k] += v * (2*s.eps[t.at+i] + v)
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
	m, here := len(s.all), simd.SumSquares(s.z)
	top, under := s.worth(0, 0, here)
	top *= 1 + 1e-9
	scale, h := 1/(s.r.sigma*s.r.sigma), s.r.hidden/s.r.sigma
	base := (here+s.rest)*scale + h*h
	first, second := -1, -1
	for k := range m {
		row, e, z := s.gram[k*m:(k+1)*m], s.far+s.de[k], s.dz[k]
		for l := k + 1; l < m; l++ {
			q := max(0, base+(z+s.dz[l]+2*row[l])*scale)
			a, b := e+s.de[l], q+q*q/2
			if a*under > top*b && s.of[k] != s.of[l] {
				top, under, first, second = a, b, k, l
			}
		}
	}
	if first >= 0 {
		s.take(first, second)
	}
	return first >= 0
}

// take moves on by one step, or two.
func (s *steps) take(first, second int) {
	lists := []int{s.of[first]}
	s.move(first)
	if second >= 0 {
		s.move(second)
		lists = append(lists, s.of[second])
	}
	s.far = simd.SumSquares(s.eps)
	for _, b := range lists {
		s.renew(b)
	}
	s.gains()
}

func (s *steps) move(k int) {
	t := s.all[k]
	for i, v := range t.by {
		at := t.at + i
		x := s.theta[at] + s.eps[at] + v
		s.eps[at] = x - s.theta[at]
	}
	simd.Axpy(1, t.moves, s.z)
}

// renew makes the steps of list b anew, from where it is now: one that leads nowhere any
// more is left without a change.
func (s *steps) renew(b int) {
	fresh := s.from(b)
	for k, of := range s.of {
		if of != b {
			continue
		}
		by := make([]float64, len(s.all[k].by))
		if len(fresh) > 0 {
			by, fresh = fresh[0], fresh[1:]
		}
		s.all[k] = s.step(s.starts[b], by)
		s.project(k)
	}
}

// project fills in the scalar products with step k.
func (s *steps) project(k int) {
	m := len(s.all)
	for l, t := range s.all {
		v := simd.Dot(t.moves, s.all[k].moves)
		s.gram[k*m+l], s.gram[l*m+k] = v, v
	}
}
