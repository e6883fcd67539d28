package curious

import (
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/onnx"
	"tattle/internal/must"
)

// TestEntropyThreshold compares the graph of eq. (4), as it is and from a file's bytes,
// with entropies in float64.
func TestEntropyThreshold(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	const n, y, tau = 200, 3, .62
	raw, soft := make([]float32, n*y), make([]float32, n*y)
	for i := range raw {
		raw[i] = float32(2 * r.NormFloat64())
	}
	copy(raw, []float32{1000, 0, -1000, 0, 0, 0, 90, 0, 90})
	p, logp := make([]float64, y), make([]float64, y)
	for k := range n {
		softmax(p, logp, raw[k*y:][:y])
		for i, v := range p {
			soft[k*y+i] = float32(v)
		}
	}
	for _, o := range []Outputs{Raw, Soft} {
		x := map[Outputs][]float32{Raw: raw, Soft: soft}[o]
		g := entropyThreshold(y, o, tau)
		data := must.Get(onnx.Encode(g))(t)
		read := must.Get(onnx.Decode("threshold", data))(t)
		h := entropiesOf(x, y, o)
		if h[0] != 0 || math.Abs(h[1]-math.Log(3)) > 1e-6 || math.Abs(h[2]-math.Ln2) > 1e-6 {
			t.Errorf("%s: entropies %v", o, h[:3])
		}
		for _, g := range []*nn.Graph{g, read} {
			net := must.Get(nn.NewNet(g))(t)
			for k, scores := 0, forward(net, x); k < n; k++ {
				if scores[2*k] != 0 || math.Abs(float64(scores[2*k+1])-(h[k]-tau)) > 2e-6 {
					t.Errorf("%s, row %d: scores %v, want 0 and %v", o, k, scores[2*k:][:2], h[k]-tau)
				}
			}
		}
	}
}
