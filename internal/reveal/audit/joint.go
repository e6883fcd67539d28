package audit

import (
	"math"
	"slices"
	"sort"

	"tattle/internal/engine/classify"
)

// jointPrior is how many examples the coarser table counts for in each cell of the finer:
// cells with few examples follow it.
const jointPrior = 4

// joint is what the true y and the answered label ŷ together say of an attribute s,
// learned on some examples: log q(s | y, ŷ), or the mean of a numeric s given both. Cells
// with few examples are smoothed,
//
//	q(s | y, ŷ) = (n(s, y, ŷ) + 4·q(s | y))/(n(y, ŷ) + 4),
//	q(s | y)    = (n(s, y) + 4·q(s))/(n(y) + 4),
//	q(s)        = (n(s) + ½)/(n + K/2).
type joint struct {
	*folded
	width int
	says  []float64 // [cell, width], log-probabilities, or one mean
	near  []float64 // [example, width], the same of a numeric y; nil for classes
}

// learn gets what attacks are fitted to in fold k, and the tables. Of a numeric y it also gets what y alone
// says of the examples that are judged.
func (h *hunt) learn(k int) {
	sp := &h.splits[k]
	if !h.accuracyAlone {
		h.weight = h.counts(sp.held)
	}
	for _, g := range h.out {
		g.fit = classify.Target{Labels: pick(g.target.Labels, sp.all), Classes: g.target.Classes, Values: pick(g.target.Values, sp.all)}
		if !h.accuracyAlone {
			g.known = newJoint(h.folded, g.goal, sp.rest)
		}
		if h.accuracyAlone && h.YNumbers == nil {
			continue
		}
		if g.final = newJoint(h.folded, g.goal, sp.train); h.YNumbers == nil {
			continue
		}
		for _, row := range sp.test {
			decide(g.goal, g.fromNumber.guess, g.fromNumber.value, row, g.final.of(row))
		}
	}
}

// newJoint learns the table of goal g on the examples rows.
func newJoint(x *folded, g *goal, rows []int) *joint {
	k := g.target.Width()
	j := &joint{folded: x, width: k}
	if x.YNumbers != nil {
		near := newNearby(x.YNumbers, g, rows)
		j.near = make([]float64, x.Len()*k)
		for i, y := range x.YNumbers {
			near.say(j.near[i*k:][:k], y)
		}
		return j
	}
	all, ofY := newMeans(1, k), newMeans(len(x.Classes), k)
	cells := newMeans(x.cells, k)
	v := make([]float64, k)
	for _, i := range rows {
		clear(v)
		g.add(v, i, 1)
		all.add(0, v)
		ofY.add(x.Y[i], v)
		cells.add(x.cell[i], v)
	}
	if g.target.Labels != nil {
		all.smooth(0, slices.Repeat([]float64{1 / float64(k)}, k), float64(k)/2)
	}
	for y := range x.Classes {
		ofY.smooth(y, all.of(0), jointPrior)
	}
	next := 0 // cells are numbered in the order of their first examples
	for i, c := range x.cell {
		if c == next {
			cells.smooth(c, ofY.of(x.Y[i]), jointPrior)
			next++
		}
	}
	j.says = cells.mean
	if g.target.Labels != nil {
		for i, p := range j.says {
			j.says[i] = math.Log(p)
		}
	}
	return j
}

// of returns what the table says of example i.
func (j *joint) of(i int) []float64 {
	if j.near != nil {
		return j.near[i*j.width:][:j.width]
	}
	return j.says[j.cell[i]*j.width:][:j.width]
}

// groups returns how many groups of y have slopes of their own in a calibration: every y,
// or all together if there are more than ownMost.
func (j *joint) groups() int {
	if len(j.Classes) > ownMost {
		return 1
	}
	return len(j.Classes)
}

// group returns the group of example i's y.
func (j *joint) group(i int) int {
	if len(j.Classes) > ownMost {
		return 0
	}
	return j.Y[i]
}

// means are the mean rows of groups.
type means struct {
	width int
	n     []float64 // by group
	mean  []float64 // [group, width]
}

func newMeans(groups, width int) *means {
	return &means{width: width, n: make([]float64, groups), mean: make([]float64, groups*width)}
}

// of returns the mean of a group, 0 if it has no rows.
func (m *means) of(group int) []float64 { return m.mean[group*m.width:][:m.width] }

