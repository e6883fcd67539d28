package onnx

import (
	"testing"

	"tattle/internal/must"
	"tattle/internal/shared"
	"tattle/nn"
	"tattle/nn/zoo"
)

// TestResNet20Structure puts the weights of Idelbayev's trained net, where batch norms
// are part of the convolutions, into ResNet20, and compares the outputs.
func TestResNet20Structure(t *testing.T) {
	file := must.Get(Read(shared.Path(t, "models/resnet20-cifar10.onnx")))(t)
	g := zoo.ResNet20(10, 1)
	convs, norms := kindsOf[*nn.Conv2D](g), kindsOf[*nn.BatchNorm](g)
	from := kindsOf[*nn.Conv2D](file)
	if len(from) != len(convs) || len(norms) != len(convs) {
		t.Fatalf("%d convolutions and %d norms, the file has %d", len(convs), len(norms), len(from))
	}
	for i, c := range from {
		copy(convs[i].Weight.Data, c.Weight.Data)
		copy(norms[i].Shift.Data, c.Bias.Data)
		for j := range norms[i].Variance.Data {
			norms[i].Variance.Data[j] = 1 - nn.DefaultBatchNormEpsilon
		}
	}
	last, dense := kindsOf[*nn.Dense](file), kindsOf[*nn.Dense](g)
	copy(dense[0].Weight.Data, last[len(last)-1].Weight.Data)
	copy(dense[0].Bias.Data, last[len(last)-1].Bias.Data)
	x := make([]float32, 3*32*32)
	for i := range x {
		x[i] = float32(i*i%255)/128 - 1
	}
	y, want := make([]float32, 10), make([]float32, 10)
	net(t, g).Forward(y, x)
	net(t, file).Forward(want, x)
	for i := range y {
		if d := y[i] - want[i]; !(d*d < 1e-6) {
			t.Errorf("output %d is %v, the file's %v", i, y[i], want[i])
		}
	}
}

// kindsOf returns the operators of a kind, in order.
func kindsOf[O nn.Op](g *nn.Graph) (ops []O) {
	for _, n := range g.Nodes {
		if op, ok := n.Op.(O); ok {
			ops = append(ops, op)
		}
	}
	return ops
}
