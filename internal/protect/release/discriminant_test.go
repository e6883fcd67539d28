package release_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/release"
)

// labelled are inputs with labels 0, 1, … in turn.
type labelled struct {
	inputs
	classes int
}

func (l labelled) Label(i int) int { return i % l.classes }

// identity is a net that gives its n inputs.
func identity(t *testing.T, n int) nn.Model {
	t.Helper()
	return must.Get(nn.NewNet(&nn.Graph{Name: "identity", Input: "x", InputShape: []int{n}, Output: "y", Nodes: []*nn.Node{
		{Name: "y", Op: &nn.Identity{}, Inputs: []string{"x"}, Output: "y"}}}))(t)
}

// Of two Gaussian classes of the same covariance A the discriminant is S⁻¹(m₁ − m₀), with
// S = A + 0.01 of the mean variance, and of unit variance if the covariance is S; the way back
// undoes the map.
func TestDiscriminant(t *testing.T) {
	const count = 20000
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float32, 0, 3*count)
	for i := range count { // A = [1, 1, 0; 1, 2, 0; 0, 0, 9], means ±(1, 0, 1)/2 about (5, 6, 7)
		u, v, w, m := r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), float64(i%2)-.5
		x = append(x, float32(5+m+u), float32(6+u+v), float32(7+m+3*w))
	}
	m := must.Get(release.Discriminant(context.Background(), identity(t, 3), 2, 1, labelled{inputs{P: 3, X: x}, 2}))(t)
	const det = 1.04*2.04 - 1                              // S = A + 0.04
	direction := []float64{2.04 / det, -1 / det, 1 / 9.04} // S⁻¹(1, 0, 1)
	length := math.Sqrt(2.04/det + 1/9.04)                 // its standard deviation: (1, 0, 1)·direction
	sign := math.Copysign(1, m.Weight[0])
	for j, want := range direction {
		if got := sign * m.Weight[j]; math.Abs(got-want/length) > .03 {
			t.Errorf("entry %d of the direction is %v, want %v", j, got, want/length)
		}
		if want := 5 + float64(j); math.Abs(m.Mean[j]-want) > .1 {
			t.Errorf("mean %v, want %v", m.Mean[j], want)
		}
	}
	var round float64
	for j, w := range m.Weight {
		round += w * m.Back[j]
	}
	if math.Abs(round-1) > 1e-12 {
		t.Errorf("WB = %v", round)
	}
}

// With as many directions as classes less one, the means of the classes stay as far apart as
// within all features, in standard deviations within the classes.
func TestDiscriminantKeepsTheMeans(t *testing.T) {
	const n, classes, each = 6, 4, 400
	r := rand.New(rand.NewPCG(3, 4))
	means := make([]float64, classes*n)
	for i := range means {
		means[i] = 3 * r.NormFloat64()
	}
	x := make([]float32, 0, classes*each*n)
	for i := range classes * each {
		for j := range n {
			x = append(x, float32(means[i/each*n+j]+r.NormFloat64()))
		}
	}
	m := must.Get(release.Discriminant(context.Background(), identity(t, n), classes, classes-1, sorted{inputs{P: n, X: x}, each}))(t)
	for a := range classes {
		for b := range a {
			var want, got float64
			for j := range n {
				d := means[a*n+j] - means[b*n+j]
				want += d * d
			}
			for i := range m.Out {
				var d float64
				for j := range n {
					d += m.Weight[i*n+j] * (means[a*n+j] - means[b*n+j])
				}
				got += d * d
			}
			if math.Abs(math.Sqrt(got/want)-1) > .1 {
				t.Errorf("classes %d and %d: distance %v, want %v", a, b, math.Sqrt(got), math.Sqrt(want))
			}
		}
	}
}

// Of a source of many examples that is sorted by class, a release learns from all classes.
func TestDiscriminantOfSorted(t *testing.T) {
	const each = 10001
	train := sorted{inputs{P: 6, X: normal(6 * 3 * each)}, each}
	must.Get2((release.Spec{Keep: 2, Projection: "discriminant"}).Build(context.Background(), smallNet(false), train))(t)
}

// sorted are inputs sorted by class.
type sorted struct {
	inputs
	each int
}

func (s sorted) Label(i int) int { return i / s.each }

// unlabelled are inputs without labels.
type unlabelled struct{ inputs }

func (unlabelled) Label(int) int { return -1 }

func TestDiscriminantErrs(t *testing.T) {
	data := inputs{P: 6, X: normal(6 * 40)}
	flat := inputs{P: 6, X: make([]float32, 6*40)}
	for _, c := range []struct {
		classes, keep int
		train         nn.Source
		want          string
	}{
		{3, 3, labelled{data, 3}, "at most 2 discriminant directions"},
		{3, 0, labelled{data, 3}, "at most 2 discriminant directions"},
		{9, 7, labelled{data, 9}, "at most 6 discriminant directions"},
		{4, 2, labelled{data, 3}, "class 3 has no examples"},
		{2, 1, labelled{data, 3}, "example 2 has label 2 of 2 classes"},
		{3, 2, unlabelled{data}, "example 0 has no label"},
		{3, 2, labelled{flat, 3}, "do not vary within the classes"},
		{3, 2, inputs{P: 6, X: nil}, "no examples"},
	} {
		must.Fail(t, must.Err(release.Discriminant(context.Background(), identity(t, 6), c.classes, c.keep, c.train)), c.want)
	}
	for want, s := range map[string]release.Spec{
		"training data":                 {Keep: 2, Projection: "discriminant"},
		"for discriminant directions, ": {Surface: "logits", Keep: 2, Projection: "discriminant"},
	} {
		var train nn.Source
		if want != "training data" {
			train = labelled{data, 3}
		}
		g := smallNet(false)
		if s.Surface != "" {
			g = &nn.Graph{Name: "wide", Input: "x", InputShape: []int{1 << 14}, Output: "y", Nodes: []*nn.Node{
				{Name: "y", Op: &nn.Identity{}, Inputs: []string{"x"}, Output: "y"}}}
		}
		must.Fail(t, must.Err2(s.Build(context.Background(), g, train)), want)
	}
}
