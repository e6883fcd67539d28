package classify

import (
	"math"
	"slices"
)

// slopes are the loss's first derivative, negative, and its second, at the scores of the
// rows that a Lookup is fitted on. Of two classes there is one score: the log-odds of the
// second. Rows of one class whose scores are equal share their slopes.
type slopes struct {
	columns  []codeColumn
	at       []int     // the rows in the table
	labels   []int32   // of classes, among those that are present
	values   []float64 // of numbers, standardised
	k        int       // scores of a row
	of       []int32   // [n], the slopes that each row has
	label    []int32   // of each slopes, of classes
	scores   []float64 // [slopes, k]
	residual []float64 // [slopes, k]
	curve    []float64 // [slopes, k]
	alike    [][]int32 // of each slopes its rows in the table
	rows     []int32   // room: how many rows each value and slopes have
}

// newLookups returns a model that guesses by the classes' shares, or the mean, and its
// slopes.
func newLookups(t Target, rows Rows) (*lookups, *slopes) {
	m, s := &lookups{base: []float64{0}}, &slopes{columns: rows.codes(), at: rows.at}
	m.response, s.labels, s.values = newResponse(t)
	if t.Labels != nil {
		m.base = logShares(m.shares(s.labels))
	}
	s.k = len(m.base)
	s.part(make([]int32, len(s.at)), m.base)
	return m, s
}

// part divides the rows that share slopes by a number of each, and adds its scores, [numbers, k], to theirs.
func (s *slopes) part(number []int32, steps []float64) {
	type group struct{ own, number int32 }
	next, old := map[group]int32{}, s.scores
	of, first := make([]int32, len(number)), s.of == nil
	s.scores, s.label = nil, nil
	for i, v := range number {
		g := group{int32(i), v}
		switch {
		case !first:
			g.own = s.of[i]
		case s.labels != nil:
			g.own = s.labels[i]
		}
		at, seen := next[g]
		if !seen {
			at = int32(len(next))
			next[g] = at
			for q := range s.k {
				z := steps[int(v)*s.k+q]
				if !first {
					z += old[int(g.own)*s.k+q]
				}
				s.scores = append(s.scores, z)
			}
			if s.labels != nil {
				s.label = append(s.label, s.labels[i])
			}
		}
		of[i] = at
	}
	s.of, s.alike = of, make([][]int32, len(next))
	sizes, room := make([]int, len(next)), make([]int32, len(of))
	for _, own := range of {
		sizes[own]++
	}
	for own, n := range sizes {
		s.alike[own], room = room[:0:n], room[n:]
	}
	for i, own := range of {
		s.alike[own] = append(s.alike[own], int32(s.at[i]))
	}
	for _, rows := range s.alike {
		slices.Sort(rows) // in the order of a column in memory
	}
	s.residual, s.curve = make([]float64, len(s.scores)), make([]float64, len(s.scores))
	s.update()
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
		for i, l := range s.label {
			p := sigmoid(s.scores[i])
			s.residual[i], s.curve[i] = float64(l)-p, p*(1-p)
		}
	default:
		for i, l := range s.label {
			residual, curve := s.residual[i*s.k:][:s.k], s.curve[i*s.k:][:s.k]
			copy(curve, s.scores[i*s.k:])
			softmax(curve)
			for c, p := range curve {
				residual[c], curve[c] = -p, p*(1-p)
			}
			residual[l]++
		}
	}
}

// cell holds the sums over the rows of a value: of the residuals, of their squares, of the curvatures and of 1.
type cell struct{ sum, square, curve, rows float64 }

// add adds n rows with these slopes.
func (c *cell) add(residual, curve, n float64) {
	c.sum += n * residual
	c.square += n * residual * residual
	c.curve += n * curve
	c.rows += n
}

// cells are those of a column, [values, k].
type cells []cell

// countedMost is the most counts of values and slopes for each row: with more, rows are added one by one.
const countedMost = 2

// count sums over the rows of each value of a column, in c or a longer one. A value of a single row counts as not known.
func (s *slopes) count(column *codeColumn, c cells) cells {
	values, kinds := len(column.values)+1, len(s.scores)/s.k
	c = zeros(c, values*s.k)
	switch {
	case values*kinds > countedMost*len(s.at):
		for i, at := range s.at {
			s.addTo(c[int(column.number(at))*s.k:], int(s.of[i]), 1)
		}
	case column.small != nil:
		var even, odd [math.MaxUint8 + 1]int32 // rows in turn: an addition does not wait for the last one
		for i, rows := range s.alike {
			clear(even[:values])
			clear(odd[:values])
			for ; len(rows) > 1; rows = rows[2:] {
				even[column.small[rows[0]]]++
				odd[column.small[rows[1]]]++
			}
			for _, at := range rows {
				even[column.small[at]]++
			}
			for v, n := range even[:values] {
				if n += odd[v]; n > 0 {
					s.addTo(c[v*s.k:], i, int(n))
				}
			}
		}
	default:
		s.rows = zeros(s.rows, values*kinds)
		for i, at := range s.at {
			s.rows[int(column.large[at])*kinds+int(s.of[i])]++
		}
		for at, n := range s.rows {
			if n > 0 {
				s.addTo(c[at/kinds*s.k:], at%kinds, int(n))
			}
		}
	}
	for v := 1; v < values; v++ {
		if own := c[v*s.k:][:s.k]; own[0].rows == 1 {
			for q, x := range own {
				all := &c[q]
				all.sum, all.square, all.curve, all.rows = all.sum+x.sum, all.square+x.square, all.curve+x.curve, all.rows+1
			}
			clear(own)
		}
	}
	return c
}

// addTo adds n rows with slopes number i to the cells of a value.
func (s *slopes) addTo(c cells, i, n int) {
	for q := range s.k {
		c[q].add(s.residual[i*s.k+q], s.curve[i*s.k+q], float64(n))
	}
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
func (m *lookups) extend(s *slopes) bool {
	best, most := -1, 0.
	if len(m.tables) > 0 {
		most = math.Log(float64(len(s.columns))) + lookupExtra
	}
	var room cells
	for j := range s.columns {
		if s.columns[j].again {
			continue
		}
		room = s.count(&s.columns[j], room)
		if g := room.gain(s.k); g > most {
			best, most = j, g
		}
	}
	if best < 0 {
		return false
	}
	m.add(best, s, s.count(&s.columns[best], room))
	return true
}

// add takes the table of column j into the model and the scores.
func (m *lookups) add(j int, s *slopes, sums cells) {
	column := &s.columns[j]
	t := table{column: j, values: map[uint32]int32{}, steps: make([]float64, len(sums))}
	for at, x := range sums {
		step := share(s.k) * x.sum / (x.curve + lookupPrior)
		t.steps[at] = min(max(step, -lookupStep), lookupStep)
	}
	for k, v := range column.values {
		if sums[(k+1)*s.k].rows > 0 {
			t.values[math.Float32bits(v)] = int32(k + 1)
		}
	}
	m.tables = append(m.tables, t)
	number := make([]int32, len(s.at))
	for i, at := range s.at {
		if v := column.number(at); sums[int(v)*s.k].rows > 0 {
			number[i] = v
		}
	}
	s.part(number, t.steps)
}
