// Package tattle measures what a machine-learned model gives away about its inputs, in memory.
//
// # A first program
//
// Somebody sees the features of an input, with noise, and has a list of a thousand inputs with the right one among them.
// How often is the right one named?
//
//	m, err := tattle.Open("model.onnx") // or tattle.Vectors(512), for embeddings
//	if err != nil {
//		log.Fatal(err)
//	}
//	found, err := m.Identify(ctx, inputs, tattle.Noise{Sigma: 1}, tattle.IdentifyOptions{Draws: 10000})
//	if err != nil {
//		log.Fatal(err)
//	}
//	fmt.Printf("at most in %.1f %% of releases\n", math.Ceil(1000*found.First.High)/10)
//
// inputs are a thousand slices of float32, scaled as the model takes them. If this is too often, [Model.Design] finds the
// noise that keeps a promise, and [Model.Guard] adds it exactly as it was certified.
//
// # What there is
//
//   - [Open] reads an ONNX model and cuts it where its features leave the device.
//   - [Vectors] takes the place of a model for vectors that are released themselves, such as embeddings.
//   - [Model.Guard] releases the features of inputs with noise, exactly as it is certified.
//   - [Model.Certify] proves how large the error of every unbiased reconstruction of one input must be.
//   - [Model.Identify] limits every adversary who has a list with the input, biased or not: how often the
//     input is named, how badly it is reconstructed, and how often an attribute is guessed.
//   - [Model.Attack] reconstructs an input from its release.
//   - [Model.Design] searches for the least noise that keeps a promise about every adversary.
//   - [Audit] tests whether the outputs of a classifier carry an attribute that they should not.
//
// Every function returns an error for a context, inputs or settings that it cannot use: nil, NaN, or of the
// wrong length. Runs over data sets, reports and their verification are the command line's, in cmd/tattle.
//
// # Use it, and rely on it
//
// A program names a copy of the source: go mod edit -require tattle@v0.0.0 -replace tattle=../tattle, then go mod tidy.
// Before version 1.0.0 names may change with each minor version, and CHANGELOG.md says which. Figures change only where a
// defect is mended or a search becomes better. The same seed gives the same figures on the same processor.
package tattle

import (
	"context"
	"errors"
	"fmt"
	"math"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/engine/onnx"
	"tattle/internal/protect/release"
)

// Model is a network in two parts: the front computes the features of an input, which leave the
// device, and the head turns features into the network's outputs. One goroutine at a time may
// use it.
type Model struct {
	graph       *nn.Graph
	front, head *nn.Net
	node        string
	vectors     bool // there is no network: outputs are vectors, and no scores of classes
}

// Open reads an ONNX file and cuts the network before its last affine layer.
func Open(path string) (*Model, error) { return OpenAt(path, "") }

