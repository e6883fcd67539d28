package nn_test

import (
	"fmt"

	"tattle/internal/engine/nn"
)

// Example builds a net, evaluates it and differentiates it at one input.
func Example() {
	b := nn.NewBuilder("small", 2)
	b.Dense("hidden", 2, false)
	b.Add("", &nn.ReLU{})
	weight := b.Graph.Node("hidden").Params()[0]
	copy(weight.Data, []float32{1, 1, 1, -3})
	net, err := nn.NewNet(b.Graph)
	if err != nil {
		fmt.Println(err)
		return
	}
	at := net.Linearize64([]float64{2, 1})
	change := make([]float64, 2)
	at.JVP(change, []float64{0, 1})
	fmt.Println(at.Features(), change)
	// Output: [3 0] [1 0]
}

// The bound covers the rounding of the float64 pass and the stated error of the input.
func ExampleNet_ForwardError64() {
	b := nn.NewBuilder("sum", 3)
	b.Add("", &nn.Reduce{Function: "Sum", Axes: []int{0}})
	net, err := nn.NewNet(b.Graph)
	if err != nil {
		fmt.Println(err)
		return
	}
	y, bound := make([]float64, 1), make([]float64, 1)
	net.ForwardError64(y, bound, []float64{.5, .25, 1}, []float64{.125, 0, 0})
	fmt.Printf("%v ± %.3f\n", y, bound)
	// Output: [1.75] ± [0.125]
}
