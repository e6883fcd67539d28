package release

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/simd"
	"tattle/nn"
	"tattle/run"
)

// The projections of a release.
const (
	ProjectionFirst     = "first"     // the first entries as they are
	ProjectionRandom    = "random"    // onto a random subspace
	ProjectionPrincipal = "principal" // onto the directions in which training features vary most
)

// Projections lists the values of Spec.Projection.
func Projections() []string {
	return []string{ProjectionFirst, ProjectionRandom, ProjectionPrincipal}
}

func (s Spec) projection() string {
	if s.Projection == "" {
		return ProjectionFirst
	}
	return s.Projection
}

// projectionStream keeps a random projection apart from other uses of one seed.
const projectionStream = 0x70726f6a656374 // "project"

// principalExamples is how many training examples the principal directions are
// taken from: the first ones, many more than there are directions.
const principalExamples = 20000

// The largest projections: of the numbers in P (a gigabyte with its copies), and of the
// features whose covariance is decomposed (minutes, and a gigabyte).
const (
	mostProjection = 1 << 26
	mostPrincipal  = 1 << 13
)

// projector is y = P(a − μ) with orthonormal rows P, and a ≈ Pᵀy + μ on the way
// back.
type projector struct {
	keep, n int
	rows    []float64 // P, [keep, n]
	mean    []float64 // μ; nil for zero
}

// project puts P behind front and Pᵀ before head.
func (s Spec) project(ctx context.Context, front, head *nn.Graph, train nn.Source) (f, h *nn.Graph, err error) {
	n, err := s.projectable(front)
	if err != nil {
		return nil, nil, err
	}
	p, err := s.projector(ctx, front, n, train)
	if err != nil {
		return nil, nil, err
	}
	f, h = s.around(front, head, p.forward(), p.back())
	return f, h, nil
}

// projectable returns the number of entries to project, or an error if they cannot be
// projected.
func (s Spec) projectable(front *nn.Graph) (int, error) {
	shapes, err := front.Shapes()
	if err != nil {
		return 0, err
	}
	shape := shapes[front.Output]
	switch {
	case len(shape) != 1:
		return 0, fmt.Errorf("what is released has shape %v, not one dimension: choose a flat node, such as a Flatten behind it", shape)
	case s.Keep > shape[0]:
		return 0, fmt.Errorf("there are %d entries to project: keep at most that many, not %d", shape[0], s.Keep)
	case s.Keep > mostProjection/shape[0]:
		return 0, fmt.Errorf("%d of %d entries are too many to project: keep at most %d", s.Keep, shape[0], mostProjection/shape[0])
	}
	return shape[0], nil
}

// around puts one layer behind front and another before head.
func (s Spec) around(front, head *nn.Graph, onto, back *nn.Dense) (f, h *nn.Graph) {
	f = &nn.Graph{Name: front.Name, Input: front.Input, InputShape: front.InputShape, Output: front.Output}
	f.Nodes = append(f.Nodes, front.Nodes...)
	appendNode(f, "release-project", onto)
	h = &nn.Graph{Name: head.Name, Input: f.Output, InputShape: []int{s.Keep}, Output: head.Output}
	first := &nn.Node{Name: freshName(head, "release-unproject"), Op: back, Inputs: []string{f.Output}, Output: head.Input}
	h.Nodes = append([]*nn.Node{first}, head.Nodes...)
	return f, h
}

func (s Spec) projector(ctx context.Context, front *nn.Graph, n int, train nn.Source) (*projector, error) {
	switch s.projection() {
	case ProjectionRandom:
		return randomProjector(s.Keep, n, s.Seed), nil
	case ProjectionPrincipal:
		if train == nil {
			return nil, fmt.Errorf("principal directions are those of training data, and there are none: give some, or choose the projection %s", ProjectionRandom)
		}
		if n > mostPrincipal {
			return nil, fmt.Errorf("%d features are too many for principal directions, at most %d: choose the projection %s", n, mostPrincipal, ProjectionRandom)
		}
		return principalProjector(ctx, front, s.Keep, n, train)
	}
	p := &projector{keep: s.Keep, n: n, rows: make([]float64, s.Keep*n)}
	for i := range s.Keep {
		p.rows[i*n+i] = 1
	}
	return p, nil
}

// randomProjector draws a subspace uniformly: the orthonormal factor of a matrix of
// normal deviates.
func randomProjector(keep, n int, seed uint64) *projector {
	r := run.Rand(seed^projectionStream, keep, n)
	g := mat.NewDense(n, keep, nil)
	for i := range n {
		for j := range keep {
			g.Set(i, j, r.NormFloat64())
		}
	}
	var qr mat.QR
	qr.Factorize(g)
	var q mat.Dense
	qr.QTo(&q)
	p := &projector{keep: keep, n: n, rows: make([]float64, keep*n)}
	for i := range keep {
		mat.Col(p.rows[i*n:(i+1)*n], i, &q)
	}
	return p
}

