package nn

import "sync"

// The tiles of all convolutions, which take turns.
var (
	tiles32 spares[float32]
	tiles64 spares[float64]
)

// sharedTiles returns the tiles of that precision.
func sharedTiles[T Float]() *spares[T] {
	if is64[T]() {
		return any(&tiles64).(*spares[T])
	}
	return any(&tiles32).(*spares[T])
}

// spares keeps buffers that the cores borrow while they share a product.
type spares[T Float] struct {
	mu   sync.Mutex
	free [][]T
}

// borrow returns a buffer of that length with arbitrary values.
func (s *spares[T]) borrow(size int) []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.free) == 0 {
		return make([]T, size)
	}
	best := 0 // the smallest that is large enough; else the largest, which is replaced
	for i, b := range s.free {
		fits, smaller := cap(s.free[best]) >= size, cap(b) < cap(s.free[best])
		if cap(b) >= size && (smaller || !fits) || !fits && !smaller {
			best = i
		}
	}
	b, last := s.free[best], len(s.free)-1
	s.free[best], s.free[last] = s.free[last], nil
	if s.free = s.free[:last]; cap(b) < size {
		b = make([]T, size)
	}
	return b[:size]
}

func (s *spares[T]) giveBack(buffers ...[]T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, buffers...)
}
