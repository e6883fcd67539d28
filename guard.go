package tattle

import (
	"fmt"

	"tattle/internal/guard"
	"tattle/internal/protect/release"
)

// Guard releases features: they are clipped and rounded to a lattice, and discrete Gaussian noise is added as
// integers, drawn exactly from a generator that the operating system seeds. This is the release that certificates
// of lattice noise are about. One goroutine at a time may use it, as its model.
type Guard struct {
	model     *Model
	lattice   release.Lattice
	mechanism *guard.Mechanism
}

// Guard returns what releases the model's features with lattice noise. Call Close when it is not needed any more.
func (m *Model) Guard(n Noise) (*Guard, error) {
	m, noise, err := m.released(n)
	if err != nil {
		return nil, err
	}
	l, ok := noise.(release.Lattice)
	if !ok {
		return nil, fmt.Errorf("noise %q: the low-order bits of floating-point noise reveal features: release lattice noise", n.Family)
	}
	g := &Guard{model: m, lattice: l}
	g.mechanism, err = guard.New(l.Lattice)
	return g, err
}

// Release returns the features of an input with noise, multiples of the lattice's spacing.
func (g *Guard) Release(x []float32) ([]float32, error) {
	features, err := g.model.Features(x)
	if err != nil {
		return nil, err
	}
	points := make([]int64, len(features))
	if _, err := g.mechanism.Release(points, features); err != nil {
		return nil, err
	}
	g.lattice.Values(features, points)
	return features, nil
}

// Close forgets the noise that was drawn ahead. Every later release is an error.
func (g *Guard) Close() error { return g.mechanism.Close() }
