package release

import (
	"fmt"
	"math"
	"slices"
	"sync"
)

// Scorer implements Task.
func (t *Neighbours) Scorer(n, width int) Scorer {
	return &neighbourScorer{scoreSums: newScoreSums(n), task: t, width: width}
}

// neighbourScorer collects scores.
type neighbourScorer struct {
	scoreSums
	task  *Neighbours
	width int

	mu        sync.Mutex
	genuine   []pairOf  // of verification
	impostors []float32 // of verification: how near other people are
}

// pairOf is how near a query is to another vector of the same person.
type pairOf struct {
	query int
	near  float32
}

// mostImpostors is the most pairs of different people that are kept of a draw; of more, some are, evenly.
const mostImpostors = 1 << 22

// Add implements Scorer.
func (s *neighbourScorer) Add(first int, outputs []float32) error {
	t, w := s.task, s.width
	if w != t.of.Width {
		return fmt.Errorf("outputs of %d numbers, and the database has vectors of %d", w, t.of.Width)
	}
	queries := slices.Clone(outputs)
	for i := 0; i < len(queries); i += w {
		row := queries[i : i+w]
		if slices.ContainsFunc(row, func(v float32) bool { return !finite(v) }) {
			return fmt.Errorf("example %d: its vector is not finite: look for bad values in the data and the model", first+i/w)
		}
		if t.centered(row); t.mean == nil && !toUnit(row) {
			return &VectorError{t.queries[first+i/w], errNoCosine}
		}
		s.draws[first+i/w]++
	}
	if t.task == taskProbe {
		return t.guess(first, queries, s.sum)
	}
	t.each(first, queries, func(i int, near []float32) { s.sum[i] += s.score(i, near) })
	return nil
}

// score returns the score of a query; verification only notes the pairs.
func (s *neighbourScorer) score(i int, near []float32) float64 {
	t := s.task
	switch t.task {
	case taskRecall:
		found := 0
		for _, j := range nearestRows(near, t.k) {
			if slices.Contains(t.wanted[i], j) {
				found++
			}
		}
		return float64(found) / float64(min(t.k, len(t.wanted[i])))
	case taskTarget:
		votes := map[int]int{}
		best, most := -1, 0
		for _, j := range nearestRows(near, t.k) { // of classes with as many votes, the one whose last is nearest
			if math.IsInf(float64(near[j]), -1) {
				break // of the same person
			}
			y := t.of.Labels[j]
			if votes[y]++; votes[y] > most {
				best, most = y, votes[y]
			}
		}
		if best == t.of.Labels[t.queries[i]] {
			return 1
		}
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range t.wanted[i] {
		s.genuine = append(s.genuine, pairOf{i, near[j]})
		near[j] = float32(math.Inf(-1))
	}
	step := (len(t.queries)*len(near)-1)/mostImpostors + 1
	for j := i % step; j < len(near); j += step {
		other := t.of.People == nil || t.of.People[j] != t.of.People[t.queries[i]]
		if other && j != t.queries[i] {
			s.impostors = append(s.impostors, near[j])
		}
	}
	return 0
}

// Scores implements Scorer. Verification accepts a pair that is nearer than the given share of pairs of different people: the
// threshold is that of the vectors that are compared.
func (s *neighbourScorer) Scores() []float64 {
	if s.task.task == taskVerification {
		slices.Sort(s.impostors)
		n := len(s.impostors)
		threshold := float32(math.Inf(-1))
		if n > 0 {
			threshold = s.impostors[n-1-min(int(s.task.accepts*float64(n)), n-1)]
		}
		clear(s.sum)
		for _, p := range s.genuine {
			if p.near > threshold {
				s.sum[p.query] += 1 / float64(len(s.task.wanted[p.query]))
			}
		}
	}
	return s.scoreSums.Scores()
}
