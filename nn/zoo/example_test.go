package zoo_test

import (
	"fmt"

	"tattle/nn/zoo"
)

func Example() {
	g := zoo.MNIST(1)
	features, err := g.FeatureNode()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.InputShape, len(g.Nodes), features)
	// Output: [1 28 28] 6 relu2
}
