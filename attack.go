package tattle

import (
	"context"
	"math/rand/v2"

	"tattle/internal/protect/attack"
	"tattle/internal/protect/release"
)

// AttackOptions are the settings of Attack. The zero value is the default.
type AttackOptions struct {
	Low, High []float64 // where reconstructions are clipped; nil: nowhere
	Seed      uint64
}

// Attack reconstructs an input from its release, as an adversary would who knows the model,
// the noise and other inputs, known, two at least: by the affine map of least mean-square
// error.
func (m *Model) Attack(ctx context.Context, released []float32, n Noise, known [][]float32, o AttackOptions) ([]float32, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	p, features := m.Dims()
	if err := checkNumbers("a release", released, features); err != nil {
		return nil, err
	}
	if err := m.checkAll("what is known", known); err != nil {
		return nil, err
	}
	m, noise, err := m.released(n)
	if err != nil {
		return nil, err
	}
	domain, err := m.domain(o.Low, o.High)
	if err != nil {
		return nil, err
	}
	a, err := attack.NewLinear(ctx, attack.Setting{Front: release.Dithered(m.front, noise), Noise: noise, Data: inputs(known), Domain: domain, Seed: o.Seed})
	if err != nil {
		return nil, err
	}
	x := make([]float32, p)
	return x, a.Reconstruct(ctx, x, released)
}

// Simulate returns the features of an input with seeded noise of any family, to try adversaries on. A device
// releases what [Guard.Release] returns.
func (m *Model) Simulate(x []float32, n Noise, seed uint64) ([]float32, error) {
	m, noise, err := m.released(n)
	if err != nil {
		return nil, err
	}
	features, err := m.Features(x)
	if err != nil {
		return nil, err
	}
	z := make([]float64, len(features))
	noise.Sample(z, rand.New(rand.NewPCG(seed, 0)))
	l, rounded := noise.(release.Lattice)
	for i, v := range features {
		a := float64(v)
		if rounded {
			a = l.Point(a)
		}
		features[i] = float32(a + z[i])
	}
	return features, nil
}
