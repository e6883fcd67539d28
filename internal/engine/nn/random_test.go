package nn

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/must"
)

// slow evaluates a graph node by node, each tensor in memory of its own.
type slow[T Float] struct {
	g       *Graph
	batch   int
	sizes   map[string]int
	tensors map[string][]T
	kernels []kernel[T]
	frames  []*frame[T]
}

func slowly[T Float](t *testing.T, g *Graph, x []T, batch int, compile func(Op, ...[]int) kernel[T]) *slow[T] {
	t.Helper()
	shapes := must.Get(g.Shapes())(t)
	s := &slow[T]{g: g, batch: batch, sizes: map[string]int{}, tensors: map[string][]T{g.Input: x}}
	for name, shape := range shapes {
		s.sizes[name] = Size(shape)
	}
	for _, n := range g.Nodes {
		f := &frame[T]{batch: batch, y: make([]T, batch*s.sizes[n.Output])}
		var in [][]int
		for _, name := range n.Inputs {
			f.x, in = append(f.x, s.tensors[name]), append(in, shapes[name])
		}
		op := n.Op
		if _, ok := op.(*Dropout); ok {
			op = &Identity{}
		}
		k := compile(op, in...)
		k.forward(f)
		s.tensors[n.Output], s.kernels, s.frames = f.y, append(s.kernels, k), append(s.frames, f)
	}
	return s
}

func (s *slow[T]) output() []T { return s.tensors[s.g.Output] }

// tangents returns J·v.
func (s *slow[T]) tangents(v []T, k int) []T {
	d := map[string][]T{s.g.Input: v}
	for i, n := range s.g.Nodes {
		dy, dx := make([]T, s.batch*k*s.sizes[n.Output]), [][]T{}
		for _, in := range n.Inputs {
			dx = append(dx, d[in])
		}
		s.kernels[i].jvp(s.frames[i], dy, dx, k)
		d[n.Output] = dy
	}
	return d[s.g.Output]
}

// cotangents returns Jᵀ·u, and adds the gradients of the parameters that have some.
func (s *slow[T]) cotangents(u []T, k int) []T {
	d := map[string][]T{}
	for name, size := range s.sizes {
		d[name] = make([]T, s.batch*k*size)
	}
	copy(d[s.g.Output], u)
	for i := len(s.g.Nodes) - 1; i >= 0; i-- {
		n, dx := s.g.Nodes[i], [][]T{}
		for _, in := range n.Inputs {
			dx = append(dx, make([]T, len(d[in])))
		}
		dy := append([]T(nil), d[n.Output]...)
		if l, ok := s.kernels[i].(learner); ok && len(n.Params()) > 0 && n.Params()[0].Grad != nil {
			l.grad(any(s.frames[i]).(*frame[float32]), any(dy).([]float32), 1)
		}
		s.kernels[i].vjp(s.frames[i], dx, dy, k)
		for j, in := range n.Inputs {
			for e, v := range dx[j] {
				d[in][e] += v
			}
		}
	}
	return d[s.g.Input]
}

// randomGraph strings operators on vectors together at random: chains, fans,
// residuals, branches that lead nowhere.
func randomGraph(r *rand.Rand) *Graph {
	g := &Graph{Name: "random", Input: "x", InputShape: []int{1 + r.IntN(9)}, Output: "x"}
	sizes := map[string]int{"x": g.InputShape[0]}
	names := []string{"x"}
	for i := range 1 + r.IntN(9) {
		name, in := fmt.Sprintf("n%d", i), names[max(r.IntN(len(names)), r.IntN(len(names)))]
		size := sizes[in]
		inputs, out := []string{in}, size
		ops := []Op{&ReLU{}, &ReLU{.3}, &Identity{}, &Dropout{}, &Softmax{}, testBatchNorm(size), &Binary{Operator: "Add"}, nil, nil}
		op := ops[r.IntN(len(ops))]
		switch op.(type) {
		case *Binary:
			other := names[r.IntN(len(names))]
			for sizes[other] != size {
				other = names[r.IntN(len(names))]
			}
			inputs = append(inputs, other)
		case nil:
			out = 1 + r.IntN(9)
			op = testDense(size, out, r.IntN(3) > 0)
		}
		g.node(name, op, inputs...)
		sizes[name], names = out, append(names, name)
	}
	return g
}

// TestRandomNets holds random nets, whose sweeps are cut, to the slow evaluation.
func TestRandomNets(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		g := randomGraph(r)
		net := mustNet(t, g)
		if r.IntN(2) == 0 {
			run32(net).limit, run64(net).limit = 1+r.IntN(5), 1+r.IntN(5)
		}
		testCalls(t, fmt.Sprint("seed ", seed), g, net, r, 1e-5, 1e-13)
	}
}

