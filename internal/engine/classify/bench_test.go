package classify

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/must"
)

// outputs returns n soft outputs of ten classes whose top class and its sharpness tell
// of three targets of five classes.
func outputs(n int, seed uint64) ([]float32, []Target) {
	const d = 10
	r := rand.New(rand.NewPCG(seed, 1))
	x := make([]float32, n*d)
	targets := make([]Target, 3)
	for t := range targets {
		targets[t] = Target{Labels: make([]int, n), Classes: 5}
	}
	for i := range n {
		row := x[i*d : (i+1)*d]
		for t := range targets {
			targets[t].Labels[i] = r.IntN(5)
		}
		y := r.IntN(d)
		for j := range row {
			row[j] = float32(r.NormFloat64())
		}
		row[y] += 4 + float32(targets[0].Labels[i])/2
		row[(y+1)%d] += float32(targets[1].Labels[i]) / 2
		row[3] += .3 * float32(targets[2].Labels[i])
		soften(row)
	}
	return x, targets
}

// soften overwrites scores with their softmax.
func soften(row []float32) {
	var sum float64
	for _, v := range row {
		sum += math.Exp(float64(v))
	}
	for j, v := range row {
		row[j] = float32(math.Exp(float64(v)) / sum)
	}
}

func twoClasses(targets []Target) []Target {
	var two []Target
	for _, t := range targets {
		u := Target{Labels: make([]int, len(t.Labels)), Classes: 2}
		for i, l := range t.Labels {
			u.Labels[i] = l / 3
		}
		two = append(two, u)
	}
	return two
}

func BenchmarkFit(b *testing.B) {
	const n = 20000
	x, targets := outputs(n, 1)
	for _, l := range Learners() {
		b.Run(l.Name(), func(b *testing.B) {
			ts := targets
			if !l.Suits(ts[0]) {
				ts = twoClasses(ts)
			}
			for b.Loop() {
				must.Get(l.Fit(context.Background(), NewTable(x, 10).All(), ts, 1))(b)
			}
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "examples/s")
		})
	}
}

func BenchmarkPredict(b *testing.B) {
	const n = 100000
	x, targets := outputs(n, 2)
	fit, fitted := outputs(20000, 1)
	dst := make([][]float32, len(targets))
	for _, l := range Learners() {
		b.Run(l.Name(), func(b *testing.B) {
			ts := fitted
			if !l.Suits(ts[0]) {
				ts = twoClasses(ts)
			}
			for t := range dst {
				dst[t] = make([]float32, n*ts[t].Classes)
			}
			f := must.Get(l.Fit(context.Background(), NewTable(fit, 10).All(), ts, 1))(b)
			for b.Loop() {
				must.Do(b, f.Predict(context.Background(), dst, NewTable(x, 10).All()))
			}
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "examples/s")
		})
	}
}
