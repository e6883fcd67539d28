package classify

import (
	"context"
	"math"
	"slices"
)

// contest finds out which k guesses rows best from the others.
type contest struct {
	*crowd
	ranked  []float32 // of the points
	of      []int32   // the point of each row
	targets []Target
	ks      []int // descending
	rows    []int // that are guessed
}

// decide sets each target's k, the largest of equally good ones.
func (c *contest) decide(ctx context.Context) error {
	d := c.narrow.width
	q := make([]float32, len(c.rows)*d)
	for i, row := range c.rows {
		copy(q[i*d:(i+1)*d], c.ranked[int(c.of[row])*d:])
	}
	errors := make([]float64, len(c.rows)*len(c.votes)*len(c.ks))
	err := c.points.search(ctx, q, c.ks[0]+1, func(query int, found *nearest) {
		c.judge(errors[query*len(c.votes)*len(c.ks):], c.rows[query], found.found)
	})
	for t, v := range c.votes {
		v.k = c.best(errors, t)
	}
	return err
}

// best returns the k with the least sum of errors [rows, targets, ks].
func (c *contest) best(errors []float64, t int) int {
	best, least := 0, math.Inf(1)
	for i := range c.ks {
		var sum float64
		for row := range c.rows {
			sum += errors[(row*len(c.votes)+t)*len(c.ks)+i]
		}
		if sum < least {
			best, least = i, sum
		}
	}
	return c.ks[best]
}

// judge sets the errors, [targets, ks], of guessing a row by the others.
func (c *contest) judge(errors []float64, row int, found []candidate) {
	self := int(c.of[row])
	for i, k := range c.ks {
		near, edge, share := c.points.closest(found, k, self)
		own := 0.
		if holds(near, self) {
			own = 1
		} else if holds(edge, self) {
			own = share
		}
		for t, v := range c.votes {
			errors[t*len(c.ks)+i] = v.judge(c.targets[t], row, c.points.weights, near, edge, share, own)
		}
	}
}

// holds tells whether a point is among the candidates.
func holds(c []candidate, at int) bool {
	return slices.ContainsFunc(c, func(f candidate) bool { return int(f.at) == at })
}

// judge returns the error of a guess of the row, which itself counts among near and edge
// with weight own and is taken out: the Brier score, or the squared error.
func (v *votes) judge(t Target, row int, weights []float64, near, edge []candidate, share, own float64) (sum float64) {
	guess, truth := make([]float64, v.width), make([]float64, v.width)
	weight := v.guess(guess, weights, near, edge, share)
	if t.Labels == nil {
		truth[0] = (t.Values[row] - v.standard.mean) / v.standard.deviation
	} else {
		for c, l := range v.classes.present {
			if l == t.Labels[row] {
				truth[c] = 1
			}
		}
	}
	for i, g := range guess {
		g = (g*(weight+1) - own*truth[i]) / (weight + 1 - own)
		sum += (g - truth[i]) * (g - truth[i])
	}
	return sum
}
