package onnx

import (
	"math/rand/v2"
	"testing"

	"tattle/internal/must"
	"tattle/nn"
)

// TestEncodeImages writes and reads graphs of transposed convolutions and of several
// images to an example, and wants the same outputs for a batch.
func TestEncodeImages(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	param := func(shape ...int) *nn.Param {
		p := &nn.Param{Shape: shape, Data: make([]float32, nn.Size(shape))}
		for i := range p.Data {
			p.Data[i] = float32(r.NormFloat64())
		}
		return p
	}
	up := &nn.ConvTranspose{
		InChannels: 4, OutChannels: 6, Kernel: [2]int{3, 2}, Stride: [2]int{2, 3}, Dilation: [2]int{1, 2},
		Pad: [4]int{1, 0, 0, 1}, OutputPad: [2]int{1, 0}, Groups: 2, Weight: param(4, 3, 3, 2), Bias: param(6),
	}
	for name, c := range map[string]struct {
		in  []int
		ops []nn.Op
	}{
		"transposed":          {[]int{4, 5, 6}, []nn.Op{up}},
		"transposed, plain":   {[]int{4, 5, 6}, []nn.Op{&nn.ConvTranspose{InChannels: 4, OutChannels: 2, Kernel: [2]int{2, 2}, Weight: param(4, 2, 2, 2)}}},
		"several transposed":  {[]int{3, 4, 5, 6}, []nn.Op{up}},
		"several convolved":   {[]int{3, 2, 5, 6}, []nn.Op{&nn.Conv2D{InChannels: 2, OutChannels: 3, Kernel: [2]int{3, 3}, Weight: param(3, 2, 3, 3), Bias: param(3)}}},
		"several pooled":      {[]int{2, 3, 2, 6, 6}, []nn.Op{&nn.MaxPool{Kernel: [2]int{2, 2}}, &nn.AveragePool{Kernel: [2]int{3, 2}}, &nn.GlobalAveragePool{}}},
		"one by one, in turn": {[]int{1, 4, 5, 6}, []nn.Op{up}},
	} {
		g := &nn.Graph{Name: name, Input: "x", InputShape: c.in, Output: "x"}
		for i, op := range c.ops {
			node := &nn.Node{Name: string(rune('a' + i)), Op: op, Inputs: []string{g.Output}, Output: "y" + string(rune('a'+i))}
			g.Nodes, g.Output = append(g.Nodes, node), node.Output
		}
		data, err := Encode(g)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		h, err := Decode(name, data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		x := param(2, nn.Size(c.in)).Data
		want, got := forward(t, g, x), forward(t, h, x)
		if len(want) != len(got) {
			t.Errorf("%s: %d outputs, want %d", name, len(got), len(want))
			continue
		}
		for i := range want {
			if want[i] != got[i] {
				t.Errorf("%s: output %d is %v, want %v", name, i, got[i], want[i])
				break
			}
		}
	}
}

// forward runs a graph on a batch.
func forward(t *testing.T, g *nn.Graph, x []float32) []float32 {
	t.Helper()
	net := must.Get(nn.NewNet(g))(t)
	p, n := net.Dims()
	y := make([]float32, len(x)/p*n)
	net.Forward(y, x)
	return y
}
