package nn

import (
	"slices"

	"tattle/internal/math/simd"
)

// engine runs a program: forward sweeps over rows of inputs, and sweeps of
// products over rows of tangents or cotangents. The buffers are kept from one
// sweep to the next.
type engine[T Float] struct {
	*program[T]
	limit           int // rows of one sweep
	resident        int // examples whose intermediate values are kept for products
	kept            []bool
	forth, back     *plan
	record          *plan      // of a forward pass that keeps those tensors
	pool            buffers[T] // of whichever plan runs
	frames          []frame[T] // of sweeps whose activations are not kept
	args            [][][]T    // of each step, room for its tangents
	tape            *tape[T]   // of the last linearisation
	proof, wide     *proof     // in float64, and in pairs
	inRows, outRows []T        // rows gathered for a cut sweep
}

// newEngine compiles a valid graph for inference, with a budget of bytes.
func newEngine[T Float](g *Graph, compile func(Op, ...[]int) kernel[T], budget int64) *engine[T] {
	p := newProgram(g, compile, false)
	if narrow, ok := any(p).(*program[float32]); ok {
		joinConvolutions(narrow)
	}
	e := &engine[T]{
		program: p,
		forth:   p.forwardPlan(nil, true),
		back:    p.backwardPlan(slices.Repeat([]bool{true}, len(p.sizes))),
		frames:  p.newFrames(),
		args:    p.newArgs(),
	}
	for i := range e.frames {
		e.frames[i].alone = true
	}
	e.kept = p.keptTensors(false)
	e.record = p.forwardPlan(e.kept, true)
	e.setBudget(budget)
	return e
}

func (g *program[T]) newFrames() []frame[T] {
	fs := make([]frame[T], len(g.steps))
	for i, x := range g.newArgs() {
		fs[i].x = x
	}
	return fs
}

func (g *program[T]) newArgs() [][][]T {
	args := make([][][]T, len(g.steps))
	for i, s := range g.steps {
		args[i] = make([][]T, len(s.in))
	}
	return args
}

// buffers are the numbered buffers of a plan.
type buffers[T Float] [][]T

// grow makes the buffers large enough for rows rows of the plan.
func (b *buffers[T]) grow(p *plan, rows int) {
	for len(*b) < len(p.sizes) {
		*b = append(*b, nil)
	}
	for i, s := range p.sizes {
		if (*b)[i] == nil || len((*b)[i]) < rows*s {
			(*b)[i] = make([]T, rows*s)
		}
	}
}

// at returns the n entries that lie at place.
func (b buffers[T]) at(place, n int, src, dst []T) []T {
	switch place {
	case unwanted:
		return nil
	case source:
		return src[:n]
	case target:
		return dst[:n]
	}
	return b[place][:n]
}

func (e *engine[T]) forward(dst, x []T, batch int) {
	p, n := e.sizes[0], e.sizes[e.output]
	for lo := 0; lo < batch; lo += e.limit {
		hi := min(batch, lo+e.limit)
		e.forwardRows(dst[lo*n:hi*n], x[lo*p:hi*p], hi-lo)
	}
}

func (e *engine[T]) forwardRows(dst, x []T, rows int) {
	if e.output == 0 {
		copy(dst, x)
		return
	}
	e.pool.grow(e.forth, rows)
	for i, s := range e.steps {
		f := &e.frames[i]
		f.batch = rows
		for j, t := range s.in {
			f.x[j] = e.pool.at(e.forth.place[t], rows*e.sizes[t], x, dst)
		}
		f.y = e.pool.at(e.forth.place[s.out], rows*e.sizes[s.out], x, dst)
		if len(f.y) > 0 {
			s.kernel.forward(f)
		}
	}
}

// tangents sweeps k tangents per example through the frames.
func (e *engine[T]) tangents(frames []frame[T], dst, v []T, batch, k int) {
	rows := batch * k
	if e.output == 0 {
		copy(dst, v)
		return
	}
	e.pool.grow(e.forth, rows)
	for i, s := range e.steps {
		for j, t := range s.in {
			e.args[i][j] = e.pool.at(e.forth.place[t], rows*e.sizes[t], v, dst)
		}
		dy := e.pool.at(e.forth.place[s.out], rows*e.sizes[s.out], v, dst)
		if len(dy) > 0 {
			s.kernel.jvp(&frames[i], dy, e.args[i], k)
		}
	}
}

// cotangents sweeps k cotangents per example back through the frames. Unless learn is nil it gets, for k = 1, the
// cotangent of each operator's output first. It may compute those of the inputs on the way, and then says so. dst may be
// nil if the plan does not want the input's cotangent.
func (e *engine[T]) cotangents(p *plan, frames []frame[T], dst, u []T, batch, k int, learn func(i int, f *frame[T], dx [][]T, dy []T) (done bool)) {
	rows := batch * k
	if e.output == 0 {
		copy(dst, u)
		return
	}
	e.pool.grow(p, rows)
	for i := len(e.steps) - 1; i >= 0; i-- {
		s := e.steps[i]
		dy := e.pool.at(p.place[s.out], rows*e.sizes[s.out], u, dst)
		if dy == nil {
			continue
		}
		dx, any := e.args[i], false
		for j, t := range s.in {
			place := p.scratch[i][j]
			if place == unwanted {
				place = p.place[t]
			}
			dx[j] = e.pool.at(place, rows*e.sizes[t], u, dst)
			any = any || dx[j] != nil
		}
		done := learn != nil && learn(i, &frames[i], dx, dy)
		if !any {
			continue
		}
		switch {
		case done:
		case len(dy) == 0:
			for _, x := range dx {
				clear(x)
			}
		default:
			s.kernel.vjp(&frames[i], dx, dy, k)
		}
		for j, t := range s.in {
			if b := p.scratch[i][j]; b != unwanted {
				sum := e.pool.at(p.place[t], rows*e.sizes[t], u, dst)
				simd.Add(sum, sum, e.pool[b][:len(sum)])
			}
		}
	}
	if p.place[0] == unwanted {
		clear(dst) // the output does not depend on the input
	}
}

func (e *engine[T]) linearize(x []T, batch int) *tape[T] {
	if e.tape == nil {
		e.tape = &tape[T]{engine: e}
	}
	e.tape.record(x, batch)
	return e.tape
}
