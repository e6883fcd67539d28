package tattle_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"slices"

	"tattle"
)

// A model is read from an ONNX file. Its features are the inputs of its last layer.
func ExampleOpen() {
	m, err := tattle.Open("testdata/small.onnx")
	if err != nil {
		log.Fatal(err)
	}
	inputs, features := m.Dims()
	fmt.Println(inputs, "inputs,", features, "features:", m.Node())
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

// Embeddings of eight numbers are released themselves. Nobody who has the list of 500 names the one of a release more often.
func ExampleVectors() {
	m, err := tattle.Vectors(8)
	if err != nil {
		log.Fatal(err)
	}
	r, list := rand.New(rand.NewPCG(3, 4)), make([][]float32, 500)
	for i := range list {
		for range 8 {
			list[i] = append(list[i], r.Float32())
		}
	}
	id, err := m.Identify(context.Background(), list, tattle.Noise{Sigma: 1}, tattle.IdentifyOptions{Draws: 5000})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("named at most %.1f %% of the time\n", math.Ceil(1000*id.First.High)/10)
	// Output: named at most 1.5 % of the time
}

// What leaves the device is the features with noise, on a lattice.
func ExampleModel_Guard() {
	m, err := tattle.Open("testdata/small.onnx")
	if err != nil {
		log.Fatal(err)
	}
	g, err := m.Guard(tattle.Noise{Sigma: .5})
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	released, err := g.Release([]float32{.1, .9, .4, .6, .5, .5, .2, .8})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(released), "numbers, multiples of 1/128:", math.Mod(float64(released[0]), 1./128) == 0)
	// Output: 12 numbers, multiples of 1/128: true
}

// No estimator of the first number of the input that is unbiased for all inputs from 0 to 1 has a smaller
// standard deviation than the certified one. It exceeds the range: who knows the range does
// better with a biased estimator, such as a guess of 0.5.
func ExampleModel_Certify() {
	m, err := tattle.Open("testdata/small.onnx")
	if err != nil {
		log.Fatal(err)
	}
	o := tattle.CertifyOptions{Low: make([]float64, 8), High: []float64{1, 1, 1, 1, 1, 1, 1, 1}}
	x := []float32{.1, .9, .4, .6, .5, .5, .2, .8}
	c, err := m.Certify(context.Background(), x, tattle.Noise{Family: "gaussian", Sigma: .5}, o)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("certified: %t, at least %.1f for the first number\n", c.Certified, math.Floor(10*c.Std[0])/10)
	// Output: certified: true, at least 1.7 for the first number
}

// Nobody who has the list of 500 people names the one of a release more often than this.
func ExampleModel_Identify() {
	m, err := tattle.Open("testdata/small.onnx")
	if err != nil {
		log.Fatal(err)
	}
	r, list := rand.New(rand.NewPCG(3, 4)), make([][]float32, 500)
	for i := range list {
		for range 8 {
			list[i] = append(list[i], r.Float32())
		}
	}
	id, err := m.Identify(context.Background(), list, tattle.Noise{Sigma: 2}, tattle.IdentifyOptions{Draws: 5000})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("named at most %.1f %% of the time, reconstructed with an error of at least %.2f\n", math.Ceil(1000*id.First.High)/10, math.Floor(100*id.Floor.Low)/100)
	// Output: named at most 0.9 % of the time, reconstructed with an error of at least 0.27
}

// Whatever the inputs are: nobody names one of 60,000 more often than this, because the norm of the features is clipped.
func ExampleModel_WorstCase() {
	m, err := tattle.Open("testdata/small.onnx")
	if err != nil {
		log.Fatal(err)
	}
	w, err := m.WorstCase(tattle.Noise{Sigma: 1, ClipNorm: 1.8}, 1)
	if err != nil {
		log.Fatal(err)
	}
	_, _, epsilon := w.Privacy(1e-5)
	fmt.Printf("named at most %.2f %% of the time; ε = %.1f at δ = 1e-5\n", math.Ceil(10000*w.Success(1./60000))/100, math.Ceil(10*epsilon)/10)
	// Output: named at most 0.95 % of the time; ε = 21.2 at δ = 1e-5
}

// An adversary who knows other inputs reconstructs one from its release.
func ExampleModel_Attack() {
	m, err := tattle.Open("testdata/small.onnx")
	if err != nil {
		log.Fatal(err)
	}
	x, noise := []float32{.1, .9, .4, .6, .5, .5, .2, .8}, tattle.Noise{Sigma: .05}
	released, err := m.Simulate(x, noise, 1)
	if err != nil {
		log.Fatal(err)
	}
	r, known := rand.New(rand.NewPCG(3, 4)), make([][]float32, 500)
	for i := range known {
		for range 8 {
			known[i] = append(known[i], r.Float32())
		}
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

// The least noise with which nobody who has the list of 200 people names one more often than once in ten times.
func ExampleModel_Design() {
	m, err := tattle.Open("testdata/small.onnx")
	if err != nil {
		log.Fatal(err)
	}
	var e tattle.Examples
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 250 {
		e.Inputs = append(e.Inputs, nil)
		for range 8 {
			e.Inputs[i] = append(e.Inputs[i], r.Float32())
		}
		features, err := m.Features(e.Inputs[i])
		if err != nil {
			log.Fatal(err)
		}
		outputs, err := m.Outputs(features)
		if err != nil {
			log.Fatal(err)
		}
		e.Labels = append(e.Labels, slices.Index(outputs, slices.Max(outputs)))
	}
	train, test := tattle.Examples{Inputs: e.Inputs[:200], Labels: e.Labels[:200]}, tattle.Examples{Inputs: e.Inputs[200:], Labels: e.Labels[200:]}
	d, err := m.Design(context.Background(), train, test, tattle.Promise{Identify: .1}, 1)
	if err != nil {
		log.Fatal(err)
	}
	_, released := d.Model.Dims()
	fmt.Printf("%d numbers with noise of %.1f: named %.1f %% of the time\n", released, d.Noise.Sigma, 100*d.Identified)
	// Output: 3 numbers with noise of 0.2: named 1.5 % of the time
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
	r, err := tattle.Audit(context.Background(), outputs, target, sensitive, tattle.AuditOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%t: the sensitive attribute is guessed right %.0f points more often than without the scores\n", r.Beyond, 100*r.Excess)
	// Output: true: the sensitive attribute is guessed right 50 points more often than without the scores
}
