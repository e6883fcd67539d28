package curious

import "tattle/nn"

// EntropyThreshold returns the attack of B eq. (4) on y outputs: scores [0, H − τ] of
// the entropy H, in nats, of the outputs (of their softmax where they are raw), so
// that s̄ = 1 where H > τ.
func EntropyThreshold(y int, o Outputs, tau float64) *nn.Graph {
	panic("curious: EntropyThreshold is being written")
}
