package classify

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLogisticCells holds the fit to a closed form: with an indicator of each of three
// kinds of rows as columns and hardly a ridge, probabilities are the kinds' frequencies.
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
	got := guesses(t, Logistic{Ridge: 1e-9}, x, 3, []Target{{Labels: labels, Classes: 3}}, kinds)[0]
	for kind, row := range counts {
		soften(got[3*kind : 3*kind+3])
		for class, n := range row {
			if p := got[3*kind+class]; math.Abs(float64(p)-float64(n)/100) > 2e-3 {
				t.Errorf("kind %d, class %d: probability %v, want %v", kind, class, p, float64(n)/100)
			}
		}
	}
}

// TestSoftmaxLossGradient compares the gradient with differences of the value.
func TestSoftmaxLossGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	const n, stride, k = 40, 4, 3
	z, labels, w := make([]float32, n*stride), make([]int32, n), make([]float64, stride*k)
	for i := range z {
		z[i] = float32(r.NormFloat64())
	}
	for i := range labels {
		labels[i] = int32(r.IntN(k))
	}
	for i := range w {
		w[i] = r.NormFloat64()
	}
	l := newSoftmaxLoss(z, labels, stride, k, .3)
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
			t.Errorf("weight %d: gradient %v, difference %v", i, gradient[i], slope)
		}
		w[i] = at
	}
}

// TestRegression finds a line exactly, and in a column so faint beside the others that a
// ridge on the columns themselves would hide it.
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

// TestThresholdOracle compares the threshold with all of them, both ways.
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
				tau = entropy(x[3*i:3*i+3]) + 1e-9
			}
			above := make([]int, n)
			for j := range n {
				above[j] = int(indicator(entropy(x[3*j:3*j+3]) > tau))
			}
			a := accuracyOf(above, labels)
			best = max(best, a, 1-a)
		}
		if math.Abs(got-best) > 1e-12 {
			t.Fatalf("right at %v, the best threshold at %v", got, best)
		}
	}
}

// TestNeighboursOracle compares guesses with sorting all rows by distance, where rows
// repeat and distances tie.
func TestNeighboursOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 8))
	const d = 2
	for _, levels := range []int{3, 20, 1 << 20} {
		n := 2500 // more than a tile
		x, labels := make([]float32, n*d), make([]int, n)
		for i := range x {
			x[i] = float32(r.IntN(levels))
		}
		for i := range labels {
			labels[i] = r.IntN(3)
		}
		target := Target{Labels: labels, Classes: 3}
		fitted, err := Neighbours{}.Fit(context.Background(), x, d, []Target{target}, 1)
		if err != nil {
			t.Fatal(err)
		}
		f := fitted.(*crowd)
		q := x[:40*d]
		got := make([]float32, 40*3)
		if err := f.Predict(context.Background(), [][]float32{got}, q); err != nil {
			t.Fatal(err)
		}
		for i := range 40 {
			want := slowNeighbours(f, x, labels, q[i*d:(i+1)*d])
			for c, w := range want {
				if math.Abs(float64(got[3*i+c])-w) > 1e-6 {
					t.Fatalf("%d levels, k = %d, query %d: %v, want %v", levels, f.votes[0].k, i, got[3*i:3*i+3], want)
				}
			}
		}
	}
}

// slowNeighbours sorts all rows by their distance, to which float32 adds some rounding:
// those within 1e-5 of the k-th tie.
func slowNeighbours(f *crowd, x []float32, labels []int, query []float32) []float64 {
	v := f.votes[0]
	q := f.ranks.rows(query)
	ranked := f.ranks.rows(x)
	type row struct {
		far   float64
		label int
	}
	rows := make([]row, len(labels))
	for i := range rows {
		a, b := float64(ranked[2*i]-q[0]), float64(ranked[2*i+1]-q[1])
		rows[i] = row{a*a + b*b, labels[i]}
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.far, b.far) })
	limit := rows[v.k-1].far
	near, tied := make([]float64, 3), make([]float64, 3)
	var n, ties float64
	for _, r := range rows {
		switch {
		case r.far < limit-1e-5:
			near[r.label]++
			n++
		case r.far <= limit+1e-5:
			tied[r.label]++
			ties++
		}
	}
	for c := range near {
		near[c] = (near[c] + tied[c]*(float64(v.k)-n)/ties + v.prior[c]) / float64(v.k+1)
	}
	return near
}

// TestNeighboursOfLabels wants hard labels, ten rows among very many, to be guessed by
// what is most frequent at each.
func TestNeighboursOfLabels(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 8))
	const n, d = 100000, 10
	x, labels := make([]float32, n*d), make([]int, n)
	var counts [d][3]int
	for i := range n {
		y := r.IntN(d)
		x[i*d+y] = 1
		labels[i] = min(r.IntN(3+y%4), 2)
		counts[y][labels[i]]++
	}
	hard := make([]float32, d*d)
	for y := range d {
		hard[y*d+y] = 1
	}
	got := guesses(t, Neighbours{}, x, d, []Target{{Labels: labels, Classes: 3}}, hard)[0]
	for y, row := range counts {
		m := float64(row[0] + row[1] + row[2])
		for c, count := range row {
			if p := float64(got[3*y+c]); math.Abs(p-float64(count)/m) > .005 {
				t.Errorf("label %d, class %d: share %v, want %v", y, c, p, float64(count)/m)
			}
		}
	}
}

// TestKth compares selection with sorting.
func TestKth(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 8))
	for range 2000 {
		c := make([]candidate, 1+r.IntN(30))
		for i := range c {
			c[i] = candidate{float32(r.IntN(10)), int32(i)}
		}
		k := 1 + r.IntN(len(c))
		sorted := slices.Clone(c)
		slices.SortFunc(sorted, func(a, b candidate) int { return cmp.Compare(a.far, b.far) })
		if got := kth(c, k); got != sorted[k-1].far {
			t.Fatalf("the %d-th of %v is %v", k, sorted, got)
		}
		for i, f := range c {
			if i < k && f.far > sorted[k-1].far || i >= k && f.far < sorted[k-1].far {
				t.Fatalf("%v is not cut at %d", c, k)
			}
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
			x[i] = float32(r.IntN(40))
		}
		for i := range labels {
			labels[i] = int(indicator(x[i*d+1]+float32(10*r.NormFloat64()) > 20))
		}
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		b := newBoosted(Target{Labels: labels, Classes: 2}, order, n)
		b.slopes(n)
		bins := newBins(x, d)
		g := newGrower(n, d, 2)
		tree := g.grow(bins.columns(x, order), n, []int{0, 1, 2}, b.packed[0], b.scale, b.least, 1)
		gain := -1.
		for j := range d {
			for cut := range 40 {
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

// slowGain returns G₁²/(H₁+λ) + G₂²/(H₂+λ), −1 where a side is too small.
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

// TestEdges wants every value left of the edge that follows it.
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
