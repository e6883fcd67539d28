package tattle

import (
	"fmt"

	"tattle/internal/protect/release"
)

// WorstCase are limits that hold for every distribution of inputs, every list and every adversary. They follow from
// [Noise.ClipNorm] alone. They hold for all releases of a person together, if there are at most as many as were given to
// [Model.WorstCase]. Success is a mean over who the input can be; Exposed holds for every rule.
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

// Success returns an upper limit on the probability of success. without is that of the best guess that does not see the release: 1/N for naming one of N inputs, 1/2 for an attribute that half of the people have.
func (w WorstCase) Success(without float64) float64 { return w.of.Success(without) }

// Exposed returns the largest number of people of any list who can be named in more than this share of their releases.
func (w WorstCase) Exposed(share float64) float64 { return w.of.Exposed(share) }

// Privacy is local differential privacy: ρ of its zero-concentrated kind, μ of the Gaussian one, and ε for a δ. With lattice noise, μ holds
// up to a factor of probabilities of 1 + 10⁻²⁵ for each number that is released.
func (w WorstCase) Privacy(delta float64) (rho, mu, epsilon float64) {
	return w.of.ZCDP(), w.of.GDP(), w.of.Epsilon(delta)
}
