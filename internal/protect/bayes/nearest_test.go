package bayes

import (
	"math/rand/v2"
	"testing"

	"tattle/internal/must"
	"tattle/internal/protect/release"
	"tattle/internal/run"
)

// TestNearestByLeadingCoordinates compares the releases that name candidates with the distances of all candidates, for features
// that differ mostly in few directions and in all alike.
func TestNearestByLeadingCoordinates(t *testing.T) {
	const count, n, people, releases = 150, 24, 10, 100
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
