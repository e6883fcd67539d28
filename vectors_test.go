package tattle

import (
	"math"
	"math/rand/v2"
	"testing"

	"tattle/internal/must"
)

func vectors(t *testing.T, n int) *Model {
	t.Helper()
	return must.Get(Vectors(n))(t)
}

// Of two vectors at a distance of 2d, the release says on which side of the middle it is: the likelier one is right with the
// probability Φ(d/σ). The posterior is a logistic function of the distance from the middle, whose variance is the floor.
func TestVectorsIdentified(t *testing.T) {
	const d, sigma = .5, .4
	list := [][]float32{{1, 2, 3 - d}, {1, 2, 3 + d}}
	id := must.Get(vectors(t, 3).Identify(t.Context(), list, Noise{Family: "gaussian", Sigma: sigma}, IdentifyOptions{Draws: 20000}))(t)
	first, square, weights := .5*math.Erfc(-d/sigma/math.Sqrt2), 0., 0.
	for z := -9.; z < 9; z += 1e-3 { // noise in units of σ, around the upper one
		w := math.Exp(-z * z / 2)
		p := 1 / (1 + math.Exp(-2*d*(d+sigma*z)/(sigma*sigma)))
		// The error of the mean of the posterior, of one number in three.
		square, weights = square+w*math.Pow(2*d*(1-p), 2)/3, weights+w
	}
	floor := math.Sqrt(square / weights)
	if id.First.Low > first || id.First.High < first || id.First.High-id.First.Low > .05 {
		t.Errorf("named %+v, want %.4f", id.First, first)
	}
	if id.Floor.Low > floor || id.Floor.High < floor || id.Floor.Low < .9*floor {
		t.Errorf("floor %+v, want %.4f", id.Floor, floor)
	}
}

// Estimators of vectors that are unbiased err by the noise itself, the release, and the best affine one by less: of vectors
// with the variance 1 and noise of the variance 1, by half of it.
func TestVectorsReconstructed(t *testing.T) {
	m, n := vectors(t, 4), Noise{Family: "gaussian", Sigma: 1}
	x := []float32{1, -2, 0, 3}
	c := must.Get(m.Certify(t.Context(), x, n, CertifyOptions{}))(t)
	for k, v := range c.Std {
		if !c.Certified || v > 1 || v < .999 {
			t.Errorf("number %d: at least %v, certified %t, want 1", k, v, c.Certified)
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	draw := func(count int) [][]float32 {
		all := make([][]float32, count)
		for i := range all {
			all[i] = make([]float32, 4)
			for k := range all[i] {
				all[i][k] = float32(r.NormFloat64())
			}
		}
		return all
	}
	known, square := draw(1000), 0.
	for i, x := range draw(200) {
		released := must.Get(m.Simulate(x, n, uint64(i)))(t)
		guess := must.Get(m.Attack(t.Context(), released, n, known, AttackOptions{}))(t)
		square += meanSquare(x, guess) / 200
	}
	// The mean of 800 squares of normal numbers is off by 5 standard errors once in a million times.
	if limit := .5 + 5*.5*math.Sqrt(2./800); square > limit || square < 1-limit {
		t.Errorf("mean-square error %v, want 0.5", square)
	}
}

// A guard releases vectors on its lattice; their norm is clipped, which limits every adversary.
func TestVectorsReleased(t *testing.T) {
	m, x := vectors(t, 3), []float32{3, 0, -4}
	if inputs, features := m.Dims(); inputs != 3 || features != 3 || m.Node() != "vectors" {
		t.Errorf("%d inputs, %d features at %s", inputs, features, m.Node())
	}
	n := Noise{Sigma: 1e-3, ClipNorm: 1}
	g := must.Get(m.Guard(n))(t)
	released := must.Get(g.Release(x))(t)
	must.Do(t, g.Close())
	if want := []float32{.6, 0, -.8}; meanSquare(released, want) > 1e-4 {
		t.Errorf("released %v, want about %v", released, want)
	}
	must.Get(m.WorstCase(n, 1))(t)
	short, nan := []float32{1, 2}, []float32{1, 2, float32(math.NaN())}
	must.Fail(t, must.Err(m.Features(short)), "an input of 2 numbers: the model has 3")
	must.Fail(t, must.Err(m.Outputs(nan)), "number 2 is NaN")
	must.Fail(t, must.Err(m.Identify(t.Context(), [][]float32{x, nan}, n, IdentifyOptions{})), "the list, input 1: an input: number 2 is NaN")
	e := Examples{Inputs: [][]float32{x, {1, 2, 3}}, Labels: []int{0, 1}}
	must.Fail(t, must.Err(m.Design(t.Context(), e, e, Promise{Identify: .1}, 1)), "vectors have no classes")
}
