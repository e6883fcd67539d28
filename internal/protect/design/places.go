package design

import (
	"context"
	"runtime"
	"slices"
	"sync"
)

// placesAtOnce is how many places of one node are searched at a time. Much of a search uses one core,
// such as learning from small batches, and places of one node share its features.
const placesAtOnce = 2

// atOnce returns how many places are searched at a time: one if there are several nodes, whose
// features would take memory together, or if copies of the whole model are trained.
func (s *searcher) atOnce() int {
	if len(s.Nodes) > 1 || s.Finetune == FinetuneAll {
		return 1
	}
	return min(placesAtOnce, runtime.GOMAXPROCS(0))
}

// cuts keeps the cut of the last place that was computed here.
type cuts struct {
	mu   sync.Mutex
	last *cut
	tell func(phase string, done, total int) // whichever place needs the cut first, all wait for it
}

// cutAt returns the cut at a node, which is kept for the next place.
func (s *searcher) cutAt(ctx context.Context, node string) (*cut, error) {
	s.cuts.mu.Lock()
	defer s.cuts.mu.Unlock()
	if c := s.cuts.last; c != nil && c.node == node {
		return c, nil
	}
	s.cuts.last = nil
	progress := func(done, total int) { s.cuts.tell("computing the features of "+node, done, total) }
	c, err := s.newCut(ctx, node, s.validation(), progress)
	if err != nil {
		return nil, err
	}
	s.cuts.last = c
	return c, nil
}

// running are the places that are searched now. One progress bar is shown: that of the first.
// Progress functions are called by one goroutine at a time.
type running struct {
	mu     sync.Mutex
	places []int
	tell   func(phase string, done, total int)
}

// all reports progress of all places.
func (r *running) all(phase string, done, total int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tell(phase, done, total)
}

// begin adds a place. It returns the progress function of the place.
func (r *running) begin(place int) func(phase string, done, total int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.places = append(r.places, place)
	return func(phase string, done, total int) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if slices.Min(r.places) == place {
			r.tell(phase, done, total)
		}
	}
}

// end removes a place.
func (r *running) end(place int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.places = slices.DeleteFunc(r.places, func(p int) bool { return p == place })
}
