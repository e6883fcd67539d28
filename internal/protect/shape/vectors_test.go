package shape

import (
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
)

// attributed are features, of which some directions depend on a class.
// After the layer, the means of all classes are equal: no linear function is correlated with a class. What is left varies.
func TestErased(t *testing.T) {
	const n, examples, keep = 6, 600, 3
	r := rand.New(rand.NewPCG(5, 5))
	first, second := nn.Rows{P: n}, nn.Rows{P: n}
	for range examples {
		a, b := r.IntN(2), r.IntN(3)
		for k := range n {
			v := r.NormFloat64()*float64(1+k) + float64(a*(k+1)) - float64(b*b)*.5
			first.X = append(first.X, float32(v))
		}
		first.Labels, second.Labels = append(first.Labels, a), append(second.Labels, b)
	}
	second.X = first.X
	moments := func(of nn.Rows, classes int) *Moments { return must.Get(NewMoments(t.Context(), of, n, classes))(t) }
	all := []*Moments{moments(first, 2), moments(second, 3)}
	d := must.Get(Erased(all, keep))(t)
	net := must.Get(nn.NewNet(Chain("release", []int{n}, d)))(t)
	y := make([]float32, examples*keep)
	net.Forward(y, first.X)
	for which, of := range []nn.Rows{first, second} {
		released := must.Get(NewMoments(t.Context(), nn.Rows{P: keep, X: y, Labels: of.Labels}, keep, all[which].Classes))(t)
		for i, m := range released.Means {
			if math.Abs(m-released.Mean[i%keep]) > 1e-4 {
				t.Errorf("attribute %d: the mean of number %d of class %d is %v, of all %v", which, i%keep, i/keep, m, released.Mean[i%keep])
			}
		}
		for k := range keep {
			if released.Within[k*keep+k] < 1 {
				t.Errorf("number %d varies by %v", k, released.Within[k*keep+k])
			}
		}
	}
	must.Fail(t, must.Err(Erased(all, n-2)), "without the directions of the attributes there are 3")
	flat := nn.Rows{P: 2, X: make([]float32, 20), Labels: []int{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}}
	must.Fail(t, must.Err(Erased([]*Moments{must.Get(NewMoments(t.Context(), flat, 2, 2))(t)}, 1)), "do not vary")
}

// Of one number x with noise, y = a·x + b is estimated by shrinking x toward its mean: the closed form.
func TestJointHead(t *testing.T) {
	const examples, sigma = 2000, .7
	r := rand.New(rand.NewPCG(6, 6))
	var x, y []float32
	var indices []int
	var mean, variance float64
	for i := range examples {
		v := float32(3 + 2*r.NormFloat64())
		x, y, indices = append(x, v), append(y, 5*v-1, -v), append(indices, i)
		mean += float64(v) / examples
	}
	for _, v := range x {
		variance += (float64(v) - mean) * (float64(v) - mean) / examples
	}
	d := must.Get(NewJoint(x, y, 1, 2, indices).Head(sigma))(t)
	for k, a := range []float64{5, -1} {
		slope := a * variance / (variance + sigma*sigma)
		offset := a*mean + []float64{-1, 0}[k] - slope*mean
		if math.Abs(float64(d.Weight.Data[k])-slope) > 1e-4 || math.Abs(float64(d.Bias.Data[k])-offset) > 1e-3 {
			t.Errorf("y%d = %v·x + %v, want %v·x + %v", k, d.Weight.Data[k], d.Bias.Data[k], slope, offset)
		}
	}
}
