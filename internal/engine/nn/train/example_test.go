package train_test

import (
	"context"
	"fmt"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/train"
	"tattle/internal/engine/nn/zoo"
)

// signs are numbers whose class is their sign.
type signs []float32

func (s signs) Len() int { return len(s) }

func (s signs) Label(i int) int {
	if s[i] > 0 {
		return 1
	}
	return 0
}

func (s signs) Examples(x []float32, indices []int) {
	for j, i := range indices {
		x[j] = s[i]
	}
}

func Example() {
	data := signs{-3, -2, -1, 1, 2, 3}
	g := zoo.Table(1, 2, 1)
	if _, err := train.Fit(context.Background(), g, data, train.Options{Epochs: 30, Batch: 3}); err != nil {
		fmt.Println(err)
		return
	}
	net, err := nn.NewNet(g)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(nn.Accuracy(net, data))
	// Output: 1
}
