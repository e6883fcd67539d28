package simd

import (
	"sync"
	"unsafe"
)

// work is what one product needs beyond its operands; it is kept and reused.
type work[T Float] struct {
	left, out   matrix[T]
	alpha, beta T
	right       *Packed[T]
	own         Packed[T] // right, where the caller has none packed

	rowPanels int // row panels of a task
	colPanels int // column panels of a task
	groups    int // tasks beside one another in a row of tasks
	run       func(lo, hi int)
}

// scratch is what one core needs: packed rows of A and one tile of C.
type scratch[T Float] struct {
	a    []T
	tile [6 * 16]T
}

// shelf keeps work and scratch between calls: at most one of each per goroutine
// that ever multiplied at the same time.
type shelf[T Float] struct {
	mu      sync.Mutex
	works   []*work[T]
	scratch []*scratch[T]
}

var (
	shelf32 shelf[float32]
	shelf64 shelf[float64]
)

func shelfOf[T Float]() *shelf[T] {
	var z T
	if unsafe.Sizeof(z) == 4 {
		return (*shelf[T])(unsafe.Pointer(&shelf32))
	}
	return (*shelf[T])(unsafe.Pointer(&shelf64))
}

func pop[E any](mu *sync.Mutex, stack *[]*E) *E {
	mu.Lock()
	defer mu.Unlock()
	if n := len(*stack); n > 0 {
		e := (*stack)[n-1]
		*stack = (*stack)[:n-1]
		return e
	}
	return new(E)
}

func push[E any](mu *sync.Mutex, stack *[]*E, e *E) {
	mu.Lock()
	*stack = append(*stack, e)
	mu.Unlock()
}

func workFor[T Float]() *work[T] {
	s := shelfOf[T]()
	w := pop(&s.mu, &s.works)
	if w.run == nil {
		w.run = w.tasks
	}
	return w
}

func (w *work[T]) release() {
	w.left.data, w.out.data, w.right = nil, nil, nil
	s := shelfOf[T]()
	push(&s.mu, &s.works, w)
}

// multiply computes out = alpha left right + beta out, packing parts of right
// that fit the cache.
func (w *work[T]) multiply(left, right, out matrix[T], alpha, beta T) {
	k, n, nr := right.rows, right.cols, lanes[T]()
	kc := kBlock(k)
	span := min(k, kSpan/kc*kc)
	cols := max(rightMax/span/nr*nr, nr)
	for k0 := 0; k0 < k; k0 += span {
		for j0 := 0; j0 < n; j0 += cols {
			part := right.from(k0, j0)
			part.rows, part.cols = min(span, part.rows), min(cols, part.cols)
			w.own.set(part, kc)
			l := left.from(0, k0)
			l.cols = part.rows
			w.multiplyPacked(l, &w.own, out.from(0, j0), alpha, beta)
		}
		beta = 1
	}
}

// multiplyPacked computes out = alpha left right + beta out.
func (w *work[T]) multiplyPacked(left matrix[T], right *Packed[T], out matrix[T], alpha, beta T) {
	w.left, w.right, w.out, w.alpha, w.beta = left, right, out, alpha, beta
	w.out.cols = right.n
	rows, cols := (left.rows+mr-1)/mr, right.panels()
	w.rowPanels, w.colPanels = min(16, rows), cols
	w.groups = 1
	blocks := (rows + w.rowPanels - 1) / w.rowPanels
	for blocks*w.groups < 8 && w.colPanels > 4 {
		w.colPanels = (w.colPanels + 1) / 2
		w.groups = (cols + w.colPanels - 1) / w.colPanels
	}
	Parallel(blocks*w.groups, 1, w.run)
}

// tasks computes the tasks lo to hi.
func (w *work[T]) tasks(lo, hi int) {
	shelf := shelfOf[T]()
	s := pop(&shelf.mu, &shelf.scratch)
	for t := lo; t < hi; t++ {
		j0 := t % w.groups * w.colPanels
		w.block(s, t/w.groups*w.rowPanels*mr, j0, min(j0+w.colPanels, w.right.panels()))
	}
	push(&shelf.mu, &shelf.scratch, s)
}

// block computes the rows of C from i0 that belong to one task, in the column
// panels j0 to j1.
func (w *work[T]) block(s *scratch[T], i0, j0, j1 int) {
	rows := min(w.rowPanels*mr, w.left.rows-i0)
	panels := (rows + mr - 1) / mr
	nr, beta := lanes[T](), w.beta
	for k0 := 0; k0 < w.right.k; k0 += w.right.kc {
		kc := min(w.right.kc, w.right.k-k0)
		s.a = grow(s.a, panels*mr*kc)
		for i := range panels {
			packPanel(s.a[i*mr*kc:], mr, kc, w.left.from(i0+i*mr, k0))
		}
		a := matrix[T]{s.a, mr, kc, 1, mr}
		for j := j0; j < j1; j++ {
			b := w.right.panel(k0, kc, j)
			whole := rows / mr
			if w.out.cs != 1 || w.out.cols-j*nr < nr {
				whole = 0
			}
			if whole > 0 {
				tiles(whole, kc, w.alpha, a, mr*kc, b, nr, beta, w.out.from(i0, j*nr).data, w.out.rs)
			}
			for i := whole; i < panels; i++ {
				tiles(1, kc, w.alpha, a.from(0, i*kc), 0, b, nr, 0, s.tile[:], nr)
				w.merge(s.tile[:], w.out.from(i0+i*mr, j*nr), beta)
			}
		}
		beta = 1
	}
}

// merge computes C = tile + beta C for the part of the tile that C has.
func (w *work[T]) merge(tile []T, c matrix[T], beta T) {
	nr := lanes[T]()
	rows, cols := min(mr, c.rows), min(nr, c.cols)
	for i := range rows {
		t := tile[i*nr:][:cols]
		for j, v := range t {
			at := &c.data[i*c.rs+j*c.cs]
			switch beta {
			case 0:
				*at = v
			case 1:
				*at += v
			default:
				*at = T(beta**at) + v
			}
		}
	}
}
