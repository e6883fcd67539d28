package shape

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
)

// rows are labelled features.
// randomRows draws correlated features, whose means depend on the class.
func randomRows(count, n, classes int) nn.Rows {
	r := rand.New(rand.NewPCG(3, uint64(n)))
	d := nn.Rows{P: n}
	for range count {
		y, common := r.IntN(classes), r.NormFloat64()
		d.Labels = append(d.Labels, y)
		for j := range n {
			d.X = append(d.X, float32(common+r.NormFloat64()*float64(j+1)/3+float64(y*(j%3))))
		}
	}
	return d
}

func TestMoments(t *testing.T) {
	const count, n, classes = 1203, 7, 3
	d := randomRows(count, n, classes)
	m := must.Get(NewMoments(context.Background(), d, n, classes))(t)
	share, mean, means, within := make([]float64, classes), make([]float64, n), make([]float64, classes*n), make([]float64, n*n)
	for i, y := range d.Labels {
		share[y]++
		for j := range n {
			means[y*n+j] += float64(d.X[i*n+j])
			mean[j] += float64(d.X[i*n+j]) / count
		}
	}
	for y := range classes {
		for j := range n {
			means[y*n+j] /= share[y]
		}
		share[y] /= count
	}
	for i, y := range d.Labels {
		for j := range n {
			for k := range n {
				within[j*n+k] += (float64(d.X[i*n+j]) - means[y*n+j]) * (float64(d.X[i*n+k]) - means[y*n+k]) / count
			}
		}
	}
	if m.N != n || m.Classes != classes {
		t.Errorf("%d features, %d classes", m.N, m.Classes)
	}
	near(t, "shares", m.Share, share, 1e-12)
	near(t, "mean", m.Mean, mean, 1e-12)
	near(t, "means", m.Means, means, 1e-12)
	near(t, "covariance", m.Within, within, 1e-11)
}

func TestMomentsRefuse(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	nan := randomRows(20, 2, 2)
	nan.X[7] = float32(math.NaN())
	for _, c := range []struct {
		ctx        context.Context
		data       nn.Rows
		n, classes int
		want       string
	}{
		{context.Background(), nn.Rows{P: 2}, 2, 2, "no examples"},
		{context.Background(), randomRows(20, 2, 2), MostFeatures + 1, 2, "too many"},
		{context.Background(), randomRows(20, 2, 2), 2, 3, "class 2 has no examples"},
		{context.Background(), randomRows(20, 2, 3), 2, 2, "has label 2 of 2 classes"},
		{context.Background(), nan, 2, 2, "example 3: feature 1 is NaN"},
		{ctx, randomRows(20, 2, 2), 2, 2, "canceled"},
	} {
		must.Fail(t, must.Err(NewMoments(c.ctx, c.data, c.n, c.classes)), c.want)
	}
}

// near compares numbers.
func near(t *testing.T, name string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", name, len(got), len(want))
	}
	for i, v := range got {
		if !(math.Abs(v-want[i]) <= tolerance*(1+math.Abs(want[i]))) {
			t.Errorf("%s: entry %d is %v, want %v", name, i, v, want[i])
		}
	}
}

// gaussians returns the moments of Gaussian classes of equal covariance.
func gaussians(n int, share ...float64) *Moments {
	r := rand.New(rand.NewPCG(9, uint64(n)))
	m := &Moments{N: n, Classes: len(share), Share: share, Means: make([]float64, len(share)*n), Mean: make([]float64, n), Within: make([]float64, n*n)}
	for y, p := range share {
		for j := range n {
			m.Means[y*n+j] = .5 * r.NormFloat64()
			m.Mean[j] += p * m.Means[y*n+j]
		}
	}
	for range n + 2 {
		v := make([]float64, n)
		for j := range v {
			v[j] = r.NormFloat64()
		}
		for j := range n {
			for k := range n {
				m.Within[j*n+k] += v[j] * v[k] / float64(n)
			}
		}
	}
	return m
}

// covariance returns Within with a number added to the diagonal.
func (m *Moments) covariance(add float64) *mat.SymDense {
	s := mat.NewSymDense(m.N, append([]float64(nil), m.Within...))
	for i := range m.N {
		s.SetSym(i, i, s.At(i, i)+add)
	}
	return s
}

// class returns the mean of a class.
func (m *Moments) class(y int) *mat.VecDense { return mat.NewVecDense(m.N, m.Means[y*m.N:(y+1)*m.N]) }

// row returns a row of a layer's weights.
func row(d *nn.Dense, i int) *mat.VecDense {
	v := mat.NewVecDense(d.In, nil)
	for j := range d.In {
		v.SetVec(j, float64(d.Weight.Data[i*d.In+j]))
	}
	return v
}

