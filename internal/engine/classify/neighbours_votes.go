package classify

import "math"

// votes are what the points say of one target. Sums are of integers, exact and so in
// any order.
type votes struct {
	response
	labels []int32   // of the points, among those present, where each is one row
	sums   []int64   // else: [points, scores], rows of each class, or the sum of the numbers times voteScale
	unit   float64   // of sums
	prior  []float64 // shares of all rows, or 0
	k      int
}

// voteScale makes integers of standardised numbers. n of them are at most √n each, so
// that sums stay below 2⁶³ up to ten million rows.
const voteScale = 1 << 28

// newVotes counts the rows of each point; of holds the point of each row.
func newVotes(t Target, of []int32, p *points) *votes {
	r, labels, values := newResponse(t)
	if labels == nil {
		v := &votes{response: r, prior: []float64{0}, unit: 1. / voteScale, sums: make([]int64, p.n)}
		for i, z := range values {
			v.sums[of[i]] += int64(math.RoundToEven(z * voteScale))
		}
		return v
	}
	v := &votes{response: r, prior: r.shares(labels), unit: 1}
	if p.weights == nil {
		v.labels = make([]int32, p.n)
		for i, l := range labels {
			v.labels[of[i]] = l
		}
		return v
	}
	v.sums = make([]int64, p.n*v.scores())
	for i, l := range labels {
		v.sums[int(of[i])*v.scores()+int(l)]++
	}
	return v
}

// count adds what the candidates say to dst, [scores].
func (v *votes) count(dst []int64, c []candidate) {
	if v.labels != nil {
		for _, f := range c {
			dst[v.labels[f.at()]]++
		}
		return
	}
	for _, f := range c {
		for i, s := range v.sums[f.at()*v.scores():][:v.scores()] {
			dst[i] += s
		}
	}
}

// poll holds the buffers for counting votes.
type poll struct{ near, edge []int64 }

// guess overwrites dst, [scores], with the shares of the classes, or the mean, of weight
// rows: those near, and a share of those at edge. All rows together count as one more.
func (v *votes) guess(dst []float64, room *poll, near, edge []candidate, share, weight float64) {
	room.near, room.edge = zeros(room.near, v.scores()), zeros(room.edge, v.scores())
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

// show overwrites dst with the guess of each row's point.
func (v *votes) show(dst []float32, guesses []float64, of []int32) {
	k := v.scores()
	rows := make([]float32, 0, len(of)*k)
	for _, at := range of {
		for _, g := range guesses[int(at)*k:][:k] {
			rows = append(rows, float32(g))
		}
	}
	v.deliver(dst, rows)
}
