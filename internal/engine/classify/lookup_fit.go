package classify

import (
	"math"
	"slices"
)

// slopes are the loss's first derivative, negative, and its second, at the scores of the
// rows that a Lookup is fitted on. Of two classes there is one score: the log-odds of the
// second.
type slopes struct {
	labels   []int32   // of classes, among those that are present
	values   []float64 // of numbers, standardised
	k        int       // scores of a row
	scores   []float64 // [n, k]
	residual []float64 // [n, k]
	curve    []float64 // [n, k]
}

// newLookups returns a model that guesses by the classes' shares, or the mean, and its
// slopes.
func newLookups(t Target) (*lookups, *slopes) {
	m, s := &lookups{base: []float64{0}}, &slopes{}
	m.response, s.labels, s.values = newResponse(t)
	if t.Labels != nil {
		m.base = logShares(m.shares(s.labels))
	}
	s.k = len(m.base)
	n := max(len(s.labels), len(s.values))
	s.scores = make([]float64, n*s.k)
	for i := range n {
		copy(s.scores[i*s.k:], m.base)
	}
	s.residual, s.curve = make([]float64, n*s.k), make([]float64, n*s.k)
	s.update()
	return m, s
}

// logShares returns the scores of shares.
func logShares(shares []float64) []float64 {
	if len(shares) == 2 {
		return []float64{math.Log(shares[1] / shares[0])}
	}
	base := make([]float64, len(shares))
	for c, p := range shares {
		base[c] = math.Log(p)
	}
	return base
}

// update computes the slopes from the scores. Those of numbers are in units of what is
// left of their variance.
func (s *slopes) update() {
	switch {
	case s.values != nil:
		sum := 0.
		for i, v := range s.values {
			s.residual[i] = v - s.scores[i]
			sum += s.residual[i] * s.residual[i]
		}
		if sum > 0 {
			unit := float64(len(s.values)) / sum
			for i := range s.residual {
				s.residual[i] *= unit
				s.curve[i] = unit
			}
		}
	case s.k == 1:
		for i, l := range s.labels {
			p := sigmoid(s.scores[i])
			s.residual[i], s.curve[i] = float64(l)-p, p*(1-p)
		}
	default:
		for i, l := range s.labels {
			s.row(s.scores[i*s.k:(i+1)*s.k], i, int(l))
		}
	}
}

// row computes the slopes of one row of three classes or more.
func (s *slopes) row(scores []float64, i, label int) {
	top, sum := scores[0], 0.
	for _, v := range scores {
		top = max(top, v)
	}
	for _, v := range scores {
		sum += math.Exp(v - top)
	}
	for c, v := range scores {
		p := math.Exp(v-top) / sum
		s.residual[i*s.k+c], s.curve[i*s.k+c] = -p, p*(1-p)
	}
	s.residual[i*s.k+label]++
}

// cell holds the sums over the rows of a value: of the residuals, of their squares, of the curvatures and of 1.
type cell struct{ sum, square, curve, rows float64 }

// cells are those of a column, [values, k].
type cells []cell

// count sums over the rows of each value, in c or a longer one.
func (s *slopes) count(codes []int32, values int, c cells) cells {
	c = zeros(c, values*s.k)
	for i, v := range codes {
		own, residual, curve := c[int(v)*s.k:][:s.k], s.residual[i*s.k:][:s.k], s.curve[i*s.k:][:s.k]
		for j, r := range residual {
			at := &own[j]
			at.sum += r
			at.square += r * r
			at.curve += curve[j]
			at.rows++
		}
	}
	return c
}

// zeros returns s, or a longer one, with n zeros.
func zeros[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// share is what of a Newton step of one of k scores, whose curvatures alone are known,
// is taken: (k − 1)/k of several (Friedman, 2001), all of one.
func share(k int) float64 {
	if k == 1 {
		return 1
	}
	return float64(k-1) / float64(k)
}

// gain returns by how much, in nats, the table of these cells lowers the loss, to second
// order, of rows each of which was left out of its cell's sums G = Σr:
//
//	Σ_i r_i(G − r_i)/D − Σ_i h_i(G − r_i)²/2D²,  D = Σh + prior,
//
// where the second sum takes the curvatures h of a cell for equal.
func (c cells) gain(k int) float64 {
	total := 0.
	for _, x := range c {
		g, d, n := x.sum, x.curve+lookupPrior, x.rows
		if n == 0 {
			continue
		}
		total += (g*g-x.square)/d - x.curve*(g*g*max(0, 1-2/n)+x.square/n)/(2*d*d)
	}
	return share(k) * total
}

// extend adds the best table and reports whether there was one worth it: the first must
// gain anything, the others more than chance lets the best of so many columns gain.
func (m *lookups) extend(c *codes, s *slopes) bool {
	best, most := -1, 0.
	if len(m.tables) > 0 {
		most = math.Log(float64(c.d)) + lookupExtra
	}
	var room cells
	for j := range c.d {
		room = s.count(c.of[j], len(c.values[j])+1, room)
		if g := room.gain(s.k); g > most {
			best, most = j, g
		}
	}
	if best < 0 {
		return false
	}
	m.add(best, c, s, s.count(c.of[best], len(c.values[best])+1, room))
	return true
}

// add takes the table of column j into the model and the scores.
func (m *lookups) add(j int, c *codes, s *slopes, sums cells) {
	t := table{column: j, values: c.values[j], steps: make([]float64, len(sums))}
	for at, x := range sums {
		step := share(s.k) * x.sum / (x.curve + lookupPrior)
		t.steps[at] = min(max(step, -lookupStep), lookupStep)
	}
	m.tables = append(m.tables, t)
	for i, v := range c.of[j] {
		for q := range s.k {
			s.scores[i*s.k+q] += t.steps[int(v)*s.k+q]
		}
	}
	s.update()
}
