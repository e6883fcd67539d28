package tattle_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"tattle"
	"tattle/audit"
	"tattle/bound"
)

// A model is read from an ONNX file. Its features are the inputs of its last layer.
func ExampleOpen() {
	m, err := tattle.Open("testdata/small.onnx")
	if err != nil {
		log.Fatal(err)
	}
	inputs, features := m.Dims()
	fmt.Println(inputs, "inputs,", features, "features:", m.Node)
	// Output: 8 inputs, 12 features: relu
}

// The features may be the output of any node.
func ExampleOpenAt() {
	m, err := tattle.OpenAt("testdata/small.onnx", "first")
	if err != nil {
		log.Fatal(err)
	}
	_, features := m.Dims()
	fmt.Println(features, "features before the ReLU")
	// Output: 12 features before the ReLU
}

// What leaves the device is the features with noise.
func ExampleModel_Release() {
	m, err := tattle.Open("testdata/small.onnx")
	if err != nil {
		log.Fatal(err)
	}
	noise, err := m.Noise("laplace", .5)
	if err != nil {
		log.Fatal(err)
	}
	x := []float32{.1, .9, .4, .6, .5, .5, .2, .8}
	released, err := m.Release(x, noise, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f\n", released[:4])
	// Output: [-0.2 0.8 1.4 1.1]
}

// No estimator of the first input that is unbiased for all inputs from 0 to 1 has a smaller
// standard deviation than the certified one. It exceeds the range: who knows the range does
// better with a biased estimator, such as a guess of 0.5.
func ExampleModel_Certify() {
	m, err := tattle.Open("testdata/small.onnx")
	if err != nil {
		log.Fatal(err)
	}
	noise, err := m.Noise("gaussian", .5)
	if err != nil {
		log.Fatal(err)
	}
	low, high := make([]float64, 8), []float64{1, 1, 1, 1, 1, 1, 1, 1}
	domain, err := bound.Legal(low, high)
	if err != nil {
		log.Fatal(err)
	}
	x := []float32{.1, .9, .4, .6, .5, .5, .2, .8}
	c, err := m.Certify(context.Background(), x, noise, tattle.CertifyOptions{Domain: domain})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: at least %.1f for the first input\n", c.Status, c.Std[0])
	// Output: certified: at least 1.7 for the first input
}

// An adversary who knows other inputs reconstructs one from its release.
func ExampleModel_Attack() {
	m, err := tattle.Open("testdata/small.onnx")
	if err != nil {
		log.Fatal(err)
	}
	noise, err := m.Noise("gaussian", .05)
	if err != nil {
		log.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	known := make([][]float32, 500)
	for i := range known {
		known[i] = make([]float32, 8)
		for k := range known[i] {
			known[i][k] = r.Float32()
		}
	}
	x := []float32{.1, .9, .4, .6, .5, .5, .2, .8}
	released, err := m.Release(x, noise, r)
	if err != nil {
		log.Fatal(err)
	}
	guess, err := m.Attack(context.Background(), released, noise, known, tattle.AttackOptions{})
	if err != nil {
		log.Fatal(err)
	}
	var square float64
	for i, v := range guess {
		square += float64(v-x[i]) * float64(v-x[i]) / 8
	}
	fmt.Printf("root-mean-square error %.2f\n", math.Sqrt(square))
	// Output: root-mean-square error 0.13
}

// A classifier whose scores hide the sensitive attribute in their second digit.
func ExampleAudit() {
	var outputs [][]float32
	var target, sensitive []int
	for i := range 400 {
		y, s := i%2, i/2%2
		p := float32(.9 - .05*float64(s))
		outputs = append(outputs, [][]float32{{p, 1 - p}, {1 - p, p}}[y])
		target, sensitive = append(target, y), append(sensitive, s)
	}
	result, err := tattle.Audit(context.Background(), outputs, target, sensitive, audit.Options{})
	if err != nil {
		log.Fatal(err)
	}
	f := result.Findings[0]
	fmt.Printf("%t: the sensitive attribute is guessed right %.0f points more often than without the scores\n", result.Verdict.ExceedsTarget(), 100*f.Excess.Value)
	// Output: true: the sensitive attribute is guessed right 50 points more often than without the scores
}
