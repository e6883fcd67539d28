package tattle

import (
	"fmt"

	"tattle/internal/protect/release"
)

// WorstCase are limits that hold whatever the data, the list and the adversary. They follow from [Noise.ClipNorm] alone, on average
// over who the input can be, and for all releases of a person together if these are no more than were named.
type WorstCase struct{ of release.Worst }

// WorstCase returns the limits for so many releases of an input. It returns an error without a clip of the norm, and for a
// lattice that is too coarse for its noise.
func (m *Model) WorstCase(n Noise, releases int) (WorstCase, error) {
	_, noise, err := m.released(n)
	if err != nil {
		return WorstCase{}, err
	}
	if releases < 1 {
		return WorstCase{}, fmt.Errorf("%d releases: give 1 or more", releases)
	}
	w, ok := release.WorstOf(noise, n.ClipNorm, releases)
	if !ok {
		return WorstCase{}, fmt.Errorf("noise %v with a norm of %v proves nothing whatever the data: clip the norm, and give noise of sigma at least twice the spacing of the lattice", n.Family, n.ClipNorm)
	}
	return WorstCase{w}, nil
}

// Success is what the probability of success does not exceed, where the best guess without the release succeeds with a
// probability: 1/N for naming one of N inputs, 1/2 for an attribute that half of the people have.
func (w WorstCase) Success(without float64) float64 { return w.of.Success(without) }

// Exposed is how many people of a list are named in more than a share of their releases, at most.
func (w WorstCase) Exposed(share float64) float64 { return w.of.Exposed(share) }

// Privacy is local differential privacy: ρ of its zero-concentrated kind, μ of the Gaussian one, and ε for a δ.
func (w WorstCase) Privacy(delta float64) (rho, mu, epsilon float64) {
	return w.of.ZCDP(), w.of.GDP(), w.of.Epsilon(delta)
}