// TestDiscriminant compares the direction of two classes with S⁻¹(μ₁ − μ₀), S with its ridge.
func TestDiscriminant(t *testing.T) {
	m := gaussians(6, .3, .7)
	d := must.Get(m.Discriminant(1))(t)
	s := m.covariance(ridge * mat.Trace(m.covariance(0)) / 6)
	var apart, want mat.VecDense
	apart.SubVec(m.class(1), m.class(0))
	must.Do(t, want.SolveVec(s, &apart))
	w := row(d, 0)
	cos := mat.Dot(w, &want) / mat.Norm(w, 2) / mat.Norm(&want, 2)
	if math.Abs(math.Abs(cos)-1) > 1e-10 {
		t.Errorf("cosine of the direction with S⁻¹(μ₁ − μ₀): %v", cos)
	}
	if v := mat.Inner(w, s, w); math.Abs(v-1) > 1e-5 {
		t.Errorf("variance within the classes: %v, want 1", v)
	}
	if v := mat.Dot(w, mat.NewVecDense(6, m.Mean)) + float64(d.Bias.Data[0]); math.Abs(v) > 1e-6 {
		t.Errorf("the mean becomes %v, want 0", v)
	}
}

// TestDiscriminantWhitens holds that several directions are uncorrelated within the classes, and
// that the first keeps the classes apart the most.
func TestDiscriminantWhitens(t *testing.T) {
	m := gaussians(8, .2, .3, .1, .4)
	d := must.Get(m.Discriminant(3))(t)
	s := m.covariance(ridge * mat.Trace(m.covariance(0)) / 8)
	last := math.Inf(1)
	for i := range 3 {
		for j := range 3 {
			want := 0.
			if i == j {
				want = 1
			}
			if v := mat.Inner(row(d, i), s, row(d, j)); math.Abs(v-want) > 1e-5 {
				t.Errorf("covariance of %d and %d: %v, want %v", i, j, v, want)
			}
		}
		var between float64
		for y, p := range m.Share {
			between += p * math.Pow(mat.Dot(row(d, i), m.class(y))+float64(d.Bias.Data[i]), 2)
		}
		if between > last {
			t.Errorf("direction %d keeps the classes apart by %v, the one before by %v", i, between, last)
		}
		last = between
	}
	for _, keep := range []int{0, 4} {
		if _, err := m.Discriminant(keep); err == nil || !strings.Contains(err.Error(), "from 1 to 3") {
			t.Errorf("keep %d: error %v", keep, err)
		}
	}
}

// TestHead compares differences of logits with the logarithm of the posterior odds of Gaussian
// classes with noise.
func TestHead(t *testing.T) {
	const n, sigma = 5, .8
	m := gaussians(n, .2, .5, .3)
	h := must.Get(m.Head(sigma))(t)
	s := m.covariance(sigma * sigma)
	r := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		x := mat.NewVecDense(n, nil)
		for j := range n {
			x.SetVec(j, r.NormFloat64())
		}
		odds, logits := make([]float64, 3), make([]float64, 3)
		for y := range odds {
			var d, w mat.VecDense
			d.SubVec(x, m.class(y))
			must.Do(t, w.SolveVec(s, &d))
			odds[y] = math.Log(m.Share[y]) - mat.Dot(&d, &w)/2
			logits[y] = mat.Dot(row(h, y), x) + float64(h.Bias.Data[y])
		}
		for y := range 2 {
			near(t, "log odds", []float64{logits[y+1] - logits[0]}, []float64{odds[y+1] - odds[0]}, 1e-5)
		}
	}
}

// TestHeadReachesBayes compares the accuracy of the head of two equally frequent classes with the
// best possible one, Φ(½√((μ₁−μ₀)ᵀ(S+σ²)⁻¹(μ₁−μ₀))).
func TestHeadReachesBayes(t *testing.T) {
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	m := gaussians(4, .5, .5)
	for _, sigma := range []float64{.1, 1, 4} {
		h := must.Get(m.Head(sigma))(t)
		s := m.covariance(sigma * sigma)
		var apart, solved, w mat.VecDense
		apart.SubVec(m.class(1), m.class(0))
		must.Do(t, solved.SolveVec(s, &apart))
		w.SubVec(row(h, 1), row(h, 0))
		b, spread := float64(h.Bias.Data[1]-h.Bias.Data[0]), math.Sqrt(mat.Inner(&w, s, &w))
		got := (phi((mat.Dot(&w, m.class(1))+b)/spread) + phi(-(mat.Dot(&w, m.class(0))+b)/spread)) / 2
		if want := phi(math.Sqrt(mat.Dot(&apart, &solved)) / 2); math.Abs(got-want) > 1e-6 {
			t.Errorf("σ = %v: accuracy %v, want %v", sigma, got, want)
		}
	}
	flat := &Moments{N: 1, Classes: 2, Share: []float64{.5, .5}, Means: []float64{0, 1}, Mean: []float64{.5}, Within: []float64{0}}
	must.Fail(t, must.Err(flat.Head(0)), "singular") // no variance and no noise
}