// testCalls calls the methods of a net in random order, with batches and numbers of vectors that
// grow and shrink, in both precisions in turn, and compares with the slow evaluation: buffers are
// shared, results are not.
func testCalls(t *testing.T, name string, g *Graph, net *Net, r *rand.Rand, tolerance32, tolerance64 float64) {
	t.Helper()
	one := &taped[float32]{name: name + ", float32", linearize: net.Linearize, compile: Op.kernel32, tolerance: tolerance32}
	two := &taped[float64]{name: name + ", float64", linearize: net.Linearize64, compile: Op.kernel64, tolerance: tolerance64}
	p, n := net.Dims()
	for range 12 {
		batch := 1 + r.IntN(7)
		x, y, bound := randomSlice[float64](r, batch*p, 1), make([]float64, batch*n), make([]float64, batch*n)
		switch r.IntN(6) {
		case 0:
			net.Forward64(y, x)
			closeTo(t, two.name, y, slowly(t, g, x, batch, Op.kernel64).output(), tolerance64)
		case 1:
			net.ForwardError64(y, bound, x, nil)
			closeTo(t, two.name, y, slowly(t, g, x, batch, Op.kernel64).output(), tolerance64)
		case 2:
			narrow := narrow([][]float64{x})[0]
			y := make([]float32, batch*n)
			net.Forward(y, narrow)
			closeTo(t, one.name, y, slowly(t, g, narrow, batch, Op.kernel32).output(), tolerance32)
		case 3:
			one.record(t, g, r, batch, p)
		default:
			two.record(t, g, r, batch, p)
		}
		one.check(t, r, p, n)
		two.check(t, r, p, n)
	}
}

// taped is a linearisation beside its slow twin.
type taped[T Float] struct {
	name      string
	linearize func(x []T) Linearization[T]
	compile   func(Op, ...[]int) kernel[T]
	tolerance float64
	lin       Linearization[T]
	slow      *slow[T]
}

func (l *taped[T]) record(t *testing.T, g *Graph, r *rand.Rand, batch, p int) {
	x := randomSlice[T](r, batch*p, 1)
	l.lin, l.slow = l.linearize(x), slowly(t, g, x, batch, l.compile)
}

// check compares the products of the linearisation with its twin's, and holds that it leaves the
// vectors alone, and that outputs said to be inactive have no derivative.
func (l *taped[T]) check(t *testing.T, r *rand.Rand, p, n int) {
	t.Helper()
	if l.lin == nil {
		return
	}
	batch, k := l.slow.batch, 1+r.IntN(4)
	v, u := randomSlice[T](r, batch*k*p, 1), randomSlice[T](r, batch*k*n, 1)
	givenV, givenU := slices.Clone(v), slices.Clone(u)
	dy, dx := make([]T, len(u)), make([]T, len(v))
	closeTo(t, l.name+", features", l.lin.Features(), l.slow.output(), l.tolerance)
	l.lin.VJP(dx, u)
	closeTo(t, l.name+", vjp", dx, l.slow.cotangents(u, k), l.tolerance)
	l.lin.JVP(dy, v)
	closeTo(t, l.name+", jvp", dy, l.slow.tangents(v, k), l.tolerance)
	closeTo(t, "tangents are left alone", v, givenV, 0)
	closeTo(t, "cotangents are left alone", u, givenU, 0)
	active := make([]bool, batch*n)
	l.lin.(Activity).Active(active)
	for i, d := range dy {
		if at := i/(k*n)*n + i%n; !active[at] && d != 0 {
			t.Errorf("%s: output %d is inactive and moves by %v", l.name, at, d)
		}
	}
}

// TestRandomTraining holds the gradients of nets, of which some parameters learn, to
// those of the slow evaluation. Batch norms are left out: there the slow one is of inference.
func TestRandomTraining(t *testing.T) {
	graphs := []*Graph{entropyNet(false), squares()}
	for seed := range uint64(300) {
		graphs = append(graphs, randomGraph(rand.New(rand.NewPCG(seed, 2))))
	}
	for i, g := range graphs {
		r := rand.New(rand.NewPCG(uint64(i), 3))
		for _, n := range g.Nodes {
			if _, ok := n.Op.(*BatchNorm); ok {
				n.Op = &ReLU{}
			}
		}
		var learned []*Param
		for _, p := range g.Params() {
			if r.IntN(3) > 0 {
				learned = append(learned, p)
			}
		}
		tr := must.Get(NewTraining(g, learned, uint64(i)))(t)
		p, n := tr.Dims()
		for range 3 {
			testRandomGradients(t, fmt.Sprint("net ", i), g, tr, r, 1+r.IntN(7), p, n)
		}
	}
}

func testRandomGradients(t *testing.T, name string, g *Graph, tr Training, r *rand.Rand, batch, p, n int) {
	t.Helper()
	x, u := randomSlice[float32](r, batch*p, 1), randomSlice[float32](r, batch*n, 1)
	var dx []float32
	if r.IntN(2) == 0 {
		dx = make([]float32, len(x))
	}
	closeTo(t, name, append([]float32(nil), tr.Forward(x)...), slowly(t, g, x, batch, Op.kernel32).output(), 1e-5)
	tr.Backward(dx, u)
	got := map[*Param][]float32{}
	for _, q := range g.Params() {
		if q.Grad != nil {
			got[q], q.Grad = q.Grad, make([]float32, len(q.Data))
		}
	}
	want := slowly(t, g, x, batch, Op.kernel32).cotangents(u, 1)
	if dx != nil {
		closeTo(t, name+", input", dx, want, 1e-4)
	}
	for q, grad := range got {
		closeTo(t, name+", "+q.Name, grad, q.Grad, 1e-4)
	}
}
