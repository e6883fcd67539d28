package attack

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"tattle/internal/simd"
	"tattle/nn"
	"tattle/release"
	"tattle/run"
)

// Identified counts how often one release identified its input in a list of candidates.
type Identified struct {
	Inputs     int // with one release each
	Candidates int // in the list, with the inputs among them
	Found      int // inputs that are the likeliest candidate of their release
}

const (
	mostCandidates   = 10000
	leastIdentified  = 20  // inputs, however many candidates
	mostIdentified   = 200 // inputs, however few
	identifyWork     = 2e8 // differences of features and release, a second or two
	identifyingBatch = 256
)

// Identify plays an adversary who has a list of candidate inputs and the model: of one
// release y of each of some inputs of data, it takes the candidate whose features make y
// likeliest under the noise, the posterior's mode under equal odds. The candidates are the
// first inputs of data, up to 10,000, and the inputs that are tried are spread evenly over
// them. Densities with an edge at 0 are softened as an attack's are, which can only make the
// adversary weaker. It returns an error if ctx ends.
func Identify(ctx context.Context, front nn.Model, noise release.Noise, data nn.Source, seed uint64) (*Identified, error) {
	_, n := front.Dims()
	count := min(data.Len(), mostCandidates)
	inputs := min(count, max(leastIdentified, min(mostIdentified, int(identifyWork/float64(count*n)))))
	features, err := featuresOf(ctx, front, data, count)
	if err != nil {
		return nil, err
	}
	found := make([]bool, inputs)
	fit, _ := likelihoodOf(noise, 1)
	simd.Parallel(inputs, 1, func(lo, hi int) {
		residual, drawn := make([]float32, n), make([]float64, n)
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			truth := i * count / inputs
			released(drawn, features[truth*n:(truth+1)*n], noise, run.Rand(seed, truth, -1))
			own, best := math.Inf(1), math.Inf(1)
			for k := range count {
				for j, a := range features[k*n : (k+1)*n] {
					residual[j] = float32(float64(a) - drawn[j])
				}
				if cost := fit(residual); k == truth {
					own = cost
				} else {
					best = min(best, cost)
				}
			}
			found[i] = own < best
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := &Identified{Inputs: inputs, Candidates: count}
	for _, yes := range found {
		if yes {
			out.Found++
		}
	}
	return out, nil
}

// featuresOf returns those of the first count inputs, [count, n].
func featuresOf(ctx context.Context, front nn.Model, data nn.Source, count int) ([]float32, error) {
	p, n := front.Dims()
	out, x := make([]float32, count*n), make([]float32, identifyingBatch*p)
	for lo := 0; lo < count; lo += identifyingBatch {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("features of the candidates: %w", err)
		}
		some := make([]int, min(identifyingBatch, count-lo))
		for i := range some {
			some[i] = lo + i
		}
		data.Examples(x[:len(some)*p], some)
		front.Forward(out[lo*n:(lo+len(some))*n], x[:len(some)*p])
	}
	return out, nil
}

// released overwrites dst with features and one draw of the noise.
func released(dst []float64, features []float32, noise release.Noise, r *rand.Rand) {
	noise.Sample(dst, r)
	for j, a := range features {
		dst[j] += float64(a)
	}
}
