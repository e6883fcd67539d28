package classify

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
)

// TestLogisticCells compares the fit with a closed form: if the columns indicate three kinds of
// rows, and the ridge is small, the probabilities are the frequencies in each kind.
func TestLogisticCells(t *testing.T) {
	counts := [3][3]int{{10, 20, 70}, {50, 25, 25}, {5, 90, 5}} // kind × class
	var x []float32
	var labels []int
	for kind, row := range counts {
		for class, n := range row {
			for range n {
				x = append(x, 0, 0, 0)
				x[len(x)-3+kind] = 1
				labels = append(labels, class)
			}
		}
	}
	kinds := []float32{1, 0, 0, 0, 1, 0, 0, 0, 1}
	got := guesses(t, Logistic{ridge: 1e-9}, x, 3, []Target{{Labels: labels, Classes: 3}}, kinds)[0]
	for kind, row := range counts {
		soften(got[3*kind : 3*kind+3])
		for class, n := range row {
			if p := got[3*kind+class]; math.Abs(float64(p)-float64(n)/100) > 2e-3 {
				t.Errorf("kind %d, class %d: probability %v, want %v", kind, class, p, float64(n)/100)
			}
		}
	}
}

// TestLinearLossGradient compares the gradients with differences of the values, of classes and of numbers.
func TestLinearLossGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	const n, stride, k = 40, 4, 3
	z, classes, numbers := make([]float32, n*stride), Target{Labels: make([]int, n), Classes: k}, Target{Values: make([]float64, n)}
	for i := range z {
		z[i] = float32(r.NormFloat64())
	}
	for i := range n {
		classes.Labels[i], numbers.Values[i] = r.IntN(k), r.NormFloat64()
	}
	for _, target := range []Target{classes, numbers} {
		l, w := newLinearLoss(z, stride, .3, target), make([]float64, stride*target.Width())
		for i := range w {
			w[i] = r.NormFloat64()
		}
		l.evaluate(w)
		gradient := slices.Clone(l.gradient)
		const h = 1e-2 // the value is rounded at 1e-7
		for i := range w {
			at := w[i]
			w[i] = at + h
			l.evaluate(w)
			above := l.value
			w[i] = at - h
			l.evaluate(w)
			if slope := (above - l.value) / (2 * h); math.Abs(slope-gradient[i]) > 2e-4 {
				t.Errorf("%d scores, weight %d: gradient %v, difference %v", target.Width(), i, gradient[i], slope)
			}
			w[i] = at
		}
	}
}

// TestRegression finds a line exactly, also in a column with values so small that a ridge on
// unscaled columns would suppress it.
func TestRegression(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 8))
	const n = 500
	x, values := make([]float32, 2*n), make([]float64, n)
	labels := make([]int, n)
	for i := range n {
		a, b := float32(r.NormFloat64()), float32(r.NormFloat64())
		x[2*i], x[2*i+1] = a, a+.001*b
		values[i] = 3 + 2*float64(b)
		labels[i] = int(indicator(b > 0))
	}
	got := guesses(t, Logistic{}, x, 2, []Target{{Values: values}, {Labels: labels, Classes: 2}}, x)
	if r2 := explained(got[0], values); r2 < .999 {
		t.Errorf("R² is %v of a line", r2)
	}
	if a := right(got[1], labels); a < .97 {
		t.Errorf("accuracy %v of separable classes", a)
	}
}

