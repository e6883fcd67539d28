package infer

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"tattle/internal/engine/nn"
)

// maxLanes bounds the batches that a model computes at a time: each has buffers of its
// own, and the cores are shared anyway.
const maxLanes = 4

// A Model is a net that Handler serves. It is safe for concurrent use. Its outputs at an
// example do not depend on what else is in a batch, to the last bit.
type Model struct {
	name  string
	graph *nn.Graph
	p, n  int
	shape []int // of one example's outputs
	nets  chan *nn.Net
}

// NewModel compiles a graph, which must not be changed afterwards, for serving; name is
// what its replies call it. It returns an error if g is not well formed.
func NewModel(name string, g *nn.Graph) (*Model, error) {
	net, err := nn.NewNet(g)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", oneLine(name), err)
	}
	shapes, err := g.Shapes()
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", oneLine(name), err)
	}
	for _, c := range g.Columns {
		if c.Type == nn.ColumnText {
			return nil, fmt.Errorf("model %s takes text (%s), and only numbers are served", oneLine(name), oneLine(c.Name))
		}
	}
	m := &Model{name: name, graph: g, shape: shapes[g.Output]}
	m.p, m.n = net.Dims()
	if m.p == 0 || m.n == 0 {
		return nil, fmt.Errorf("model %s has %d inputs and %d outputs", oneLine(name), m.p, m.n)
	}
	lanes := max(1, min(maxLanes, runtime.GOMAXPROCS(0)))
	net.SetMemory(nn.DefaultMemory / int64(lanes))
	m.nets = make(chan *nn.Net, lanes)
	for m.nets <- net; len(m.nets) < lanes; {
		m.nets <- net.Clone()
	}
	return m, nil
}

// Forward returns the outputs at x, [batch, p] → [batch, n], once a net is free; it
// returns an error when ctx ends before.
func (m *Model) Forward(ctx context.Context, x []float32) ([]float32, error) {
	y := make([]float32, len(x)/m.p*m.n)
	return y, m.with(ctx, func(net *nn.Net) { net.Forward(y, x) })
}

// with calls f with a net once one is free; it returns an error when ctx ends before.
func (m *Model) with(ctx context.Context, f func(net *nn.Net)) error {
	select {
	case net := <-m.nets:
		defer func() { m.nets <- net }()
		f(net)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Error returns the largest difference between the outputs y at x and those of float64 arithmetic,
// [batch, p] and [batch, n]; NaN if one of y is not a number. It waits and errs as Forward does.
func (m *Model) Error(ctx context.Context, x, y []float32) (largest float64, err error) {
	wide, exact := make([]float64, len(x)), make([]float64, len(y))
	for i, v := range x {
		wide[i] = float64(v)
	}
	if err := m.with(ctx, func(net *nn.Net) { net.Forward64(exact, wide) }); err != nil {
		return 0, err
	}
	for i, v := range y {
		largest = max(largest, math.Abs(float64(v)-exact[i])) // NaN stays
	}
	return largest, nil
}
