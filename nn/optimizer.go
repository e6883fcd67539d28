package nn

import "tattle/internal/simd"

// PyTorch's settings of Adam and AdamW.
const (
	DefaultLearningRate = 1e-3
	DefaultBeta1        = 0.9
	DefaultBeta2        = 0.999
	DefaultEpsilon      = 1e-8
	DefaultAdamWDecay   = 0.01 // of AdamW; Adam's is 0
)

// AdamOptions are the settings of Adam and AdamW; zero means PyTorch's default.
type AdamOptions struct {
	LearningRate, Beta1, Beta2, Epsilon float64
	WeightDecay                         float64 // negative for none
}

// An Optimizer changes parameters by their gradients, Param.Grad.
type Optimizer interface {
	// Params returns the parameters that it changes.
	Params() []*Param
	// Step makes one step with every gradient.
	Step()
}

// Adam is the optimiser of Kingma & Ba (2015) and, with decoupled weight decay,
// AdamW of Loshchilov & Hutter (2019), in PyTorch's form.
type Adam struct {
	rule    simd.AdamRule
	params  []*Param
	moments [][2][]float32
	steps   int

	at    int // the parameter that the cores share
	now   simd.AdamCoefficients
	share func(lo, hi int)
}

// NewAdam returns Adam, whose weight decay adds WeightDecay·w to the gradient.
func NewAdam(params []*Param, o AdamOptions) *Adam { return newAdam(params, o, false, 0) }

// NewAdamW returns AdamW, which first shrinks the weights by 1 − rate·WeightDecay.
func NewAdamW(params []*Param, o AdamOptions) *Adam {
	return newAdam(params, o, true, DefaultAdamWDecay)
}

func newAdam(params []*Param, o AdamOptions, decoupled bool, decay float64) *Adam {
	a := &Adam{params: unique(params), rule: simd.AdamRule{
		Rate:      orDefault(o.LearningRate, DefaultLearningRate),
		Beta1:     orDefault(o.Beta1, DefaultBeta1),
		Beta2:     orDefault(o.Beta2, DefaultBeta2),
		Epsilon:   orDefault(o.Epsilon, DefaultEpsilon),
		Decay:     max(0, orDefault(o.WeightDecay, decay)),
		Decoupled: decoupled,
	}}
	for _, p := range a.params {
		a.moments = append(a.moments, [2][]float32{make([]float32, len(p.Data)), make([]float32, len(p.Data))})
	}
	a.share = func(lo, hi int) {
		p, m := a.params[a.at], &a.moments[a.at]
		simd.AdamStep(p.Data[lo:hi], p.Grad[lo:hi], m[0][lo:hi], m[1][lo:hi], a.now)
	}
	return a
}

// Params returns the parameters that it changes, each once.
func (a *Adam) Params() []*Param { return a.params }

// Step changes every parameter that has a gradient; those of no net that was trained
// have none.
func (a *Adam) Step() {
	a.steps++
	a.now = a.rule.At(a.steps)
	for i, p := range a.params {
		if p.Grad == nil {
			continue
		}
		a.at = i
		simd.Parallel(len(p.Data), grain, a.share)
		p.Changed()
	}
}

func orDefault(v, otherwise float64) float64 {
	if v == 0 {
		return otherwise
	}
	return v
}

// unique returns the parameters without repetitions.
func unique(params []*Param) []*Param {
	seen := map[*Param]bool{}
	var once []*Param
	for _, p := range params {
		if !seen[p] {
			seen[p] = true
			once = append(once, p)
		}
	}
	return once
}
