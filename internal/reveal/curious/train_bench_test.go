package curious

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/must"
)

// benchParts returns a batch of pictures of noise, [3, 64, 64], with two attributes of
// two classes.
func benchParts() *dataset.Parts {
	r := rand.New(rand.NewPCG(1, 1))
	const n = DefaultBatch
	set := &dataset.Set{
		Shape: []int{3, 64, 64}, Pixels: make([]uint8, n*3*64*64), YNames: []string{"a", "b"},
		Mean: []float32{.5, .5, .5}, Std: []float32{.5, .5, .5},
		Sensitive: []dataset.Attribute{{Name: "s", Values: []string{"no", "yes"}}},
	}
	for i := range set.Pixels {
		set.Pixels[i] = uint8(r.Uint32())
	}
	for i := range n {
		set.Y = append(set.Y, i%2)
		set.Sensitive[0].Labels = append(set.Sensitive[0].Labels, i/2%2)
	}
	return &dataset.Parts{Train: set, Validation: set}
}

// BenchmarkStep measures one step of paper B's classifier (Table 12) at batch 100,
// 64×64, from reading the pictures to the last parameter, and its ratio to the
// standard step: the median over pairs that ran one after the other.
func BenchmarkStep(b *testing.B) {
	p := benchParts()
	indices := nn.Indices(DefaultBatch)
	step := func(o Options) func() {
		t := must.Get(newTraining(p, o.WithDefaults()))(b)
		return func() { must.Do(b, must.Err(t.step(indices))) }
	}
	s := []int{0}
	standard := step(Options{})
	standard()
	for _, c := range []struct {
		name string
		o    Options
	}{
		{"standard", Options{}},
		{"regularized", Options{Attack: Regularized, Attributes: s}},
		{"parameterized-raw", Options{Attack: Parameterized, Attributes: s}},
		{"parameterized-soft", Options{Attack: Parameterized, Attributes: s, Outputs: Soft}},
	} {
		b.Run(c.name, func(b *testing.B) {
			other := step(c.o)
			other()
			var ratios []float64
			for b.Loop() {
				start := time.Now()
				other()
				own := time.Since(start)
				b.StopTimer()
				start = time.Now()
				standard()
				ratios = append(ratios, own.Seconds()/time.Since(start).Seconds())
				b.StartTimer()
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "x-standard")
		})
	}
}
