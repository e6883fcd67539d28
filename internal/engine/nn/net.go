package nn

import (
	"fmt"
	"sync"
)

// Net is a Graph compiled for inference: running statistics, no dropout. It
// implements Model. It holds buffers, and one goroutine at a time may use it;
// Clone makes another for a second one.
type Net struct {
	graph    *Graph
	compiled *compiled
	p, n     int
	budget   int64 // of SetMemory
	// An *engine[float32] and an *engine[float64], once they are used. A package that
	// uses Net would compile all their methods again, were they seen in its type.
	engine32, engine64 any
}

// compiled is what the clones of a net share: its graph made simpler, for each
// precision when it is first used.
type compiled struct{ narrow, wide simpler }

// simpler is a graph made simpler, and its parameters that follow from others.
type simpler struct {
	once    sync.Once
	graph   *Graph
	derived []*Param
}

var _ Model = (*Net)(nil)

// NewNet compiles g, which must not be changed afterwards but for the values of
// its parameters. It returns an error if g is not well formed, naming the node.
func NewNet(g *Graph) (*Net, error) {
	shapes, err := g.Shapes()
	if err != nil {
		return nil, fmt.Errorf("net %q: %w", g.Name, err)
	}
	for name, s := range shapes {
		if !sensible(s) {
			return nil, fmt.Errorf("net %q: tensor %q has shape %v for one example, of no sensible size", g.Name, name, s)
		}
	}
	return &Net{graph: g, compiled: &compiled{}, p: Size(g.InputShape), n: Size(shapes[g.Output])}, nil
}

// sensible reports whether a tensor of that shape, its empty dimensions counted as
// 1, has at most 2³⁰ entries.
func sensible(shape []int) bool {
	n := 1
	for _, d := range shape {
		if d < 0 || d > 1<<30/n {
			return false
		}
		n *= max(d, 1)
	}
	return true
}

// Graph returns the graph that was compiled.
func (m *Net) Graph() *Graph { return m.graph }

// Clone returns a Net of the same graph, hence the same parameters, with buffers
// of its own.
func (m *Net) Clone() *Net {
	return &Net{graph: m.graph, compiled: m.compiled, p: m.p, n: m.n, budget: m.budget}
}

// Rest gives up what the net and its graph's parameters keep for the next call, which makes it anew. No call may be under way.
func (m *Net) Rest() {
	m.engine32, m.engine64, m.compiled = nil, nil, &compiled{}
	for _, p := range m.graph.Params() {
		p.copies.mu.Lock()
		p.copies.made = nil
		p.copies.mu.Unlock()
	}
}

// Dims returns the number of inputs and of outputs of one example.
func (m *Net) Dims() (p, n int) { return m.p, m.n }

// Forward overwrites dst with the outputs at x, [batch, p] → [batch, n].
func (m *Net) Forward(dst, x []float32) { run32(m).forward(dst, x, m.batch(len(dst), len(x))) }

// Forward64 is Forward in float64.
func (m *Net) Forward64(dst, x []float64) { run64(m).forward(dst, x, m.batch(len(dst), len(x))) }

// Linearize evaluates the net at x, [batch, p], and keeps what products need. The
// result also implements Activity. It is valid until the next call.
func (m *Net) Linearize(x []float32) Linearization[float32] {
	return run32(m).linearize(x, m.batch(-1, len(x)))
}

// Linearize64 is Linearize in float64.
func (m *Net) Linearize64(x []float64) Linearization[float64] {
	return run64(m).linearize(x, m.batch(-1, len(x)))
}

// batch returns the number of examples in x, which dst, unless negative, matches.
func (m *Net) batch(dst, x int) int {
	b := x / m.p
	if x%m.p != 0 {
		panic(fmt.Sprintf("nn: length mismatch: %d values are not a whole number of examples of %d inputs", x, m.p))
	}
	if dst >= 0 && dst != b*m.n {
		panic(fmt.Sprintf("nn: length mismatch: room for %d outputs, want %d", dst, b*m.n))
	}
	return b
}

// of returns g made simpler, when it is first asked for.
func (s *simpler) of(g *Graph, simplify func(*Graph) *Graph) *Graph {
	s.once.Do(func() {
		s.graph = simplify(g)
		s.derived = derivedOf(s.graph)
	})
	return s.graph
}

// refresh brings the parameters that follow from others up to date.
func (s *simpler) refresh() {
	for _, p := range s.derived {
		p.refresh()
	}
}

// run32 returns the engine, its folded parameters up to date.
func run32(m *Net) *engine[float32] {
	return engineOf(m, &m.engine32, &m.compiled.narrow, simplified, Op.kernel32)
}

// run64 is run32 in float64, whose function is that of the graph's own parameters.
func run64(m *Net) *engine[float64] {
	return engineOf(m, &m.engine64, &m.compiled.wide, tidy, Op.kernel64)
}

func engineOf[T Float](m *Net, at *any, c *simpler, simplify func(*Graph) *Graph, compile func(Op, ...[]int) kernel[T]) *engine[T] {
	e, ok := (*at).(*engine[T])
	if !ok {
		e = newEngine(c.of(m.graph, simplify), compile, m.budget)
		*at = e
	}
	c.refresh()
	return e
}
