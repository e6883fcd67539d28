package simd

import (
	"sync"
	"unsafe"
)

// The product follows Goto and van de Geijn (Anatomy of high-performance matrix
// multiplication, ACM TOMS 34(3), 2008) with the register tile of Van Zee's
// BLIS: the right operand is packed in panels of nr columns, the left one is
// read in panels of mr rows, and one call of the kernel adds, for a block of at
// most kcMax terms of the inner sum, one tile of mr × nr elements of C.
//
// Every element of C is beta times its old value and then the sum, over blocks of
// the inner index, of alpha times a block's dot product accumulated in order. Where
// blocks begin depends on k alone, which makes Gemm's promise true.
const (
	mr    = 6
	kcMax = 384
)

// What a product keeps in the caches (measured on Zen 4).
const (
	kSpan        = 12 * kcMax // most terms of the inner sum packed at once
	rightMax     = 8 << 20    // most bytes of the right operand packed at once
	rowPanelsMax = 24         // most row panels of a task
	turnedMax    = 16         // the same, and most narrow column panels, where C is transposed
	directMax    = 16         // most column panels for which rows of A are read as they lie
	rowwiseMax   = 48         // most terms for which tiles go along the rows of C
	tasksMin     = 12         // tasks wanted, so that cores end together
	inlineMax    = 1 << 20    // floating-point operations not worth a second core
)

// narrow returns the number of columns of a tile of 64 bytes: two AVX registers, four of NEON.
func narrow[T Float]() int {
	if is32[T]() {
		return 16
	}
	return 8
}

// Block returns how many terms of an inner sum of k a product adds up by themselves before it adds
// them to an element of C; the last block may be shorter.
func Block(k int) int {
	if k <= kcMax {
		return k
	}
	blocks := (k + kcMax - 1) / kcMax
	return ((k+blocks-1)/blocks + 7) &^ 7
}

// work is what one product needs beyond its operands; it is kept and reused.
type work[T Float] struct {
	left, out   matrix[T]
	alpha, beta T
	right       *Packed[T]
	own         Packed[T] // right, where the caller has none packed
	at          []int     // of GemmRows

	rowPanels int  // row panels of a task
	colPanels int  // column panels of a task
	groups    int  // tasks beside one another in a row of tasks
	direct    bool // read rows of A as they lie
	run       func(lo, hi int)
}

// scratch is what one core needs beside.
type scratch[T Float] struct {
	a    []T // packed rows of A
	c    []T // a task's part of C, where C is transposed
	edge []T // tiles at the edge of C
}

// shelf keeps work and scratch between calls: at most one of each per goroutine
// that ever multiplied at the same time.
type shelf[T Float] struct {
	works   Pool[work[T]]
	scratch Pool[scratch[T]]
}

var (
	shelf32 shelf[float32]
	shelf64 shelf[float64]
)

func shelfOf[T Float]() *shelf[T] {
	if is32[T]() {
		return (*shelf[T])(unsafe.Pointer(&shelf32))
	}
	return (*shelf[T])(unsafe.Pointer(&shelf64))
}

// Pool keeps what goroutines borrow one of each. The zero value is ready to use.
type Pool[E any] struct {
	mu   sync.Mutex
	free []*E
}

// Borrow returns one that nobody has, new if there is none.
func (p *Pool[E]) Borrow() *E {
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

// GiveBack takes one back.
func (p *Pool[E]) GiveBack(e *E) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, e)
}

func workFor[T Float]() *work[T] {
	w := shelfOf[T]().works.Borrow()
	if w.run == nil {
		w.run = w.tasks
	}
	return w
}

func (w *work[T]) release() {
	w.left.data, w.out.data, w.right = nil, nil, nil
	shelfOf[T]().works.GiveBack(w)
}

func multiply[T Float](left, right, out matrix[T], alpha, beta T) {
	if swapped(right, out) {
		left, right, out = right.transposed(), left.transposed(), out.transposed()
	}
	w := workFor[T]()
	w.multiply(left, right, out, alpha, beta)
	w.release()
}

// swapped reports whether to compute the transpose Cᵀ = op(B)ᵀ op(A)ᵀ, which
// packs op(A) and streams op(B) through the kernel: the way for a batch of few
// rows against a large matrix. It cannot change the result.
func swapped[T Float](right, out matrix[T]) bool {
	m, n, k := out.rows, out.cols, right.rows
	most := 48
	if right.cs != 1 { // op(B)ᵀ is then read as it lies
		most = 96
	}
	return m > lanes[T]()/2 && m <= most && n >= 3*m && k >= 32
}

// multiply computes out = alpha left right + beta out, packing parts of right
// that fit the cache.
func (w *work[T]) multiply(left, right, out matrix[T], alpha, beta T) {
	k, n, nr := right.rows, right.cols, lanes[T]()
	kc := Block(k)
	span := min(k, kSpan/kc*kc)
	cols := max(rightMax*nr/64/span/nr*nr, nr)
	for k0 := 0; k0 < k; k0 += span {
		for j0 := 0; j0 < n; j0 += cols {
			part := right.from(k0, j0)
			part.rows, part.cols = min(span, part.rows), min(cols, part.cols)
			w.own.at = w.at[min(k0, len(w.at)):]
			w.own.cut(part, kc)
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
	if blocks*w.groups < tasksMin {
		blocks = max(blocks, min((tasksMin+w.groups-1)/w.groups, rows/8))
		w.rowPanels = (rows + blocks - 1) / blocks
	}
	w.direct = w.left.rs != 1 && w.colPanels <= directMax
}

// tasks computes the tasks lo to hi.
func (w *work[T]) tasks(lo, hi int) {
	pool := &shelfOf[T]().scratch
	s := pool.Borrow()
	for t := lo; t < hi; t++ {
		j0 := t % w.groups * w.colPanels
		w.block(s, t/w.groups*w.rowPanels*mr, j0, min(j0+w.colPanels, w.right.panels()))
	}
	pool.GiveBack(s)
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
	turn4(out, beside)
}

// turn4 computes out = x for an out that lies in columns, four rows by four
// columns at a time; the last four rows overlap those before.
func turn4[T Float](out, x matrix[T]) {
	quads := 0
	if out.rows >= 4 {
		quads = out.cols / 4
	}
	for i := 0; i < out.rows && quads > 0; i += 4 {
		at := min(i, out.rows-4)
		packQuads(out.data[at:], out.cs, x.data[at*x.rs:], x.rs, quads)
	}
	for j := quads * 4; j < out.cols; j++ {
		for i := range out.rows {
			out.data[j*out.cs+i] = x.data[i*x.rs+j]
		}
	}
}

// The kernels take pointers: f32 and f64 are the first elements of a slice that
// is known to hold that type, by is32.

func f32[T Float](x []T) *float32 { return (*float32)(unsafe.Pointer(unsafe.SliceData(x))) }

func f64[T Float](x []T) *float64 { return (*float64)(unsafe.Pointer(unsafe.SliceData(x))) }
