package simd

import "math"

// AdamRule holds the settings of Adam (Kingma and Ba, 2015) or, with Decoupled,
// AdamW (Loshchilov and Hutter, 2019), in PyTorch's form.
type AdamRule struct {
	Rate, Beta1, Beta2, Epsilon float64
	Decay                       float64 // the weight decay λ
	Decoupled                   bool    // AdamW: w ← (1 − Rate·λ)·w first. Otherwise λ·w is added to the gradient.
}

// AdamCoefficients are the numbers of one step of an AdamRule; AdamRule.At makes
// them.
type AdamCoefficients struct {
	shrink  float32 // 1 − rate·λ, decoupled
	l2      float32 // λ, coupled
	rest1   float32 // 1 − β1
	beta2   float32
	rest2   float32 // 1 − β2
	root    float32 // 1/√(1 − β2^t)
	epsilon float32
	rate    float32 // rate/(1 − β1^t)
}

// At returns the coefficients of step t; the first step is 1.
func (r AdamRule) At(t int) AdamCoefficients {
	c := AdamCoefficients{
		shrink:  1,
		rest1:   float32(1 - r.Beta1),
		beta2:   float32(r.Beta2),
		rest2:   float32(1 - r.Beta2),
		root:    float32(1 / math.Sqrt(1-math.Pow(r.Beta2, float64(t)))),
		epsilon: float32(r.Epsilon),
		rate:    float32(r.Rate / (1 - math.Pow(r.Beta1, float64(t)))),
	}
	if r.Decoupled {
		c.shrink = float32(1 - r.Rate*r.Decay)
	} else {
		c.l2 = float32(r.Decay)
	}
	return c
}

// AdamStep updates the weights w and the moments m and v with the gradient g, in
// one pass:
//
//	w ← (1 − rate·λ)·w               (decoupled), or g ← g + λ·w
//	m ← m + (1 − β1)·(g − m)
//	v ← β2·v + (1 − β2)·g²
//	w ← w − rate/(1 − β1^t) · m / (√v/√(1 − β2^t) + ε)
//
// Each element stands alone: the step may be split over cores anywhere and gives
// the same bytes.
func AdamStep(w, g, m, v []float32, p AdamCoefficients) {
	sameLength(len(w), len(g), len(m), len(v))
	if !hasKernels() {
		adamStepGo(w, g, m, v, &p)
		return
	}
	adamF32(f32(w), f32(g), f32(m), f32(v), len(w), &p)
}

func adamStepGo(w, g, m, v []float32, p *AdamCoefficients) {
	g, m, v = g[:len(w)], m[:len(w)], v[:len(w)]
	for i, wi := range w {
		gi := g[i] + p.l2*wi
		wi *= p.shrink
		mi := m[i] + p.rest1*(gi-m[i])
		vi := p.beta2*v[i] + p.rest2*gi*gi
		m[i], v[i] = mi, vi
		denominator := float32(math.Sqrt(float64(vi)))*p.root + p.epsilon
		w[i] = wi - p.rate*mi/denominator
	}
}