// principalProjector takes the eigenvectors of the largest eigenvalues of the
// features' covariance.
func principalProjector(ctx context.Context, front *nn.Graph, keep, n int, train nn.Source) (*projector, error) {
	mean, cov, err := featureCovariance(ctx, front, n, train)
	if err != nil {
		return nil, err
	}
	var e mat.EigenSym
	if !e.Factorize(mat.NewSymDense(n, cov), true) {
		return nil, fmt.Errorf("the eigenvectors of the features' covariance did not converge: choose the projection %s", ProjectionRandom)
	}
	var v mat.Dense
	e.VectorsTo(&v)
	p := &projector{keep: keep, n: n, rows: make([]float64, keep*n), mean: mean}
	for i := range keep {
		mat.Col(p.rows[i*n:(i+1)*n], n-1-i, &v)
	}
	return p, nil
}

// featureCovariance returns the mean, [n], and the covariance, [n, n], of the
// features of the first principalExamples examples.
func featureCovariance(ctx context.Context, front *nn.Graph, n int, train nn.Source) (mean, cov []float64, err error) {
	net, err := nn.NewNet(front)
	if err != nil {
		return nil, nil, err
	}
	data := firstOf{train, min(train.Len(), principalExamples)}
	mean, cov = make([]float64, n), make([]float64, n*n)
	wide := make([]float64, batchSize*n)
	err = forEachBatch(ctx, net, data, func(first int, features []float32) error {
		for i, v := range features {
			if !finite(v) {
				return fmt.Errorf("training example %d: feature %d is %v", first+i/n, i%n, v)
			}
			wide[i] = float64(v)
		}
		b := len(features) / n
		simd.SumRows(mean, b, n, wide[:b*n])
		simd.Gemm(true, false, n, n, b, 1, wide, n, wide, n, 1, cov, n)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	simd.Scale(1/float64(data.Len()), mean)
	simd.Scale(1/float64(data.Len()), cov)
	simd.Gemm(false, false, n, n, 1, -1, mean, 1, mean, n, 1, cov, n)
	return mean, cov, nil
}

// firstOf is the first n examples.
type firstOf struct {
	nn.Source
	n int
}

func (f firstOf) Len() int { return f.n }

// forward returns y = Pa − Pμ.
func (p *projector) forward() *nn.Dense {
	d := newDense(p.n, p.keep, "release-project", p.mean != nil)
	for i, v := range p.rows {
		d.Weight.Data[i] = float32(v)
	}
	if p.mean != nil {
		for i := range p.keep {
			d.Bias.Data[i] = float32(-simd.Dot(p.rows[i*p.n:(i+1)*p.n], p.mean))
		}
	}
	return d
}

// back returns Pᵀy + μ.
func (p *projector) back() *nn.Dense {
	d := newDense(p.keep, p.n, "release-unproject", p.mean != nil)
	for i := range p.keep {
		for j := range p.n {
			d.Weight.Data[j*p.keep+i] = float32(p.rows[i*p.n+j])
		}
	}
	for j, v := range p.mean {
		d.Bias.Data[j] = float32(v)
	}
	return d
}

// scaling returns y = s·x.
func scaling(n int, s float64) *nn.Dense {
	d := newDense(n, n, "release-temperature", false)
	for i := range n {
		d.Weight.Data[i*n+i] = float32(s)
	}
	return d
}

func newDense(in, out int, name string, bias bool) *nn.Dense {
	d := &nn.Dense{In: in, Out: out, Weight: &nn.Param{Name: name + ".weight", Shape: []int{out, in}, Data: make([]float32, out*in)}}
	if bias {
		d.Bias = &nn.Param{Name: name + ".bias", Shape: []int{out}, Data: make([]float32, out)}
	}
	return d
}

// appendNode adds an operator of the graph's output, which its own output becomes.
func appendNode(g *nn.Graph, name string, op nn.Op) {
	name = freshName(g, name)
	g.Nodes = append(g.Nodes, &nn.Node{Name: name, Op: op, Inputs: []string{g.Output}, Output: name})
	g.Output = name
}

// freshName returns the name, lengthened until nothing in g has it.
func freshName(g *nn.Graph, name string) string {
	for name == g.Input || g.Node(name) != nil {
		name += "-"
	}
	return name
}
