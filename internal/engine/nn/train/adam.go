package train

import (
	"cmp"
	"math"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
)

// PyTorch's settings of Adam and AdamW.
const (
	DefaultLearningRate = 1e-3
	defaultBeta1        = 0.9
	defaultBeta2        = 0.999
	defaultEpsilon      = 1e-8
	defaultAdamWDecay   = 0.01 // of AdamW; Adam's is 0
)

// AdamOptions are the settings of Adam and AdamW; zero means PyTorch's default.
type AdamOptions struct {
	LearningRate, Beta1, Beta2, Epsilon float64
	WeightDecay                         float64 // negative for none
	// Schedule, unless nil, returns what the learning rate is multiplied by at each
	// step, the first being 0.
	Schedule func(step int) float64
}

// HalfCosine is a schedule that falls from 1 to 0 over that many steps by half a
// period of the cosine.
func HalfCosine(steps int) func(step int) float64 {
	return func(step int) float64 { return (1 + math.Cos(math.Pi*float64(step)/float64(steps))) / 2 }
}

// An Optimizer changes parameters by their gradients, nn.Param.Grad.
type Optimizer interface {
	// Params returns the parameters that it changes.
	Params() []*nn.Param
	// Step makes one step with every gradient.
	Step()
}

// Adam is the optimiser of Kingma & Ba (2015) and, with decoupled weight decay,
// AdamW of Loshchilov & Hutter (2019), in PyTorch's form.
type Adam struct {
	rule     simd.AdamRule
	schedule func(step int) float64
	params   []*nn.Param
	moments  [][2][]float32
	steps    int
}

// NewAdam returns Adam, whose weight decay adds WeightDecay·w to the gradient.
func NewAdam(params []*nn.Param, o AdamOptions) *Adam { return newAdam(params, o, false, 0) }

// NewAdamW returns AdamW, which first shrinks the weights by 1 − rate·WeightDecay.
func NewAdamW(params []*nn.Param, o AdamOptions) *Adam {
	return newAdam(params, o, true, defaultAdamWDecay)
}

func newAdam(params []*nn.Param, o AdamOptions, decoupled bool, decay float64) *Adam {
	a := &Adam{schedule: o.Schedule, rule: simd.AdamRule{
		Rate:      cmp.Or(o.LearningRate, DefaultLearningRate),
		Beta1:     cmp.Or(o.Beta1, defaultBeta1),
		Beta2:     cmp.Or(o.Beta2, defaultBeta2),
		Epsilon:   cmp.Or(o.Epsilon, defaultEpsilon),
		Decay:     max(0, cmp.Or(o.WeightDecay, decay)),
		Decoupled: decoupled,
	}}
	for _, p := range params {
		if slices.Contains(a.params, p) {
			continue
		}
		a.params = append(a.params, p)
		a.moments = append(a.moments, [2][]float32{make([]float32, len(p.Data)), make([]float32, len(p.Data))})
	}
	return a
}

// Params returns the parameters that it changes, each once.
func (a *Adam) Params() []*nn.Param { return a.params }

// Step changes every parameter that has a gradient.
func (a *Adam) Step() {
	rule := a.rule
	if a.schedule != nil {
		rule.Rate *= a.schedule(a.steps)
	}
	a.steps++
	now := rule.At(a.steps)
	for i, p := range a.params {
		if p.Grad == nil {
			continue
		}
		m := &a.moments[i]
		simd.Parallel(len(p.Data), grain, func(lo, hi int) {
			simd.AdamStep(p.Data[lo:hi], p.Grad[lo:hi], m[0][lo:hi], m[1][lo:hi], now)
		})
		p.Changed()
	}
}

// Reset forgets the moments and the number of steps, for a new start.
func (a *Adam) Reset() {
	a.steps = 0
	for _, m := range a.moments {
		clear(m[0])
		clear(m[1])
	}
}

// grain is how many entries of a parameter are worth a core of their own.
const grain = 1 << 14
