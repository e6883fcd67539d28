package nn_test

import (
	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/train"
	"tattle/internal/engine/nn/zoo"
)

func init() {
	nn.TrainStep = func(g *nn.Graph) func(x []float32, labels []int) {
		t, err := train.NewTrainer(g, train.NewAdam(g.Params(), train.AdamOptions{}), 1)
		if err != nil {
			panic(err)
		}
		return func(x []float32, labels []int) { t.Step(x, labels) }
	}
	swin := func(side, patch, embed int, depths, heads []int, window int) func() *nn.Graph {
		return func() *nn.Graph {
			return zoo.Swin(zoo.SwinOptions{Classes: 3, Side: side, Patch: patch, Embed: embed, Depths: depths, Heads: heads, Window: window}, 1)
		}
	}
	nn.ZooNets = map[string]func() *nn.Graph{
		"mnist":    func() *nn.Graph { return zoo.MNIST(1) },
		"cifar10":  func() *nn.Graph { return zoo.CIFAR10(1) },
		"curious":  func() *nn.Graph { return zoo.Curious(zoo.CuriousOptions{Classes: 2}, 1) },
		"resnet18": func() *nn.Graph { return zoo.ResNet18(10, 1) },
		// Windows that need padding, shifted ones, a stage of a single window, odd
		// sides to be merged.
		"swin":         swin(20, 4, 8, []int{2, 2}, []int{2, 4}, 3),
		"swin learned": swin(10, 2, 4, []int{2, 1}, []int{1, 2}, 3),
		"swin kept":    swin(16, 4, 6, []int{2, 1}, []int{1, 2}, 2),
		"swin memory":  swin(32, 4, 24, []int{2, 2}, []int{3, 6}, 4),
	}
}
