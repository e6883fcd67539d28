//go:build unix

package onnx

import (
	"math"

	"tattle/internal/engine/nn"
)

// drawn gives the parameters of a net numbers that keep activations at about the same size.
func drawn(b *nn.Builder, seed uint64) *nn.Graph {
	r := nn.Rand(seed, 0)
	for _, p := range b.Graph.Params() {
		spread := 1 / math.Sqrt(float64(max(len(p.Data)/max(p.Shape[0], 1), 16)))
		for i := range p.Data {
			p.Data[i] = float32(spread * r.NormFloat64())
		}
	}
	return b.Graph
}

// mobile builds a MobileNetV3.
type mobile struct{ *nn.Builder }

// conv appends a convolution, of each channel by itself where groups are the channels, and what follows it.
func (b mobile) conv(out, kernel, stride, groups int, act string) {
	pad, in := kernel/2, b.Last()[0]
	b.Add("", &nn.Conv2D{
		InChannels: in, OutChannels: out, Kernel: [2]int{kernel, kernel}, Stride: [2]int{stride, stride}, Groups: groups,
		Pad: [4]int{pad, pad, pad, pad}, Weight: nn.NewParam("w", out, in/groups, kernel, kernel), Bias: nn.NewParam("b", out),
	})
	b.act(act)
}

func (b mobile) act(name string) {
	switch name {
	case "Relu":
		b.Add("", &nn.ReLU{})
	case "HardSwish":
		b.Add("", &nn.Unary{Function: name})
	case "HardSigmoid":
		b.Add("", &nn.Binary{Operator: "Mul", Constant: &nn.Param{Name: "alpha", Data: []float32{1. / 6}}})
		b.Add("", &nn.Binary{Operator: "Add", Constant: &nn.Param{Name: "beta", Data: []float32{.5}}})
		b.Add("", &nn.Unary{Function: "Clip", Beta: 1})
	}
}

// squeeze multiplies each channel by a number that a small net makes of the means of all.
func (b mobile) squeeze(channels int) {
	x, c := b.Graph.Output, b.Last()[0]
	b.Add("", &nn.Reduce{Function: "Mean", Axes: []int{1, 2}, Keep: true})
	b.conv(channels, 1, 1, 1, "Relu")
	b.conv(c, 1, 1, 1, "HardSigmoid")
	b.Join("", &nn.Binary{Operator: "Mul"}, x, b.Graph.Output)
}

// mobileNetV3 returns MobileNetV3 (large) of pictures [3, 224, 224] (Howard et al., Searching for MobileNetV3, table 1), its
// batch norms folded, with parameters drawn by the seed.
func mobileNetV3(classes int, seed uint64) *nn.Graph {
	b := mobile{nn.NewBuilder("mobilenet_v3", 3, 224, 224)}
	b.conv(16, 3, 2, 1, "HardSwish")
	for _, l := range []struct {
		kernel, expanded, out, squeezed, stride int
		act                                     string
	}{
		{3, 16, 16, 0, 1, "Relu"}, {3, 64, 24, 0, 2, "Relu"}, {3, 72, 24, 0, 1, "Relu"},
		{5, 72, 40, 24, 2, "Relu"}, {5, 120, 40, 32, 1, "Relu"}, {5, 120, 40, 32, 1, "Relu"},
		{3, 240, 80, 0, 2, "HardSwish"}, {3, 200, 80, 0, 1, "HardSwish"}, {3, 184, 80, 0, 1, "HardSwish"}, {3, 184, 80, 0, 1, "HardSwish"},
		{3, 480, 112, 120, 1, "HardSwish"}, {3, 672, 112, 168, 1, "HardSwish"},
		{5, 672, 160, 168, 2, "HardSwish"}, {5, 960, 160, 240, 1, "HardSwish"}, {5, 960, 160, 240, 1, "HardSwish"},
	} {
		x, in := b.Graph.Output, b.Last()[0]
		if l.expanded != in {
			b.conv(l.expanded, 1, 1, 1, l.act)
		}
		b.conv(l.expanded, l.kernel, l.stride, l.expanded, l.act)
		if l.squeezed > 0 {
			b.squeeze(l.squeezed)
		}
		b.conv(l.out, 1, 1, 1, "")
		if l.stride == 1 && l.out == in {
			b.Join("", &nn.Binary{Operator: "Add"}, x, b.Graph.Output)
		}
	}
	b.conv(960, 1, 1, 1, "HardSwish")
	b.Add("", &nn.Reduce{Function: "Mean", Axes: []int{1, 2}})
	b.Dense("", 1280, true)
	b.act("HardSwish")
	b.Dense("", classes, true)
	return drawn(b.Builder, seed)
}

// vitB32 returns ViT-B/32 of pictures [3, 224, 224] (Dosovitskiy et al., An image is worth 16x16 words, table 1), with parameters
// drawn by the seed.
func vitB32(classes int, seed uint64) *nn.Graph {
	const width, heads, side, patches = 768, 12, 32, 49
	b := nn.NewBuilder("vit_b_32", 3, 224, 224)
	norm := func() {
		b.Add("", &nn.LayerNorm{Axes: 1, Epsilon: 1e-6, Scale: nn.NewParam("g", width), Shift: nn.NewParam("h", width)})
	}
	b.Conv("", width, side, side, 0, true)
	b.Add("", &nn.Reshape{To: []int{width, patches}})
	x := b.Join("", &nn.Transpose{Perm: []int{1, 0}}, b.Graph.Output)
	b.Join("", &nn.Concat{}, b.Join("", &nn.Constant{Value: nn.NewParam("class", 1, width), Learned: true}), x)
	b.Add("", &nn.Binary{Operator: "Add", Constant: nn.NewParam("positions", patches+1, width)})
	for range 12 {
		x := b.Graph.Output
		norm()
		b.Dense("", 3*width, true)
		b.Add("", &nn.Reshape{To: []int{patches + 1, 3, heads, width / heads}})
		all := b.Join("", &nn.Transpose{Perm: []int{1, 2, 0, 3}}, b.Graph.Output)
		var of [3]string
		for i := range of {
			of[i] = b.Join("", &nn.Gather{Axis: 0, Indices: []int{i}}, all)
		}
		b.Join("", &nn.MatMul{TransB: true}, of[0], of[1])
		b.Add("", &nn.Binary{Operator: "Mul", Constant: &nn.Param{Name: "scale", Data: []float32{.125}}})
		b.Join("", &nn.MatMul{}, b.Join("", &nn.Softmax{}, b.Graph.Output), of[2])
		b.Add("", &nn.Transpose{Perm: []int{1, 0, 2}})
		b.Add("", &nn.Reshape{To: []int{patches + 1, width}})
		b.Dense("", width, true)
		x = b.Join("", &nn.Binary{Operator: "Add"}, x, b.Graph.Output)
		norm()
		b.Dense("", 4*width, true)
		b.Add("", &nn.Unary{Function: "Gelu"})
		b.Dense("", width, true)
		b.Join("", &nn.Binary{Operator: "Add"}, x, b.Graph.Output)
	}
	norm()
	b.Add("", &nn.Gather{Axis: 0, Indices: []int{0}})
	b.Dense("", classes, true)
	return drawn(b, seed)
}
