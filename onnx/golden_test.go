package onnx

import (
	"testing"

	"tattle/internal/must"
	"tattle/internal/shared"
	"tattle/nn"
	"tattle/npy"
)

// Real models against PyTorch: outputs, J·u and Jᵀ·v.
func TestModels(t *testing.T) {
	for _, c := range []struct {
		name    string
		batch   int // of the examples that the reference has
		large   bool
		shape   []int
		classes int
	}{
		{"resnet20-cifar10", 4, false, []int{3, 32, 32}, 10},
		{"swin-mini", 2, true, []int{3, 224, 224}, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := shared.Path(t, "models/"+c.name+".onnx")
			if c.large && testing.Short() {
				t.Skip("large")
			}
			g := must.Get(Read(path))(t)
			golden := must.Get(npy.Open(shared.Path(t, "models/"+c.name+".golden.npz")))(t)
			defer golden.Close()
			part := func(name string, each int) []float32 {
				x, _ := must.Get2(golden.Float32s(name))(t)
				return x[:c.batch*each]
			}
			const limit = 1e-4
			p, n := nn.Size(c.shape), c.classes
			l := net(t, g).Linearize(part("input", p))
			near(t, "outputs", l.Features(), part("output", n), limit)
			y := make([]float32, c.batch*n)
			l.JVP(y, part("u", p))
			near(t, "J·u", y, part("jvp", n), limit)
			x := make([]float32, c.batch*p)
			l.VJP(x, part("v", n))
			near(t, "Jᵀ·v", x, part("vjp", p), limit)
		})
	}
}
