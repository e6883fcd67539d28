package release

// SelfDecomposable reports whether noise of a larger standard deviation from the same family is
// distributed as this noise plus further independent noise. Then nothing is learned from a
// release with more noise that could not be learned from this one. It is known of Gaussian
// and Laplace noise (C. Halgreen, Self-decomposability of the generalized
// inverse Gaussian and hyperbolic distributions, Z. Wahrscheinlichkeitstheorie 47, 1979; L. Bondesson,
// Generalized Gamma Convolutions, 1992).
func SelfDecomposable(noise Noise) bool {
	switch noise.(type) {
	case Gaussian, Laplace:
		return true
	}
	return false
}
