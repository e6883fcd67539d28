package bound

import "math"

// CramerRao holds the Cramér-Rao figures of one example, or of several, [examples, m], for m
// coordinates: by linear algebra on J in float64, without a witness.
type CramerRao struct {
	// Axis[k] = σ/‖J w_k‖ (A eq. 28), for an adversary who knows all of θ but wᵀθ;
	// +Inf where J w_k = 0.
	Axis []float64
	// Full[k] = σ·sqrt(wᵀ(JᵀJ)⁺w): the bound for wᵀPθ, P projecting on the row space
	// of J. Where w lies in the row space, that is the bound for wᵀθ.
	Full []float64
	// Seen[k] = ‖P w_k‖²/‖w_k‖², how much of w the features can see. Less than 1
	// means that no unbiased estimator of wᵀθ exists.
	Seen []float64
}

// SeenTolerance is how far below 1 rounding may take ‖P w‖² of a w in the row
// space of J: a coordinate further below is called not identifiable. The
// singular vectors are orthonormal to about 1e-15/gramRatio, 1e-7, at worst.
const SeenTolerance = 1e-6

// CramerRao evaluates the bounds for coordinates c and noise σ.
func (f *Factors) CramerRao(c Coordinates, sigma float64) CramerRao {
	m, r := c.Len(), f.Rank()
	out := CramerRao{make([]float64, m), make([]float64, m), make([]float64, m)}
	wv := make([]float64, r*m) // (W v_i)_k
	c.Apply(wv, f.V)
	for i, s := range f.S {
		for k, v := range wv[i*m : (i+1)*m] {
			out.Axis[k] += (v * s) * (v * s)
			out.Full[k] += (v / s) * (v / s)
			out.Seen[k] += v * v
		}
	}
	for k := range m {
		out.Axis[k] = sigma / math.Sqrt(out.Axis[k])
		out.Full[k] = sigma * math.Sqrt(out.Full[k])
	}
	return out
}

// Resolvable counts, for each threshold t, the directions #{i : σ/s_i ≤ t} that
// an unbiased adversary can estimate to within t (in the model's units).
func Resolvable(s []float64, sigma float64, thresholds []float64) []int {
	counts := make([]int, len(thresholds))
	for _, v := range s {
		for k, t := range thresholds {
			if sigma <= t*v {
				counts[k]++
			}
		}
	}
	return counts
}
