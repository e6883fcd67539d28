package shape_test

import (
	"context"
	"fmt"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/train"
	"tattle/internal/protect/shape"
)

// Learn two numbers of pictures of digits that survive noise.
func Example() {
	ctx := context.Background()
	data := dataset.Glyphs(dataset.GlyphOptions{N: 300, Seed: 1})
	pixels := nn.Size(data.Shape)
	moments, err := shape.NewMoments(ctx, data, pixels, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	task := train.Task{Name: "digit", Classes: 10, Labels: data.Y}
	learned, err := shape.Fit(ctx, data, moments, []train.Task{task}, shape.Options{Keep: 2, Weight: 1, Epochs: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	released, err := nn.NewNet(learned.Layer)
	if err != nil {
		fmt.Println(err)
		return
	}
	inputs, values := released.Dims()
	fmt.Println(inputs, values)
	// Output: 784 2
}
