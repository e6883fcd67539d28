package bayes

import (
	"context"
	"math"
	"math/rand/v2"

	"tattle/internal/math/simd"
)

// temperatures are the values of τ that ChooseTemperature tries. The log-likelihood is divided
// by τ, because the true input is usually not in the list, and the posterior over the list is
// then too narrow.
var temperatures = []float64{1, 2, 4, 8, 16, 32, 64}

// Mean is an attack: it reconstructs inputs from releases as the posterior mean over the list,
// Σ_j p_j·x_j with p_j ∝ f(y − a(x_j))^(1/τ), for each temperature τ. The true input need not be
// in the list. If excluded is not nil, candidate excluded[b] (unless negative) is left out of the
// list for release b. y is [draws, Dim] and the result [τ][draws·p]. inputs overwrites x
// with the inputs of candidates. Weights are summed in float32, with a relative error of about
// 10⁻⁵.
func Mean(ctx context.Context, list Candidates, p int, inputs func(x []float32, indices []int), noise Density, y []float64, temperatures []float64, excluded []int) ([][]float32, error) {
	d := &releases{y, list.Dim(), 1}
	draws := d.len()
	l := newLikelihoods(d, noise)
	out, states := make([][]float32, len(temperatures)), make([][]mean, len(temperatures))
	for k := range temperatures {
		out[k], states[k] = make([]float32, draws*p), make([]mean, draws)
		for b := range states[k] {
			states[k][b].largest = math.Inf(-1)
		}
	}
	block := blockOf(max(d.dim, p/2)) // inputs are float32
	x, likelihood, weights := make([]float32, block*p), make([]float64, blockDraws*block), make([]float32, blockDraws*block)
	err := eachBlock(ctx, list, block, func(indices []int, features []float64) error {
		from, n := indices[0], len(indices)
		inputs(x[:n*p], indices)
		l.load(features, n)
		for lo := 0; lo < draws; lo += blockDraws {
			if err := ctx.Err(); err != nil {
				return err
			}
			hi := min(lo+blockDraws, draws)
			rows := likelihood[:(hi-lo)*n]
			l.rows(rows, lo, hi)
			if excluded != nil {
				for b := lo; b < hi; b++ {
					if j := excluded[b] - from; excluded[b] >= 0 && j >= 0 && j < n {
						rows[(b-lo)*n+j] = math.Inf(-1)
					}
				}
			}
			for k, τ := range temperatures {
				simd.Parallel(hi-lo, 4, func(first, last int) {
					for b := first; b < last; b++ {
						scale := states[k][lo+b].add(weights[b*n:(b+1)*n], rows[b*n:(b+1)*n], 1/τ)
						simd.Scale(scale, out[k][(lo+b)*p:(lo+b+1)*p])
					}
				})
				simd.Gemm(false, false, hi-lo, p, n, 1, weights, n, x, p, 1, out[k][lo*p:hi*p], p)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for k := range out {
		for b := range draws {
			simd.Scale(float32(1/states[k][b].weight), out[k][b*p:(b+1)*p])
		}
	}
	return out, nil
}

// mean holds the largest log-likelihood so far and the sum of weights relative to it.
type mean struct{ largest, weight float64 }

// add overwrites w with the weights of a block, exp(l·sharpness − largest), and returns the
// factor by which the caller must scale its earlier sums.
func (m *mean) add(w []float32, l []float64, sharpness float64) float32 {
	highest := math.Inf(-1)
	for _, v := range l {
		highest = max(highest, v*sharpness)
	}
	scale := 1.
	if highest > m.largest {
		scale = math.Exp(m.largest - highest)
		m.largest = highest
	}
	var sum float64
	for j, v := range l {
		r := v*sharpness - m.largest
		if !(r >= negligible) {
			w[j] = 0
			continue
		}
		e := math.Exp(r)
		w[j] = float32(e)
		sum += e
	}
	m.weight = m.weight*scale + sum
	return float32(scale)
}

// mostGuessed is how many numbers of guesses ChooseTemperature holds, of all temperatures: 32 MB.
const mostGuessed = 1 << 23

// ChooseTemperature returns the element of temperatures with the smallest error of Mean on
// releases of candidates. It draws trials candidates, leaves each out of the list in turn, and
// compares root mean square errors. An adversary can make this choice with the list alone.
func ChooseTemperature(ctx context.Context, list Candidates, p int, inputs func(x []float32, indices []int), noise Density, trials int, r *rand.Rand) (float64, error) {
	dim := list.Dim()
	truth, features, y := make([]int, trials), make([]float64, trials*dim), make([]float64, trials*dim)
	for b := range truth {
		truth[b] = r.IntN(list.Len())
	}
	if err := readFeatures(ctx, list, features, truth); err != nil {
		return 0, err
	}
	for b := range trials {
		noise.Sample(y[b*dim:(b+1)*dim], r)
	}
	simd.Add(y, y, features)
	some := min(trials, max(1, mostGuessed/(p*len(temperatures))))
	x, squares := make([]float32, some*p), make([]float64, len(temperatures))
	for first := 0; first < trials; first += some {
		of := truth[first:min(first+some, trials)]
		guesses, err := Mean(ctx, list, p, inputs, noise, y[first*dim:(first+len(of))*dim], temperatures, of)
		if err != nil {
			return 0, err
		}
		inputs(x[:len(of)*p], of)
		for k, guess := range guesses {
			for i, v := range guess {
				e := float64(v - x[i])
				squares[k] += e * e
			}
		}
	}
	best := 0
	for k, s := range squares {
		if s < squares[best] {
			best = k
		}
	}
	return temperatures[best], nil
}
