package classify

import (
	"context"
	"math"
	"sync"
)

// contest finds out which k guesses rows best from the others.
type contest struct {
	*knnModel
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
	rooms := sync.Pool{New: func() any { return new(jury) }}
	err := c.points.search(ctx, q, c.ks[0]+1, func(query int, found []candidate) {
		room := rooms.Get().(*jury)
		c.judge(errors[query*len(c.votes)*len(c.ks):], room, c.rows[query], found)
		rooms.Put(room)
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

// jury holds the buffers for judging a row.
type jury struct {
	poll
	guess []float64
}

// judge sets the errors, [targets, ks], of guessing a row by the others.
func (c *contest) judge(errors []float64, room *jury, row int, found []candidate) {
	self := int(c.of[row])
	for i, k := range c.ks {
		near, end, share := c.points.closest(found, k, self)
		found = found[:end]
		own := 0. // the weight with which the row itself is among them
		if holds(found[:near], self) {
			own = 1
		} else if holds(found[near:], self) {
			own = share
		}
		weight := min(float64(k), float64(c.points.rows(found, self)))
		for t, v := range c.votes {
			room.guess = append(room.guess[:0], v.prior...)
			v.guess(room.guess, &room.poll, found[:near], found[near:], share, weight+own)
			errors[t*len(c.ks)+i] = v.judge(room.guess, c.targets[t], row, weight, own)
		}
	}
}

// judge returns the error of a guess of the row, the Brier score or the squared error,
// after the row itself, counted with weight own beside weight others, is taken out.
func (v *votes) judge(guess []float64, t Target, row int, weight, own float64) (sum float64) {
	for i, g := range guess {
		truth := v.truth(t, row, i)
		g = (g*(weight+own+1) - own*truth) / (weight + 1)
		sum += (g - truth) * (g - truth)
	}
	return sum
}

// truth returns what a sure guess of score i of a row would be.
func (v *votes) truth(t Target, row, i int) float64 {
	switch {
	case t.Labels == nil:
		return (t.Values[row] - v.standard.mean) / v.standard.deviation
	case v.present[i] == t.Labels[row]:
		return 1
	}
	return 0
}
