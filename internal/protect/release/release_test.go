package release

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"tattle/internal/engine/nn"
	"tattle/internal/math/stat"
	"tattle/internal/must"
	"tattle/internal/run"
)

// falseAlarm is the probability with which a statistical test here would fail,
// were its seed drawn anew.
const falseAlarm = 1e-5

// linear is the model x ↦ W x, W being [n, p]. It has no derivatives here.
type linear struct {
	nn.Model
	p, n int
	w    []float32
}

func (l linear) Dims() (p, n int) { return l.p, l.n }

func (l linear) Forward(dst, x []float32) {
	for i := range dst {
		example, row := i/l.n, i%l.n
		dst[i] = 0
		for j := range l.p {
			dst[i] += l.w[row*l.p+j] * x[example*l.p+j]
		}
	}
}

func identity(p int) linear {
	l := linear{p: p, n: p, w: make([]float32, p*p)}
	for i := range p {
		l.w[i*p+i] = 1
	}
	return l
}

func TestNewGaussian(t *testing.T) {
	for _, sigma := range []float64{MinSigma, .01, 1.7024195, MaxSigma} {
		if g, err := NewGaussian(sigma); err != nil || g.Sigma != sigma {
			t.Errorf("sigma %v: %v, %v", sigma, g, err)
		}
	}
	inf := math.Inf(1)
	for _, sigma := range []float64{0, math.Copysign(0, -1), -1, -inf, inf, math.NaN(), 1e300, 1e-300, MaxSigma * 1.01} {
		g, err := NewGaussian(sigma)
		if err == nil || !strings.HasPrefix(err.Error(), "sigma ") || !strings.Contains(err.Error(), "give the noise") || strings.Contains(err.Error(), "\n") {
			t.Errorf("sigma %v: error %v", sigma, err)
		}
		if g != (Gaussian{}) {
			t.Errorf("sigma %v: %v", sigma, g)
		}
	}
}

func TestFeatureScale(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	data := nn.Rows{P: 3, Labels: make([]int, 2*batchSize+17)}
	var want float64
	for range data.Labels {
		for j := range 3 {
			v := float32(r.NormFloat64())
			if len(data.X) == 5 {
				v = -9
			}
			data.X = append(data.X, v)
			v *= float32(j + 1)
			want += float64(v) * float64(v) / float64(3*len(data.Labels))
		}
	}
	m := linear{p: 3, n: 3, w: []float32{1, 0, 0, 0, 2, 0, 0, 0, 3}}
	got, largest, err := FeatureScale(context.Background(), m, data)
	if err != nil || math.Abs(got-math.Sqrt(want)) > 1e-12*got || largest != 27 {
		t.Errorf("%v, largest %v, %v, want %v and 27", got, largest, err, math.Sqrt(want))
	}
	data.X[3*200+1] = float32(math.Inf(1))
	m.w = []float32{0, 1, 0, 0, 0, 1, 1, 0, 0}
	must.Fail(t, must.Err2(FeatureScale(context.Background(), m, data)), "example 200: feature 0")
	must.Fail(t, must.Err2(FeatureScale(context.Background(), m, nn.Rows{P: 3, X: make([]float32, 3), Labels: []int{0}})), "zero")
	must.Fail(t, must.Err2(FeatureScale(context.Background(), m, nn.Rows{P: 3})), "no examples")
}

// separated returns n examples of two classes. A head classifies most of them right, by the given
// margin, and the others wrong, by the same margin.
func separated(n, wrong int, margin float32) (nn.Rows, linear) {
	data := nn.Rows{P: 4}
	for i := range n {
		label := i % 2
		m := margin * float32(1-2*label)
		if i < wrong {
			m = -m
		}
		data.X = append(data.X, m/2, m/2, float32(i), -1)
		data.Labels = append(data.Labels, label)
	}
	return data, linear{p: 4, n: 2, w: []float32{1, 1, 0, 0, 0, 0, 0, 0}}
}

// The head's logits are x₀ + x₁ and 0, so with noise of σ in each feature an
// example of margin m is right with probability Φ(m/(σ√2)).
func TestUtilityOfLinearModel(t *testing.T) {
	const n, margin = 5000, 1.5
	data, head := separated(n, 0, margin)
	for _, sigma := range []float64{.5, 1.7, 40} {
		f := Features{Front: identity(4), Head: head, Noise: Gaussian{sigma}}
		u := must.Get(f.Utility(context.Background(), data, UtilityOptions{Draws: 3, Seed: 7}))(t)
		if u.Clean.Correct != n || u.Clean.Trials != n || u.Clean.Fraction != 1 || u.Clean.Interval.High != 1 {
			t.Errorf("clean %+v", u.Clean)
		}
		want := distuv.UnitNormal.CDF(margin / (sigma * math.Sqrt2))
		in := stat.ClopperPearson(u.Released.Correct, u.Released.Trials, 1-falseAlarm)
		if u.Released.Trials != 3*n || want < in.Low || want > in.High {
			t.Errorf("σ = %v: %+v, outside of which lies %v", sigma, u.Released, want)
		}
		right := 0 // with the noise of three draws, of both features that count
		z := make([]float64, 4)
		for i, y := range data.Labels {
			for draw := range 3 {
				Gaussian{sigma}.Sample(z, run.Rand(7^noiseStream, i, draw))
				if y == nn.Largest([]float32{float32(float64(data.X[4*i])+z[0]) + float32(float64(data.X[4*i+1])+z[1]), 0}) {
					right++
				}
			}
		}
		if u.Examples != n || u.Released.Correct != right {
			t.Errorf("%+v, want %d right answers", u, right)
		}
		out := must.Get(f.Outputs(context.Background(), data, 7))(t)
		Gaussian{sigma}.Sample(z, run.Rand(7^noiseStream, n-1, 0))
		if want := float32(float64(data.X[4*n-4])+z[0]) + float32(float64(data.X[4*n-3])+z[1]); len(out) != 2*n || out[2*n-2] != want || out[2*n-1] != 0 {
			t.Errorf("%d outputs; the last two are %v, want %v and 0", len(out), out[len(out)-2:], want)
		}
		f.Head = nil
		if out = must.Get(f.Outputs(context.Background(), data, 7))(t); len(out) != 4*n || out[4*n-1] != float32(-1+z[3]) {
			t.Errorf("%d numbers are released; the last is %v, want %v", len(out), out[len(out)-1], -1+z[3])
		}
	}
}

