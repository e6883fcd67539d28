package audit

import "math"

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
	targets, width int
	y, label       []int
	cell           []float64 // [y, ŷ, width], log-probabilities, or one mean
	near           []float64 // [example, width], the same of a numeric y; nil for classes
}

// newJoint learns the table of goal g on the examples rows.
func newJoint(s *Sample, g *goal, label, rows []int) *joint {
	k := g.target.Width()
	j := &joint{targets: len(s.Classes), width: k, y: s.Y, label: label}
	if s.YNumbers != nil {
		near := newNearby(s.YNumbers, g, rows)
		j.near = make([]float64, s.Len()*k)
		for i, y := range s.YNumbers {
			near.say(j.near[i*k:][:k], y, -1)
		}
		return j
	}
	one := make([]float64, k)
	value := func(i int) []float64 { // what example i adds
		if g.target.Labels == nil {
			one[0] = g.target.Values[i]
			return one
		}
		clear(one)
		one[g.target.Labels[i]] = 1
		return one
	}
	all, ofY := newMeans(1, k), newMeans(j.targets, k)
	cells := newMeans(j.targets*j.targets, k)
	for _, i := range rows {
		v := value(i)
		all.add(0, v)
		ofY.add(s.Y[i], v)
		cells.add(j.at(i), v)
	}
	if g.target.Labels != nil {
		all.smooth(0, equalShares(k), float64(k)/2)
	}
	for y := range j.targets {
		ofY.smooth(y, all.of(0), jointPrior)
		for l := range j.targets {
			cells.smooth(y*j.targets+l, ofY.of(y), jointPrior)
		}
	}
	j.cell = cells.mean
	if g.target.Labels != nil {
		for i, p := range j.cell {
			j.cell[i] = math.Log(p)
		}
	}
	return j
}

// at returns the cell of example i.
func (j *joint) at(i int) int { return j.y[i]*j.targets + j.label[i] }

// of returns what the table says of example i.
func (j *joint) of(i int) []float64 {
	if j.near != nil {
		return j.near[i*j.width:][:j.width]
	}
	return j.cell[j.at(i)*j.width:][:j.width]
}

// groups returns how many groups of y have slopes of their own in a calibration: every y,
// or all together if there are more than ownMost.
func (j *joint) groups() int {
	if j.targets > ownMost {
		return 1
	}
	return j.targets
}

// group returns the group of example i's y.
func (j *joint) group(i int) int {
	if j.targets > ownMost {
		return 0
	}
	return j.y[i]
}

// equalShares returns equal shares of k classes.
func equalShares(k int) []float64 {
	p := make([]float64, k)
	for i := range p {
		p[i] = 1 / float64(k)
	}
	return p
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
