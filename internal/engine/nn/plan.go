package nn

import "slices"

// program is a graph as numbers: the operators that the output needs, in order,
// joined by numbered tensors, those that only hand their input on left out.
// Tensor 0 is the input.
type program[T Float] struct {
	steps  []step[T]
	sizes  []int // of each tensor, for one example
	output int
}

// step is one operator: its kernel and the tensors it reads and writes.
type step[T Float] struct {
	op      Op
	kernel  kernel[T]
	inPlace bool
	in      []int
	out     int
	shapes  [][]int // of the inputs of one example
	shape   []int   // of its output
}

// newProgram compiles a valid graph.
func newProgram[T Float](g *Graph, compile func(Op, ...[]int) kernel[T], train bool) *program[T] {
	shapes := mustFit(g.Shapes()) // NewNet and NewTrainer have looked
	p := &program[T]{sizes: []int{Size(g.InputShape)}}
	tensor := map[string]int{g.Input: 0}
	for _, n := range g.Needed(g.Output, g.Input) {
		in := make([]int, len(n.Inputs))
		for i, name := range n.Inputs {
			in[i] = tensor[name]
		}
		inShapes := n.InputShapes(shapes)
		k := compile(n.Op, inShapes...)
		if t, ok := k.(passer); ok && (!train || t.passTrain()) {
			tensor[n.Output] = in[0]
			continue
		}
		_, inPlace := k.(inPlacer)
		tensor[n.Output] = len(p.sizes)
		p.steps = append(p.steps, step[T]{n.Op, k, inPlace, in, len(p.sizes), inShapes, shapes[n.Output]})
		p.sizes = append(p.sizes, Size(shapes[n.Output]))
	}
	p.output = tensor[g.Output]
	return p
}

// Where a tensor's values lie: in a numbered buffer, or
const (
	unwanted = -1 - iota // nowhere
	source               // in what the caller gave
	target               // in what the caller gets
)

// plan says where each tensor of one sweep over a program lies, so that few
// buffers are used again and again.
type plan struct {
	place   []int   // of each tensor
	scratch [][]int // backward, by step and input: for what is added to a cotangent there is already
	sizes   []int   // of each buffer, for one row
	free    []int
}

// take returns a buffer of at least that size.
func (p *plan) take(size int) int {
	for i, b := range p.free {
		if p.sizes[b] >= size {
			p.free = append(p.free[:i], p.free[i+1:]...)
			return b
		}
	}
	if n := len(p.free); n > 0 {
		b := p.free[n-1]
		p.free = p.free[:n-1]
		p.sizes[b] = size
		return b
	}
	p.sizes = append(p.sizes, size)
	return len(p.sizes) - 1
}

func (p *plan) release(place int) {
	if place >= 0 {
		p.free = append(p.free, place)
	}
}

// lastReaders returns the step that reads each tensor last.
func (g *program[T]) lastReaders() []int {
	last := make([]int, len(g.sizes))
	for i, s := range g.steps {
		for _, t := range s.in {
			last[t] = i
		}
	}
	return last
}

// readers returns how often each tensor is read, the output by the caller too.
func (g *program[T]) readers() []int {
	readers := make([]int, len(g.sizes))
	readers[g.output]++
	for _, s := range g.steps {
		for _, t := range s.in {
			readers[t]++
		}
	}
	return readers
}

// assign gives buffers to the outputs that have no place yet, and takes them back after
// the last reader.
func (g *program[T]) assign(p *plan, last []int, over func(i int) bool) {
	for i, s := range g.steps {
		switch {
		case p.place[s.out] != unwanted:
		case over(i):
			p.place[s.out] = p.place[s.in[0]]
			continue
		default:
			p.place[s.out] = p.take(g.sizes[s.out])
		}
		for j, t := range s.in {
			if last[t] == i && !slices.Contains(s.in[:j], t) {
				p.release(p.place[t])
			}
		}
	}
}

// backwardPlan plans a sweep from the output's cotangent, at source, to those of
// the wanted tensors, the input's at target.
func (g *program[T]) backwardPlan(wanted []bool) *plan {
	p := &plan{place: make([]int, len(g.sizes)), scratch: make([][]int, len(g.steps))}
	for t := range p.place {
		p.place[t] = unwanted
	}
	p.place[g.output] = source
	for i := len(g.steps) - 1; i >= 0; i-- {
		s := g.steps[i]
		scratch := make([]int, len(s.in))
		from, reused := p.place[s.out], false
		for j, t := range s.in {
			scratch[j] = unwanted
			switch {
			case !wanted[t]:
			case p.place[t] != unwanted:
				scratch[j] = p.take(g.sizes[t])
			case t == 0:
				p.place[t] = target
			case s.inPlace && from >= 0:
				p.place[t], reused = from, true
			default:
				p.place[t] = p.take(g.sizes[t])
			}
		}
		for _, b := range scratch {
			p.release(b)
		}
		if !reused {
			p.release(from)
		}
		p.scratch[i] = scratch
	}
	return p
}
