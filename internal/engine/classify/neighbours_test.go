package classify

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/must"
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
		fitted := must.Get(Neighbours{}.Fit(context.Background(), x, d, []Target{target}, 1))(t)
		f := fitted.(*knnModel)
		q := x[:40*d]
		got := make([]float32, 40*3)
		must.Do(t, f.Predict(context.Background(), [][]float32{got}, q))
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
func slowNeighbours(f *knnModel, x []float32, labels []int, query []float32) []float64 {
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

// TestClosest compares selection with sorting, of points that stand for one row or more,
// one of which may not count.
func TestClosest(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 8))
	for range 3000 {
		c, p := make([]candidate, 1+r.IntN(30)), &points{}
		rows := len(c)
		for i := range c {
			c[i] = candidateOf(float32(1+r.IntN(10)), i)
		}
		if r.IntN(2) == 0 {
			for range c {
				p.weights = append(p.weights, 1+r.IntN(3))
				rows += p.weights[len(p.weights)-1] - 1
			}
		}
		self := -1 + r.IntN(len(c)+1)
		k := 1 + r.IntN(rows+1)
		limit, nearer, tied := slowClosest(p, slices.Clone(c), k, self)
		near, end, share := p.closest(c, k, self)
		if tied == 0 || k == len(c) && p.weights == nil && self < 0 { // no choice
			if near != len(c) || end != len(c) || share != 0 {
				t.Fatalf("all of %v count for %d rows, not up to %d", c, k, end)
			}
			continue
		}
		if got := p.rows(c[:near], self); got != nearer {
			t.Fatalf("%d rows are nearer than the %d-th of %v, want %d", got, k, c, nearer)
		}
		if got := p.rows(c[near:end], self); got != tied || share != float64(k-nearer)/float64(tied) {
			t.Fatalf("%d rows with a share of %v are as far as the %d-th of %v, want %d", got, share, k, c, tied)
		}
		for i, f := range c {
			if i < near != (f.distance() < limit) || i >= end != (f.distance() > limit) {
				t.Fatalf("%v is not cut at %d and %d", c, near, end)
			}
		}
	}
}

// slowClosest returns the distance of the k-th row, the rows nearer, and those as far:
// none if there are fewer than k.
func slowClosest(p *points, c []candidate, k, self int) (limit float32, nearer, tied int) {
	slices.SortFunc(c, func(a, b candidate) int { return cmp.Compare(a.distance(), b.distance()) })
	for lo := 0; lo < len(c); nearer += tied {
		hi := lo
		for hi < len(c) && c[hi].distance() == c[lo].distance() {
			hi++
		}
		if tied = p.rows(c[lo:hi], self); nearer+tied >= k {
			return c[lo].distance(), nearer, tied
		}
		lo = hi
	}
	return limit, nearer, 0
}
