package curious

import "tattle/internal/engine/nn"

// tiny is added to probabilities before their logarithm is taken, so that one of 0
// counts as 0: less than half a unit in the last place of any float32 above 2e-23.
const tiny = 1e-30

// entropyThreshold returns the attack of B eq. (4) on y outputs: scores [0, H − τ] of
// the entropy H, in nats, of the outputs (of their softmax where they are raw), so
// that s̄ = 1 where H > τ.
func entropyThreshold(y int, o Outputs, tau float64) *nn.Graph {
	g := &nn.Graph{Name: "threshold", Input: "outputs", InputShape: []int{y}, Output: "outputs"}
	p := g.Input
	if o != Soft {
		p = appendNode(g, "softmax", &nn.Softmax{}, g.Input)
	}
	lift := zeroAffine("lift", y, y)
	sum := zeroAffine("entropy", y, 2)
	for i := range y {
		lift.Weight.Data[i*y+i], lift.Bias.Data[i] = 1, tiny
		sum.Weight.Data[y+i] = -1 // the second row
	}
	sum.Bias.Data[1] = -float32(tau)
	appendNode(g, "lift", lift, p)
	appendNode(g, "log", &nn.Unary{Function: "Log"}, "lift")
	appendNode(g, "product", &nn.Binary{Operator: "Mul"}, p, "log")
	appendNode(g, "entropy", sum, "product")
	return g
}

// zeroAffine returns an affine layer of zeros.
func zeroAffine(name string, in, out int) *nn.Dense {
	return &nn.Dense{In: in, Out: out, Weight: param(name+".weight", out, in), Bias: param(name+".bias", out)}
}
