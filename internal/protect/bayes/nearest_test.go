package bayes

import (
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/math/simd"
	"tattle/internal/must"
	"tattle/internal/protect/release"
	"tattle/internal/run"
)

// Of candidates that differ in eight directions only, eight coordinates say all about distances, wherever the candidates are.
func TestLeadingDirections(t *testing.T) {
	const count, n = 30, 40
	values, far := make([]float32, count*n), 0.
	r := rand.New(rand.NewPCG(3, 5))
	for i := range values {
		if values[i] = 5; i%n < 8 {
			values[i] += float32(r.NormFloat64())
		}
	}
	l := newLeading(t.Context(), values, n, .5, 1)
	for j := range count {
		far = max(far, math.Sqrt(float64(simd.SumSquares(l.of(j)))))
		want, got := make([]float32, n), make([]float32, l.k)
		simd.Combine(want, values[:n], values[j*n:(j+1)*n], 1, -1, 0)
		simd.Combine(got, l.of(0), l.of(j), 1, -1, 0)
		if a, b := simd.SumSquares(got), simd.SumSquares(want); l.k != 8 || math.Abs(float64(a-b)) > 1e-4 {
			t.Errorf("the square of the distance from 0 to %d is %v in %d coordinates, want %v", j, a, l.k, b)
		}
	}
	if l.length != far {
		t.Errorf("the longest row has the length %v, want %v", l.length, far)
	}
	// A release is compared with those that may reach its level: its product with the true one, less its rounding.
	w, all := newWorkspace(n, l.k), l.around(values, n, []int{0}, .5)[0]
	for i := range n {
		w.z[i] = float32(r.NormFloat64() / 2)
	}
	all.compareAll(w, 1)
	z := w.leads[:l.k]
	if got, want := simd.Dot(z, all.leads)-w.levels[0], 0x1p-23*16*far*math.Sqrt(float64(simd.SumSquares(z))); math.Abs(float64(got)-want) > want/10 {
		t.Errorf("a rounding of %v, want %v", got, want)
	}
}

// The number of coordinates with the least work is known where two rows differ by twice step in each of the first some.
func TestLeastWork(t *testing.T) {
	const rows, n, most = 2, 100, 24
	for _, c := range []struct {
		some              int
		step, rest, sigma float64 // rest: the difference in the one feature that the coordinates leave out
		want              int
	}{
		{8, 4, 0, 2, 8},   // 22.6 apart: 8 rule out all
		{8, 4.2, 5, 2, 8}, // 5 features' standard deviations more hide little
		{8, 1, 0, 2, 8},   // 8 leave 8 % of 700, which with 8 is less than 100
		{16, 3, 0, 2, 16}, // 24 apart: 8 leave 4 % of 700, and 16 nothing
		{8, .1, 0, 2, n},  // nothing is ruled out
		{24, 9, 0, 2, n},  // no pair counts
	} {
		x, at := make([]float64, rows*n), make([]float64, rows*most)
		for i := range rows {
			x[i*n+most] = float64(i) * c.rest
			for k := range c.some {
				x[i*n+k] = c.step * float64(1-2*i)
				at[i*most+k] = x[i*n+k]
			}
		}
		if got := leastWork(x, at, n, most, c.sigma, 1); got != c.want {
			t.Errorf("%+v: %d coordinates", c, got)
		}
	}
}

// Features are compared in float32 only where these err by at most finest: 2⁻²⁴ of the largest in each number of each release.
func TestCoarseFeatures(t *testing.T) {
	for largest, want := range map[float64]bool{4100: true, 4300: false, -4100: true, -4300: false} { // the limit is at 4,194
		list := table{4, []float64{largest, 0, 0, 0, 1, 1, 1, 1}}
		if _, fine, err := nearest(t.Context(), list, release.Gaussian{Sigma: 1}, []int{0}, [][]int{{0}, {1}}, 1, Options{Queries: 4}); err != nil || fine != want {
			t.Errorf("features up to %v: %t, %v", largest, fine, err)
		}
	}
	for count, want := range map[int]bool{1 << 20: true, 1<<20 + 1: false} {
		if ByDistance(computed{count: count, dim: nearestValues >> 20}, release.Gaussian{Sigma: 1}, Options{}) != want {
			t.Errorf("%d candidates are held at once: not %t", count, want)
		}
	}
}

// TestNearestByLeadingCoordinates compares the releases that name candidates with the distances of all candidates, for features
// that differ mostly in few directions and in all alike.
func TestNearestByLeadingCoordinates(t *testing.T) {
	const count, n, people, releases = candidatesTogether + 90, 24, 5, 50
	for _, fall := range []float64{.7, 1} {
		for _, sigma := range []float64{.1, .5, 2} {
			r := rand.New(rand.NewPCG(1, 2))
			mix, list := make([]float64, n*n), table{n, make([]float64, count*n)}
			for i := range mix {
				mix[i] = r.NormFloat64()
			}
			for j := range count {
				size := 1.
				for k := range n {
					z := r.NormFloat64() * size
					for i := range n {
						list.a[j*n+i] += float64(float32(z * mix[k*n+i] / n))
					}
					size *= fall
				}
			}
			for i, v := range list.a {
				list.a[i] = float64(float32(v))
			}
			e := must.Get(Expose(t.Context(), list, release.Gaussian{Sigma: sigma}, people, releases, Options{Seed: 3}))(t)
			for i, p := range e.People {
				draws, z, same, hits := run.Rand(3, p, streamNearest), make([]float64, n), 0, 0
				for range releases {
					draws.IntN(1 + same)
					release.Gaussian{Sigma: sigma}.Sample(z, draws)
					named := true
					for j := range count {
						square := 0.
						for k, v := range z {
							d := list.a[p*n+k] - list.a[j*n+k]
							square += d * (d + 2*float64(float32(v)))
						}
						named = named && square >= 0
					}
					if named {
						hits++
					}
				}
				if hits != e.Hits[i] {
					t.Fatalf("fall %v, sigma %v: candidate %d is named in %d releases, want %d", fall, sigma, p, e.Hits[i], hits)
				}
			}
		}
	}
}