// TestThresholdOracle compares the threshold with the best of all, in both directions.
func TestThresholdOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 8))
	for range 200 {
		n := 1 + r.IntN(12)
		x, labels := make([]float32, 3*n), make([]int, n)
		for i := range n {
			copy(x[3*i:], [][]float32{{1, 0, 0}, {.5, .5, 0}, {.4, .3, .3}, {.9, .1, 0}}[r.IntN(4)])
			labels[i] = r.IntN(2)
		}
		got := right(guesses(t, Threshold{}, x, 3, []Target{{Labels: labels, Classes: 2}}, x)[0], labels)
		best := 0.
		for i := -1; i < n; i++ {
			tau := -1.
			if i >= 0 {
				tau = Entropy(x[3*i:3*i+3]) + 1e-9
			}
			above := make([]int, n)
			for j := range n {
				above[j] = int(indicator(Entropy(x[3*j:3*j+3]) > tau))
			}
			a := Accuracy(above, labels).Value
			best = max(best, a, 1-a)
		}
		if math.Abs(got-best) > 1e-12 {
			t.Fatalf("right at %v, the best threshold at %v", got, best)
		}
	}
}

// TestThresholdNeighbours requires a cut between two entropies that are adjacent numbers.
func TestThresholdNeighbours(t *testing.T) {
	for _, low := range []float64{1, math.Nextafter(1, 2)} {
		h := []float64{low, math.Nextafter(low, 2)}
		if c, right := BestCut(h, []int{0, 1}, halfway(h), true); !(c.Tau >= h[0] && c.Tau < h[1]) || right != 2 {
			t.Errorf("τ = %v between %v", c.Tau, h)
		}
	}
}

// TestSplitOracle compares a tree's first split with all splits, in float64 and without
// bins.
func TestSplitOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 50 {
		const n, d = 90, 3
		x, labels := make([]float32, n*d), make([]int, n)
		for i := range x {
			x[i] = float32(r.IntN(30))
		}
		for i := range labels {
			labels[i] = int(indicator(x[i*d+1]+float32(10*r.NormFloat64()) > 15))
		}
		b := newBoosted(Target{Labels: labels, Classes: 2}, nn.Indices(n), n)
		b.slopes(n)
		bins := newBins(x, d)
		bins.columns([]int{0, 1, 2})
		g := newGrower(n, d, 2, binsOf(n))
		tree := g.grow(bins.codes, []int{0, 1, 2}, b.packed[0], b.scale, b.least, 1)
		gain := -1.
		for j := range d {
			for cut := range 30 {
				gain = max(gain, slowGain(b, x, j, float32(cut), d))
			}
		}
		if len(tree) != 3 {
			t.Fatalf("a tree of %d nodes, gain %v", len(tree), gain)
		}
		cut := bins.edges[tree[0].column][tree[0].bin]
		if got := slowGain(b, x, int(tree[0].column), cut, d); math.Abs(got-gain) > 1e-3 {
			t.Errorf("the split gains %v, the best %v", got, gain)
		}
	}
}

// slowGain returns G₁²/(H₁+λ) + G₂²/(H₂+λ), −1 if a side is too small.
func slowGain(b *boosted, x []float32, column int, cut float32, d int) float64 {
	var g, h [2]float64
	p := sigmoid(b.start[0])
	for i, l := range b.labels {
		side := int(indicator(x[i*d+column] > cut))
		g[side] += p - float64(l)
		h[side] += p * (1 - p)
	}
	if min(h[0], h[1]) < b.least {
		return -1
	}
	return g[0]*g[0]/(h[0]+leafRidge) + g[1]*g[1]/(h[1]+leafRidge)
}

// TestEdges requires that every value is less than the edge that follows it.
func TestEdges(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for range 300 {
		sorted := make([]float32, 1+r.IntN(60))
		for i := range sorted {
			sorted[i] = float32(r.IntN(30))
		}
		slices.Sort(sorted)
		most := 2 + r.IntN(20)
		e := edges(sorted, most)
		values := len(slices.Compact(slices.Clone(sorted)))
		if len(e) >= most || !slices.IsSorted(e) || values > 1 && len(e) == 0 || values <= most && len(e) != values-1 {
			t.Fatalf("edges %v of %v in %d bins", e, sorted, most)
		}
	}
	if a, b := float32(1), math.Nextafter32(1, 2); between(a, b) != a {
		t.Error("no room between neighbours")
	}
}
