package onnx

import (
	"math/rand/v2"

	"tattle/nn"
)

// imageGraphs have transposed convolutions, and several images to an example.
func imageGraphs() map[string]*nn.Graph {
	r := rand.New(rand.NewPCG(1, 1))
	param := func(shape ...int) *nn.Param { return param(r, shape...) }
	graphs := map[string]*nn.Graph{}
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
		graphs[name] = g
	}
	return graphs
}