func (m *means) add(group int, row []float64) {
	m.n[group]++
	for k, to := 0, m.of(group); k < m.width; k++ {
		to[k] += (row[k] - to[k]) / m.n[group]
	}
}

// smooth adds weight rows of prior to a group's mean.
func (m *means) smooth(group int, prior []float64, weight float64) {
	n, to := m.n[group], m.of(group)
	for k := range to {
		to[k] = (n*to[k] + weight*prior[k]) / (n + weight)
	}
}

// leastNear is the smallest number of neighbours.
const leastNear = 2

// priorsNear are for how many examples all of them may count: few where s is a step of y.
var priorsNear = [...]float64{.01, .1, 1, 4}

// nearby is what a numeric y says of a goal: the share of every class of s, or the mean of s, among the
// k training examples whose y is nearest, smoothed as the cells of a joint table are. k and the weight of the
// smoothing are those with the least loss on the training examples, each left out in its turn.
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
	sort.SliceStable(order, func(i, j int) bool { return numbers[order[i]] < numbers[order[j]] })
	b.sums = make([]float64, (len(rows)+1)*b.width)
	for at, i := range order {
		b.y = append(b.y, numbers[i])
		to := b.sums[(at+1)*b.width:][:b.width]
		copy(to, b.sums[at*b.width:])
		g.add(to, i, 1)
	}
	b.all = slices.Clone(b.sums[len(rows)*b.width:])
	n, prior := float64(len(rows)), 0.
	if g.target.Labels != nil {
		prior = .5
	}
	for k := range b.all {
		b.all[k] = (b.all[k] + prior) / (n + prior*float64(b.width))
	}
	equal := make([][2]int, len(order))
	for at, y := range b.y {
		equal[at][0], equal[at][1] = b.equal(y)
	}
	least, best := math.Inf(1), *b
	for b.k = leastNear; b.k < 2*len(rows); b.k *= 2 {
		for _, b.prior = range priorsNear {
			if loss := b.loss(order, equal); loss < least {
				least, best = loss, *b
			}
		}
	}
	return &best
}

// loss returns what guessing the training examples costs, each without itself. Equal has the places in b.y of
// those with the same y as each.
func (b *nearby) loss(rows []int, equal [][2]int) (loss float64) {
	sums := make([]float64, b.width)
	for at, i := range rows {
		count := b.sum(sums, equal[at][0], equal[at][1])
		b.goal.add(sums, i, -1)
		if l := b.goal.target.Labels; l != nil {
			loss -= b.smooth(sums, l[i], count-1)
		} else {
			e := b.smooth(sums, 0, count-1) - b.goal.target.Values[i]
			loss += e * e
		}
	}
	return loss
}

// add adds what example i says, its number or 1 for its class, times weight.
func (g *goal) add(to []float64, i int, weight float64) {
	if l := g.target.Labels; l != nil {
		to[l[i]] += weight
	} else {
		to[0] += weight * g.target.Values[i]
	}
}

// say overwrites dst with what the k nearest say of an example with that y: log-probabilities, or a
// mean. Examples of equal y are taken together.
func (b *nearby) say(dst []float64, y float64) {
	lo, hi := b.equal(y)
	count := b.sum(dst, lo, hi)
	for k := range dst {
		dst[k] = b.smooth(dst, k, count)
	}
}

// equal returns the places lo ≤ k < hi in b.y of those that are equal to y.
func (b *nearby) equal(y float64) (lo, hi int) {
	lo = sort.SearchFloat64s(b.y, y)
	hi = lo + sort.Search(len(b.y)-lo, func(k int) bool { return b.y[lo+k] > y })
	return lo, hi
}

// sum overwrites dst with what the k examples nearest to those in lo ≤ k < hi add, and returns how many they are.
func (b *nearby) sum(dst []float64, lo, hi int) (count float64) {
	middle := (lo + hi) / 2
	from, to := max(0, min(lo, middle-b.k/2)), min(len(b.y), max(hi, middle+b.k/2))
	for k := range dst {
		dst[k] = b.sums[to*b.width+k] - b.sums[from*b.width+k]
	}
	return float64(to - from)
}

// smooth returns the k-th log-probability, or the mean, that sums over so many examples give.
func (b *nearby) smooth(sums []float64, k int, count float64) float64 {
	v := (sums[k] + b.prior*b.all[k]) / (count + b.prior)
	if b.goal.target.Labels != nil {
		v = math.Log(max(v, probabilityFloor))
	}
	return v
}
