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
// features would take memory together.
func (s *searcher) atOnce() int {
	if len(s.Nodes) > 1 {
		return 1
	}
	return min(placesAtOnce, runtime.GOMAXPROCS(0))
}

// running is what places that are searched at the same time share.
type running struct {
	shown  sync.Mutex
	places []int // that are searched now
	tell   func(phase string, done, total int)

	cutting sync.Mutex
	last    *cut // of the place before
}

// cutAt returns the cut at a node, which is kept for the next place. All places wait for it.
func (s *searcher) cutAt(ctx context.Context, node string) (*cut, error) {
	r := s.running
	r.cutting.Lock()
	defer r.cutting.Unlock()
	if r.last != nil && r.last.node == node {
		return r.last, nil
	}
	r.last = nil
	c, err := s.newCut(ctx, node, func(done, total int) { r.show(everyPlace, "computing the features of "+node, done, total) })
	if err == nil {
		r.last = c
	}
	return c, err
}

// everyPlace is progress of all places.
const everyPlace = -1

// show reports progress of a place if it is the first of those that are searched: one bar is shown.
func (r *running) show(place int, phase string, done, total int) {
	r.shown.Lock()
	defer r.shown.Unlock()
	if place == everyPlace || slices.Min(r.places) == place {
		r.tell(phase, done, total)
	}
}

// change adds a place, or removes it.
func (r *running) change(place int, more bool) {
	r.shown.Lock()
	defer r.shown.Unlock()
	if r.places = slices.DeleteFunc(r.places, func(p int) bool { return p == place }); more {
		r.places = append(r.places, place)
	}
}
