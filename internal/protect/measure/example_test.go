package measure_test

import (
	"context"
	"fmt"
	"log"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/measure"
)

// One release of a net of generated digits: where it is cut, the noise, and what guessing
// the mean and a linear attack reach.
func Example() {
	layer := func(name, in, out string, from, to int) *nn.Node {
		return &nn.Node{Name: name, Inputs: []string{in}, Output: out, Op: &nn.Dense{In: from, Out: to,
			Weight: &nn.Param{Name: name + ".weight", Shape: []int{to, from}, Data: make([]float32, to*from)},
			Bias:   &nn.Param{Name: name + ".bias", Shape: []int{to}, Data: make([]float32, to)}}}
	}
	g := &nn.Graph{Input: "x", InputShape: []int{784}, Output: "logits", Nodes: []*nn.Node{
		layer("first", "x", "a", 784, 20), layer("classes", "a", "logits", 20, 10)}}
	g.Init(1)

	ctx := context.Background()
	training := dataset.Glyphs(dataset.GlyphOptions{N: 400, Seed: 1})
	test := dataset.Glyphs(dataset.GlyphOptions{N: 40, Seed: 1, Split: dataset.Test})
	q := measure.Request{Graph: g, Data: test, Release: measure.Release{Family: "laplace", Scale: .5}}
	split, err := q.Split(ctx, g, nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := q.SetNoise(ctx, split.Front, q.Data, ""); err != nil {
		log.Fatal(err)
	}
	adversaries := measure.Adversaries{Attacks: []string{"linear"}, Training: training}
	found, err := adversaries.Run(ctx, measure.Target{
		Front: split.Front, Noise: q.Experiment.Noise, Data: test, Indices: []int{0, 1, 2, 3, 4, 5, 6, 7}, Coordinates: bound.Pixels(784),
	})
	if err != nil {
		log.Fatal(err)
	}
	linear := found.Results[0]
	fmt.Println("features of", split.Node)
	fmt.Println("the linear attack errs by less than guessing the mean:", linear.RootMeanSquare() < found.PriorAlone.RootMeanSquare())
	// Output:
	// features of first
	// the linear attack errs by less than guessing the mean: true
}
