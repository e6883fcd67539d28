package classify

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

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
