package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
)

// What a numeric target says of an attribute is learned from neighbours: the share of every class
// of s, or the mean of s, among the k training examples whose y is nearest, smoothed as the cells of
// a joint table are. k is the one with the least loss on the training examples, each left out in its
// turn, and so is the weight of the smoothing. Where examples are compared with one another, y is cut into classes of about numberRows.
const (
	numberRows = 50
	mostCuts   = 100
	leastNear  = 2 // neighbours
)

// priorsNear are for how many examples all of them may count: few where s is a step of y.
var priorsNear = [...]float64{.01, .1, 1, 4}

// cut gives a sample with a numeric target its classes of y: quantiles, without empty ones.
func (s *Sample) cut() {
	sorted := slices.Sorted(slices.Values(s.YNumbers))
	n := len(sorted)
	parts := min(max(n/numberRows, 2), mostCuts)
	var from []float64 // the least y of each class
	for k := range parts {
		if v := sorted[k*n/parts]; len(from) == 0 || v > from[len(from)-1] {
			from = append(from, v)
		}
	}
	s.Classes, s.Y = make([]string, len(from)), make([]int, n)
	for k, v := range from {
		s.Classes[k] = fmt.Sprintf("from %.6g", v)
	}
	for i, v := range s.YNumbers {
		s.Y[i] = sort.Search(len(from), func(k int) bool { return from[k] > v }) - 1
	}
}

// nearby is what the training examples of similar y say of a goal.
type nearby struct {
	y     []float64 // of the training examples, ascending
	sums  []float64 // [training examples + 1, width], of what the first ones add
	all   []float64 // what all say
	width int
	k     int
	prior float64 // for how many examples all of them count
	goal  *goal
}

// newNearby learns from the examples rows.
func newNearby(numbers []float64, g *goal, rows []int) *nearby {
	b := &nearby{width: g.target.Width(), goal: g}
	order := slices.Clone(rows)
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(numbers[i], numbers[j]) })
	b.sums = make([]float64, (len(rows)+1)*b.width)
	for at, i := range order {
		b.y = append(b.y, numbers[i])
		to := b.sums[(at+1)*b.width:][:b.width]
		copy(to, b.sums[at*b.width:])
		b.add(to, i, 1)
	}
	b.all = slices.Clone(b.sums[len(rows)*b.width:])
	n, prior := float64(len(rows)), 0.
	if g.target.Labels != nil {
		prior = .5
	}
	for k := range b.all {
		b.all[k] = (b.all[k] + prior) / (n + prior*float64(b.width))
	}
	least, best := math.Inf(1), *b
	for b.k = leastNear; b.k < 2*len(rows); b.k *= 2 {
		for _, b.prior = range priorsNear {
			if loss := b.loss(numbers, order); loss < least {
				least, best = loss, *b
			}
		}
	}
	return &best
}

// loss returns what guessing the training examples costs, each without itself.
func (b *nearby) loss(numbers []float64, rows []int) (loss float64) {
	q := make([]float64, b.width)
	for _, i := range rows {
		b.say(q, numbers[i], i)
		if l := b.goal.target.Labels; l != nil {
			loss -= q[l[i]]
		} else {
			e := q[0] - b.goal.target.Values[i]
			loss += e * e
		}
	}
	return loss
}

// add adds what example i says, times weight.
func (b *nearby) add(to []float64, i int, weight float64) {
	if l := b.goal.target.Labels; l != nil {
		to[l[i]] += weight
	} else {
		to[0] += weight * b.goal.target.Values[i]
	}
}

// say overwrites dst with what the k nearest say of an example with that y: log-probabilities, or a
// mean. Examples of equal y are taken together; without is one of them to be left out, −1 for none.
func (b *nearby) say(dst []float64, y float64, without int) {
	n := len(b.y)
	lo := sort.SearchFloat64s(b.y, y)
	hi := lo + sort.Search(n-lo, func(k int) bool { return b.y[lo+k] > y })
	middle := (lo + hi) / 2
	from, to := max(0, min(lo, middle-b.k/2)), min(n, max(hi, middle+b.k/2))
	count := float64(to - from)
	for k := range dst {
		dst[k] = b.sums[to*b.width+k] - b.sums[from*b.width+k]
	}
	if without >= 0 {
		b.add(dst, without, -1)
		count--
	}
	for k := range dst {
		dst[k] = (dst[k] + b.prior*b.all[k]) / (count + b.prior)
		if b.goal.target.Labels != nil {
			dst[k] = math.Log(max(dst[k], probabilityFloor))
		}
	}
}

// numberBaseline returns what a numeric target says of attribute a of every example, learned on the
// other folds.
func numberBaseline(s *Sample, a int, fold []int, folds int) baselineGuess {
	b := baselineGuess{name: FromTarget}
	g, none := goalOf(s, a, folds)
	at := &s.Sensitive[a]
	if at.Numeric() {
		b.value = make([]float64, s.Len())
	} else {
		b.guess = make([]int, s.Len())
	}
	if none != "" {
		return b
	}
	q := make([]float64, g.target.Width())
	for k := range folds {
		train, test := parts(fold, k)
		near := newNearby(s.YNumbers, g, train)
		for _, i := range test {
			if near.say(q, s.YNumbers[i], -1); at.Numeric() {
				b.value[i] = g.mean + g.spread*q[0]
			} else {
				b.guess[i] = g.back[bestOf(q)]
			}
		}
	}
	return b
}

// bestOf returns the place of the largest number, the first of equal ones.
func bestOf(q []float64) int {
	best := 0
	for k, v := range q {
		if v > q[best] {
			best = k
		}
	}
	return best
}
