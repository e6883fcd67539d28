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

	rowPanels int  // row panels of a task
	colPanels int  // column panels of a task
	groups    int  // tasks beside one another in a row of tasks
	direct    bool // read rows of A as they lie
	run       func(lo, hi int)
}

// scratch is what one core needs beside.
type scratch[T Float] struct {
	a    []T       // packed rows of A
	c    []T       // a task's part of C, where C is transposed
	tile [6 * 16]T // one at the edge of C
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
	cols := max(rightMax*nr/64/span/nr*nr, nr)
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
	w.plan()
	blocks := (left.rows + w.rowPanels*mr - 1) / (w.rowPanels * mr)
	grain := 1
	if 2*left.rows*right.n*right.k < inlineMax {
		grain = blocks * w.groups
	}
	Parallel(blocks*w.groups, grain, w.run)
}

// plan cuts C into tasks.
func (w *work[T]) plan() {
	rows, cols := (w.left.rows+mr-1)/mr, w.right.panels()
	most := rowPanelsMax
	w.colPanels = cols
	if w.out.cs != 1 { // a task's part of C is summed up beside
		most, w.colPanels = turnedMax, min(cols, turnedMax)
	}
	blocks := (rows + most - 1) / most
	w.rowPanels = (rows + blocks - 1) / blocks
	w.groups = (cols + w.colPanels - 1) / w.colPanels
	for blocks*w.groups < tasksMin && w.colPanels >= 16 {
		w.colPanels = (w.colPanels + 1) / 2
		w.groups = (cols + w.colPanels - 1) / w.colPanels
	}
	for blocks*w.groups < tasksMin && w.rowPanels >= 16 {
		w.rowPanels = (w.rowPanels + 1) / 2
		blocks = (rows + w.rowPanels - 1) / w.rowPanels
	}
	w.direct = w.left.rs != 1 && w.colPanels <= directMax
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
	nr := lanes[T]()
	rows, cols := min(w.rowPanels*mr, w.left.rows-i0), min((j1-j0)*nr, w.out.cols-j0*nr)
	out := w.out.from(i0, j0*nr)
	out.rows, out.cols = rows, cols
	if out.cs == 1 {
		w.sum(s, out, i0, j0, w.beta)
		return
	}
	// Transposed: sum up beside, in whole tiles, and turn the result.
	panels := (rows + mr - 1) / mr
	s.c = grow(s.c, panels*mr*(j1-j0)*nr)
	beside := matrix[T]{s.c, panels * mr, (j1 - j0) * nr, (j1 - j0) * nr, 1}
	if w.beta != 0 {
		for j := range cols {
			for i, v := range out.data[j*out.cs:][:rows] {
				beside.data[i*beside.rs+j] = w.beta * v
			}
		}
		w.sum(s, beside, i0, j0, 1)
	} else {
		w.sum(s, beside, i0, j0, 0)
	}
	for j := range cols {
		line := out.data[j*out.cs:][:rows]
		for i := range line {
			line[i] = beside.data[i*beside.rs+j]
		}
	}
}

// sum computes out = alpha A B + beta out for the rows of A from i0 and the
// columns of B from panel j0; out is row-major.
func (w *work[T]) sum(s *scratch[T], out matrix[T], i0, j0 int, beta T) {
	panels := (min(out.rows, w.left.rows-i0) + mr - 1) / mr
	for k0 := 0; k0 < w.right.k; k0 += w.right.kc {
		kc := min(w.right.kc, w.right.k-k0)
		b := w.right.from(k0, kc, j0)
		direct := 0 // row panels read as they lie
		if w.direct {
			direct = min(out.rows, w.left.rows-i0) / mr
			a := w.left.from(i0, k0)
			w.sweep(s, a, mr*a.rs, direct, kc, b, out, beta)
		}
		if direct < panels {
			s.a = grow(s.a, (panels-direct)*mr*kc)
			pack(s.a, mr, panels-direct, kc, w.left.from(i0+direct*mr, k0))
			w.sweep(s, matrix[T]{s.a, mr, kc, 1, mr}, mr*kc, panels-direct, kc, b, out.from(direct*mr, 0), beta)
		}
		beta = 1
	}
}

// sweep adds kc terms to all tiles of out: n row panels of A, aStep apart,
// against panels of B that follow one another.
func (w *work[T]) sweep(s *scratch[T], a matrix[T], aStep, n, kc int, b []T, out matrix[T], beta T) {
	nr := lanes[T]()
	rows, cols := min(n, out.rows/mr), out.cols/nr // whole tiles
	if kc <= rowwiseMax {
		for i := range rows {
			if cols > 0 {
				x := a
				x.data = a.data[i*aStep:]
				tiles(cols, kc, w.alpha, x, 0, b, nr, kc*nr, beta, out.data[i*mr*out.rs:], out.rs, nr)
			}
		}
	} else if rows > 0 {
		for j := range cols {
			tiles(rows, kc, w.alpha, a, aStep, b[j*kc*nr:], nr, 0, beta, out.data[j*nr:], out.rs, mr*out.rs)
		}
	}
	for j := range (out.cols + nr - 1) / nr {
		for i := range n {
			if i < rows && j < cols {
				continue
			}
			x := a
			x.data = a.data[i*aStep:]
			tiles(1, kc, w.alpha, x, 0, b[j*kc*nr:], nr, 0, 0, s.tile[:], nr, 0)
			merge(s.tile[:], out.from(i*mr, j*nr), beta)
		}
	}
}

// merge computes C = tile + beta C for the part of the tile that the row-major C
// has.
func merge[T Float](tile []T, c matrix[T], beta T) {
	nr := lanes[T]()
	rows, cols := min(mr, c.rows), min(nr, c.cols)
	for i := range rows {
		t, line := tile[i*nr:][:cols], c.data[i*c.rs:][:cols]
		switch beta {
		case 0:
			copy(line, t)
		case 1:
			for j, v := range t {
				line[j] += v
			}
		default:
			for j, v := range t {
				line[j] = T(beta*line[j]) + v
			}
		}
	}
}
