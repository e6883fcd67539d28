package nn

import "sync"

// spares keeps buffers that the cores borrow while they share a product.
type spares[T Float] struct {
	mu   sync.Mutex
	free [][]T
}

// borrow returns a buffer of that length with arbitrary values.
func (s *spares[T]) borrow(size int) []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, b := range s.free {
		if cap(b) >= size {
			last := len(s.free) - 1
			s.free[i] = s.free[last]
			s.free = s.free[:last]
			return b[:size]
		}
	}
	return make([]T, size)
}

func (s *spares[T]) giveBack(buffers ...[]T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, buffers...)
}

// pool keeps what the cores borrow one of each, made when there is none.
type pool[E any] struct {
	mu   sync.Mutex
	free []*E
}

func (p *pool[E]) borrow() *E {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.free) - 1
	if last < 0 {
		return new(E)
	}
	e := p.free[last]
	p.free = p.free[:last]
	return e
}

func (p *pool[E]) giveBack(e *E) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, e)
}
