package attack_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"tattle/attack"
	"tattle/nn"
	"tattle/release"
)

// pairs are inputs of two equal numbers.
type pairs []float32

func (p pairs) Len() int      { return len(p) }
func (p pairs) Label(int) int { return 0 }
func (p pairs) Examples(x []float32, indices []int) {
	for i, index := range indices {
		x[2*i], x[2*i+1] = p[index], p[index]
	}
}

// The features are the inputs. The adversary knows that both numbers of an input are equal,
// and averages two noisy numbers: the error is about half of the noise's variance.
func ExampleLinear() {
	front, err := nn.NewNet(&nn.Graph{Input: "x", InputShape: []int{2}, Output: "a",
		Nodes: []*nn.Node{{Name: "a", Op: &nn.Identity{}, Inputs: []string{"x"}, Output: "a"}}})
	if err != nil {
		log.Fatal(err)
	}
	r, data := rand.New(rand.NewPCG(1, 2)), make(pairs, 4000)
	for i := range data {
		data[i] = 10 * float32(r.NormFloat64())
	}
	ctx, noise := context.Background(), release.Gaussian{Sigma: 1}
	linear, err := attack.NewLinear(ctx, front, noise, data[:3000], attack.LinearOptions{})
	if err != nil {
		log.Fatal(err)
	}
	indices := make([]int, 1000)
	for i := range indices {
		indices[i] = i
	}
	result, err := attack.Measure(ctx, linear, front, noise, data[3000:], indices, attack.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("mean-square error %.1f\n", result.BandMeanSquare(nil))
	// Output: mean-square error 0.5
}
