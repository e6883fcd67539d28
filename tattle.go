// Package tattle measures what a machine-learned model gives away about its inputs, one
// input or one set of outputs at a time, in memory:
//
//   - [Open] reads an ONNX model and cuts it where its features leave the device.
//   - [Model.Release] computes the features of an input and adds noise.
//   - [Model.Certify] proves how large the error of every unbiased reconstruction of the
//     input from its release must be.
//   - [Model.Attack] reconstructs the input from its release.
//   - [Audit] tests whether the outputs of a classifier carry an attribute that they should
//     not.
//
// These functions cover the common case. The packages below do the work and have every
// option: bound, attack, release and audit, and onnx and nn for models. Runs over data sets,
// reports and verification are the command line's, in cmd/tattle. ARCHITECTURE.md draws the
// whole.
package tattle

import (
	"context"
	"fmt"
	"math/rand/v2"

	"tattle/attack"
	"tattle/bound"
	"tattle/nn"
	"tattle/onnx"
	"tattle/release"
)

// Model is a network in two parts: Front computes the features of an input, which leave the
// device, and Head turns features into the network's outputs. One goroutine at a time may
// use it.
type Model struct {
	Front, Head *nn.Net
	Node        string // the node of the network whose output is the features
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
	m := &Model{Node: node}
	if m.Front, err = nn.NewNet(front); err == nil {
		m.Head, err = nn.NewNet(head)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Dims returns the lengths of an input and of its features.
func (m *Model) Dims() (inputs, features int) { return m.Front.Dims() }

// Noise returns noise for the model's features: family is gaussian, laplace,
// lattice or table:FILE, and sigma its standard
// deviation on every feature.
func (m *Model) Noise(family string, sigma float64) (release.Noise, error) {
	_, n := m.Dims()
	return release.ParseNoise(family, sigma, n)
}

// Release returns the features of an input with one draw of the noise. On a device, r must
// be a generator that nobody else can predict.
func (m *Model) Release(x []float32, noise release.Noise, r *rand.Rand) ([]float32, error) {
	if err := m.check(x); err != nil {
		return nil, err
	}
	_, n := m.Dims()
	features, z := make([]float32, n), make([]float64, n)
	m.Front.Forward(features, x)
	noise.Sample(z, r)
	for i, v := range z {
		features[i] = float32(float64(features[i]) + v)
	}
	return features, nil
}

// check returns an error unless x is one input.
func (m *Model) check(x []float32) error {
	if p, _ := m.Dims(); len(x) != p {
		return fmt.Errorf("an input of %d numbers: the model takes %d", len(x), p)
	}
	return nil
}

// AttackOptions are the settings of Attack. The zero value is the default.
type AttackOptions struct {
	Domain bound.Domain // where reconstructions are clipped; the zero value is any real numbers
	Seed   uint64
}

// Attack reconstructs an input from its release, as an adversary would who knows the model,
// the noise and other inputs, known, two at least: by the affine map of least mean-square
// error. Package attack has stronger attacks.
func (m *Model) Attack(ctx context.Context, released []float32, noise release.Noise, known [][]float32, o AttackOptions) ([]float32, error) {
	p, n := m.Dims()
	if len(released) != n {
		return nil, fmt.Errorf("a release of %d numbers: the model has %d features", len(released), n)
	}
	for i, x := range known {
		if err := m.check(x); err != nil {
			return nil, fmt.Errorf("known input %d: %w", i, err)
		}
	}
	a, err := attack.NewLinear(ctx, m.Front, noise, inputs(known), attack.LinearOptions{Domain: o.Domain, Seed: o.Seed})
	if err != nil {
		return nil, err
	}
	x := make([]float32, p)
	return x, a.Reconstruct(ctx, x, released)
}

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