func TestCleanAccuracy(t *testing.T) {
	data, head := separated(400, 37, 1)
	f := Features{Front: identity(4), Head: head, Noise: Gaussian{MinSigma}}
	u := must.Get(f.Utility(context.Background(), data, UtilityOptions{}))(t)
	want := Accuracy{Correct: 363, Trials: 400, Fraction: 363. / 400, Interval: stat.ClopperPearson(363, 400, .95)}
	if u.Clean != want || u.Released != want {
		t.Errorf("%+v, want %+v", u, want)
	}
	whole, scores, err := CleanUtility(context.Background(), head, data, nil, nil)
	if err != nil || whole != want || len(scores) != 400 {
		t.Errorf("%+v, %v", whole, err)
	}
}

// Intervals of several draws are those of one: the examples bound what is known.
func TestIntervalsOfSeveralDraws(t *testing.T) {
	hits := slices.Repeat([]float64{.9}, 100)
	hits[0] += .05
	a := newAccuracy(hits, 20, nil)
	if want := (stat.Interval{Low: stat.ClopperPearson(90, 100, .95).Low, High: stat.ClopperPearson(91, 100, .95).High}); a.Interval != want {
		t.Errorf("%v, want %v", a.Interval, want)
	}
	if a = newAccuracy(slices.Repeat([]float64{1}, 100), 20, nil); a.Fraction != 1 || a.Interval.High != 1 {
		t.Errorf("%+v", a)
	}
}

func TestNoiseBelongsToTheExample(t *testing.T) {
	const n, examples, draws = 3, 50, 4
	features := make([]float32, examples*n)
	for i := range features {
		features[i] = float32(i)
	}
	whole := func(seed uint64, draw int, features []float32) []float32 {
		return (&noise{source: Gaussian{1}, n: n, seed: seed}).add(0, draw, features)
	}
	var parts []float32
	s := &noise{source: Gaussian{1}, n: n, seed: 9}
	for lo := 0; lo < examples; lo += 7 {
		hi := min(lo+7, examples)
		parts = append(parts, s.add(lo, 2, features[lo*n:hi*n])...)
	}
	if !slices.Equal(whole(9, 2, features), parts) {
		t.Error("noise depends on the batch")
	}
	seen := map[float32]bool{}
	for seed := range uint64(2) {
		for draw := range draws {
			for _, z := range whole(seed, draw, make([]float32, len(features))) {
				if seen[z] {
					t.Fatalf("noise %v came twice", z)
				}
				seen[z] = true
			}
		}
	}
}

func TestUtilityRefuses(t *testing.T) {
	good, head := separated(300, 0, 1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	label := nn.Rows{P: 4, X: good.X, Labels: slices.Clone(good.Labels)}
	label.Labels[250] = 2
	value := nn.Rows{P: 4, X: slices.Clone(good.X), Labels: good.Labels}
	value.X[4*250] = float32(math.NaN())
	for want, f := range map[string]func() error{
		"the model has the classes 0 to 1: give it the data set": func() error { _, _, err := CleanUtility(t.Context(), head, label, nil, nil); return err },
		"example 250 has label 2":                                func() error { _, _, err := CleanUtility(t.Context(), head, label, nil, nil); return err },
		"example 250: its logits are not finite":                 func() error { _, _, err := CleanUtility(t.Context(), head, value, nil, nil); return err },
		"no examples":                                            func() error { _, _, err := CleanUtility(t.Context(), head, nn.Rows{P: 4}, nil, nil); return err },
		"context canceled": func() error {
			_, err := Features{Front: identity(4), Head: head, Noise: Gaussian{1}}.Utility(ctx, good, UtilityOptions{})
			return err
		},
		"the head takes 4 features": func() error {
			_, err := Features{Front: linear{p: 4, n: 5, w: make([]float32, 20)}, Head: head, Noise: Gaussian{1}}.Utility(context.Background(), good, UtilityOptions{})
			return err
		},
		"-1 draws": func() error {
			_, err := Features{Front: identity(4), Head: head, Noise: Gaussian{1}}.Utility(context.Background(), good, UtilityOptions{Draws: -1})
			return err
		},
	} {
		must.Fail(t, f(), want)
	}
}
