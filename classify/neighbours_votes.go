package classify

import "math"

// votes are what the points say of one target. Sums are of integers, exact and so in
// any order.
type votes struct {
	classes  classes
	standard standard  // of numbers
	width    int       // classes that are present, or 1
	labels   []int32   // of the points, among those present, where each is one row
	sums     []int64   // else: [points, width], rows of each class, or the sum of the numbers times voteScale
	unit     float64   // of sums
	prior    []float64 // shares of all rows, or 0
	k        int
}

// voteScale makes integers of standardised numbers. n of them are at most √n each, so
// that sums stay below 2⁶³ up to ten million rows.
const voteScale = 1 << 28

// newVotes counts the rows of each point; of holds the point of each row.
func newVotes(t Target, of []int32, p *points) *votes {
	if t.Labels == nil {
		return newSums(t, of, p.n)
	}
	c, labels := compact(t)
	v := &votes{classes: c, width: len(c.present), prior: c.shares(labels), unit: 1}
	if p.weights == nil {
		v.labels = make([]int32, p.n)
		for i, l := range labels {
			v.labels[of[i]] = l
		}
		return v
	}
	v.sums = make([]int64, p.n*v.width)
	for i, l := range labels {
		v.sums[int(of[i])*v.width+int(l)]++
	}
	return v
}

func newSums(t Target, of []int32, points int) *votes {
	v := &votes{standard: standardOf(t.Values), width: 1, prior: []float64{0}, unit: 1. / voteScale}
	v.sums = make([]int64, points)
	for i, z := range v.standard.scores(t.Values) {
		v.sums[of[i]] += int64(math.RoundToEven(z * voteScale))
	}
	return v
}

// count adds what the candidates say to dst, [width].
func (v *votes) count(dst []int64, c []candidate) {
	if v.labels != nil {
		for _, f := range c {
			dst[v.labels[f.at()]]++
		}
		return
	}
	for _, f := range c {
		for i, s := range v.sums[f.at()*v.width:][:v.width] {
			dst[i] += s
		}
	}
}

// poll holds the buffers for counting votes.
type poll struct{ near, edge []int64 }

// guess overwrites dst, [width], with the shares of the classes, or the mean, of weight
// rows: those near, and a share of those at edge. All rows together count as one more.
func (v *votes) guess(dst []float64, room *poll, near, edge []candidate, share, weight float64) {
	room.near, room.edge = zeros(room.near, v.width), zeros(room.edge, v.width)
	v.count(room.near, near)
	v.count(room.edge, edge)
	for i, p := range v.prior {
		sum := v.unit * (float64(room.near[i]) + share*float64(room.edge[i]))
		dst[i] = (sum + p) / (weight + 1)
	}
}

// zeros returns s, or a longer one, with n zeros.
func zeros[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// deliver overwrites dst with each row's guess.
func (v *votes) deliver(dst []float32, guesses []float64, of []int32) {
	rows := make([]float32, len(of)*v.width)
	for i, at := range of {
		for c, g := range guesses[int(at)*v.width:][:v.width] {
			rows[i*v.width+c] = float32(g)
		}
	}
	if v.classes.present != nil {
		v.classes.spread(dst, rows)
		return
	}
	for i, z := range rows {
		dst[i] = v.standard.back(float64(z))
	}
}