// OpenAt is Open with a cut after the named node. An empty name is Open's choice.
func OpenAt(path, node string) (*Model, error) {
	g, err := onnx.Read(path)
	if err != nil {
		return nil, err
	}
	m, err := cut(g, node)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// Vectors returns a model without a network: its inputs are vectors of n numbers, which are released themselves. They are its
// features and its outputs, too.
func Vectors(n int) (*Model, error) {
	if n < 1 {
		return nil, fmt.Errorf("vectors of %d numbers: give 1 or more", n)
	}
	m, err := cut(zoo.Vectors(n), zoo.VectorNode)
	if err != nil {
		return nil, fmt.Errorf("vectors of %d numbers: %w", n, err)
	}
	m.vectors = true
	return m, nil
}

// cut makes a Model of a graph.
func cut(g *nn.Graph, node string) (*Model, error) {
	if node == "" {
		var err error
		if node, err = g.FeatureNode(); err != nil {
			return nil, err
		}
	}
	front, head, err := g.Cut(node)
	if err != nil {
		return nil, err
	}
	return sides(g, node, front, head)
}

// sides returns a model of which the two sides are known.
func sides(g *nn.Graph, node string, front, head *nn.Graph) (m *Model, err error) {
	m = &Model{graph: g, node: node}
	if m.front, err = nn.NewNet(front); err == nil {
		m.head, err = nn.NewNet(head)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Node returns the node of the network whose output is the features.
func (m *Model) Node() string { return m.node }

// Dims returns the lengths of an input and of its features.
func (m *Model) Dims() (inputs, features int) { return m.front.Dims() }

// Features returns the features of an input, without noise.
func (m *Model) Features(x []float32) ([]float32, error) {
	if err := m.check(x); err != nil {
		return nil, err
	}
	_, n := m.Dims()
	features := make([]float32, n)
	m.front.Forward(features, x)
	return features, nil
}

// Outputs returns what the network answers to features, be they released or not.
func (m *Model) Outputs(features []float32) ([]float32, error) {
	n, classes := m.head.Dims()
	if err := checkNumbers("features", features, n); err != nil {
		return nil, err
	}
	outputs := make([]float32, classes)
	m.head.Forward(outputs, features)
	return outputs, nil
}

// check returns an error unless x is one input.
func (m *Model) check(x []float32) error {
	p, _ := m.Dims()
	return checkNumbers("an input", x, p)
}

// checkAll returns an error unless all are inputs, two at least.
func (m *Model) checkAll(what string, all [][]float32) error {
	if len(all) < 2 {
		return fmt.Errorf("%s: %d inputs: give two or more", what, len(all))
	}
	for i, x := range all {
		if err := m.check(x); err != nil {
			return fmt.Errorf("%s, input %d: %w", what, i, err)
		}
	}
	return nil
}

// checkNumbers returns an error unless x has n numbers, all finite.
func checkNumbers(what string, x []float32, n int) error {
	if len(x) != n {
		return fmt.Errorf("%s of %d numbers: the model has %d", what, len(x), n)
	}
	for i, v := range x {
		if v-v != 0 {
			return fmt.Errorf("%s: number %d is %v: give finite numbers", what, i, v)
		}
	}
	return nil
}

// checkContext returns an error if ctx is nil or has ended.
func checkContext(ctx context.Context) error {
	if ctx == nil {
		return errors.New("the context is nil: give context.Background()")
	}
	return ctx.Err()
}

// Noise is added to every feature, independently unless the family is isotropic-laplace.
type Noise struct {
	// Family is lattice, the default, with its spacing and its clip if they are to be others, as
	// lattice:0.03125:64; or gaussian, laplace, isotropic-laplace or table:FILE. The low-order bits of floating-point noise
	// reveal features: [Model.Guard] releases lattice noise only.
	Family string
	Sigma  float64 // the standard deviation, in the units of the features; above 0
	// ClipNorm is the largest Euclidean norm of the features: larger ones are moved to it before the noise. 0: any. It needs lattice
	// or Gaussian noise, and gives the limits of [Model.WorstCase].
	ClipNorm float64
}

// released returns what is released of m before the noise, as a model, and the noise.
func (m *Model) released(n Noise) (*Model, release.Noise, error) {
	if !(n.Sigma > 0) || math.IsInf(n.Sigma, 1) {
		return nil, nil, fmt.Errorf("noise of the standard deviation %v: give a number above 0", n.Sigma)
	}
	if n.Family == "" {
		n.Family = "lattice"
	}
	if n.ClipNorm != 0 {
		front, head, err := release.Spec{Node: m.node, ClipNorm: n.ClipNorm}.Build(context.Background(), m.graph, nil)
		if err == nil && !release.Shapeable(n.Family) {
			err = fmt.Errorf("noise %q with a clip of the norm: give lattice or gaussian", n.Family)
		}
		if err == nil {
			m, err = sides(m.graph, m.node, front, head)
		}
		if err != nil {
			return nil, nil, err
		}
		n.Family = release.ClippedNorm(n.Family, n.ClipNorm)
	}
	_, features := m.Dims()
	noise, err := release.ParseNoise(n.Family, n.Sigma, features)
	if l, ok := noise.(release.Lattice); ok && l.Ball && n.ClipNorm == 0 {
		return nil, nil, fmt.Errorf("noise %q clips the norm: give ClipNorm, which clips the features, too", n.Family)
	}
	return m, noise, err
}

// Limit is a probability, an error or bits: the mean over random draws, with the limits that hold
// with a confidence of 99.9 % each.
type Limit struct{ Mean, Low, High float64 }

// alpha is the probability with which each of the limits is wrong.
const alpha = .001

// inputs is a data set without labels.
type inputs [][]float32

// Len returns the number of inputs.
func (x inputs) Len() int { return len(x) }

// Label returns 0.
func (x inputs) Label(int) int { return 0 }

// Examples overwrites dst with the inputs of the given indices.
func (x inputs) Examples(dst []float32, indices []int) {
	for k, i := range indices {
		copy(dst[k*len(x[i]):], x[i])
	}
}
