package bound

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tattle/dataset"
	"tattle/internal/shared"
	"tattle/nn"
	"tattle/release"
)

// gaussians draws n inputs of covariance A Aᵀ, A [p, p] of small integers.
func gaussians(r *rand.Rand, n, p int) (d pictures, sigma []float64) {
	a := make([]float64, p*p)
	for i := range a {
		a[i] = float64(r.IntN(5)-2) / 2
	}
	for i := range p {
		a[i*p+i] += 3
	}
	sigma = make([]float64, p*p)
	for i := range p {
		for j := range p {
			for k := range p {
				sigma[i*p+j] += a[i*p+k] * a[j*p+k]
			}
		}
	}
	d = pictures{p: p, x: make([]float32, n*p), labels: make([]int, n)}
	for e := range n {
		for k := range p {
			g := r.NormFloat64()
			for i := range p {
				d.x[e*p+i] += float32(a[i*p+k] * g)
			}
		}
	}
	return d, sigma
}

func linearNet(t *testing.T, r *rand.Rand, p, n int) *nn.Net {
	t.Helper()
	w, b := &nn.Param{Name: "w", Shape: []int{n, p}, Data: make([]float32, n*p)}, &nn.Param{Name: "b", Shape: []int{n}, Data: make([]float32, n)}
	for i := range w.Data {
		w.Data[i] = float32(r.NormFloat64())
	}
	g := &nn.Graph{Name: "linear", Input: "x", InputShape: []int{p}, Output: "y",
		Nodes: []*nn.Node{{Name: "y", Op: &nn.Dense{In: p, Out: n, Weight: w, Bias: b}, Inputs: []string{"x"}, Output: "y"}}}
	net, err := nn.NewNet(g)
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// Of a linear net with Gaussian inputs the bound is the posterior's covariance,
// Σ − ΣWᵀ(WΣWᵀ + σ²/k)⁻¹WΣ, which the formula of NewVanTrees does not mention.
func TestVanTreesIsThePosteriorOfALinearModel(t *testing.T) {
	const p, n, sd, queries = 6, 4, 0.7, 3
	r := rand.New(rand.NewPCG(1, 2))
	data, sigma := gaussians(r, 50, p)
	net := linearNet(t, r, p, n)
	prior := &Prior{Mean: make([]float64, p), Covariance: sigma, P: p, Examples: 50}
	v, err := NewVanTrees(context.Background(), net, data, prior, release.Gaussian{Sigma: sd}, queries, VanTreesOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w := mat.NewDense(n, p, nil)
	for i, x := range net.Graph().Params()[0].Data {
		w.Set(i/p, i%p, float64(x))
	}
	var ws, inner, gain, want mat.Dense
	s := mat.NewDense(p, p, sigma)
	ws.Mul(w, s)
	inner.Mul(&ws, w.T())
	for i := range n {
		inner.Set(i, i, inner.At(i, i)+sd*sd/queries)
	}
	if err := gain.Solve(&inner, &ws); err != nil {
		t.Fatal(err)
	}
	want.Mul(ws.T(), &gain)
	want.Sub(s, &want)
	trace := 0.
	for i := range p {
		trace += want.At(i, i)
		for j := range p {
			if got := v.Covariance[i*p+j]; math.Abs(got-want.At(i, j)) > 1e-10*s.At(i, i) {
				t.Errorf("covariance %d,%d is %g, want %g", i, j, got, want.At(i, j))
			}
		}
	}
	if math.Abs(v.MeanSquare-trace/p) > 1e-10 {
		t.Errorf("mean square %g, want %g", v.MeanSquare, trace/p)
	}
	for k, got := range v.Std(Pixels(p)) {
		if math.Abs(got-math.Sqrt(want.At(k, k))) > 1e-10 {
			t.Errorf("input %d: %g, want %g", k, got, math.Sqrt(want.At(k, k)))
		}
	}
}

// Σ w_kᵀCw_k over an orthonormal basis is the trace, whichever the basis; and no
// release knows more than the prior and less than nothing.
func TestVanTreesOverModes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	data, _ := gaussians(r, 300, 12)
	prior, err := NewPrior(context.Background(), data, 12, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	net := smallNet(t, 12, 9, 7)
	previous := math.Inf(1)
	for _, queries := range []int{0, 2, 50} {
		v, err := NewVanTrees(context.Background(), net, data, prior, release.Gaussian{Sigma: 1}, queries, VanTreesOptions{Examples: 100, Seed: 5})
		if err != nil {
			t.Fatal(err)
		}
		sum, alone := 0., prior.Std(DCT([]int{3, 4}))
		for k, s := range v.Std(DCT([]int{3, 4})) {
			sum += s * s / 12
			if s > alone[k]*(1+1e-9) || !(s > 0) {
				t.Errorf("mode %d: %g with the release, %g without", k, s, alone[k])
			}
		}
		if math.Abs(sum/v.MeanSquare-1) > 1e-10 {
			t.Errorf("mean square over modes %g, over inputs %g", sum, v.MeanSquare)
		}
		if v.MeanSquare >= previous {
			t.Errorf("%d queries leave %g, fewer left %g", queries, v.MeanSquare, previous)
		}
		previous = v.MeanSquare
		for _, s := range v.Summaries(DCT([]int{3, 4}), 2) {
			if s.Status != StatusAssumed || s.Note == "" {
				t.Errorf("%s %s: status %q, note %q", s.Method, s.Band, s.Status, s.Note)
			}
		}
	}
}

// A sample variance of 20,000 Gaussian values has a relative standard deviation of
// √(2/20000) = 1%, its root 0.5%: a root 5% off is ten of them, below 1e-20. The
// shrinkage is about (tr Σ)²/n over ‖Σ−μI‖², a few thousandths.
func TestPriorOfGaussians(t *testing.T) {
	const p = 8
	data, sigma := gaussians(rand.New(rand.NewPCG(5, 6)), 20000, p)
	prior, err := NewPrior(context.Background(), data, p, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !(prior.Shrinkage > 0 && prior.Shrinkage < .01) {
		t.Errorf("shrinkage %g of 20,000 examples", prior.Shrinkage)
	}
	for i, s := range prior.Std(Pixels(p)) {
		if want := math.Sqrt(sigma[i*p+i]); math.Abs(s/want-1) > .05 {
			t.Errorf("input %d: standard deviation %g, want %g", i, s, want)
		}
	}
}

// Ledoit and Wolf's λ by its definition, a sum over examples of ‖xxᵀ − S‖².
func TestShrinkage(t *testing.T) {
	const n, p = 30, 10
	data, _ := gaussians(rand.New(rand.NewPCG(7, 8)), n, p)
	for e := range n {
		data.x[e*p+3] = 1.5 // an input that never changes
	}
	prior, err := NewPrior(context.Background(), data, p, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	s := mat.NewSymDense(p, nil)
	centred := make([]*mat.VecDense, n)
	for e := range n {
		centred[e] = mat.NewVecDense(p, nil)
		for i := range p {
			mean := 0.
			for k := range n {
				mean += float64(data.x[k*p+i]) / n
			}
			centred[e].SetVec(i, float64(data.x[e*p+i])-mean)
		}
		s.SymRankOne(s, 1./n, centred[e])
	}
	mu := mat.Trace(s) / p
	var b, d float64
	for _, x := range centred {
		var outer mat.Dense
		outer.Outer(1, x, x)
		outer.Sub(&outer, s)
		b += math.Pow(mat.Norm(&outer, 2), 2) / n / n
	}
	target := mat.DenseCopyOf(s)
	for i := range p {
		target.Set(i, i, s.At(i, i)-mu)
	}
	d = math.Pow(mat.Norm(target, 2), 2)
	if want := min(b/d, 1); math.Abs(prior.Shrinkage-want) > 1e-10 {
		t.Errorf("shrinkage %g, want %g", prior.Shrinkage, want)
	}
	if got, want := prior.Std(Pixels(p))[3], math.Sqrt(prior.Shrinkage*mu); math.Abs(got/want-1) > 1e-6 {
		t.Errorf("an input that never changes has standard deviation %g, want %g", got, want)
	}
	if math.Abs(prior.Mean[3]-1.5) > 1e-12 {
		t.Errorf("its mean is %g", prior.Mean[3])
	}
}

// Of one input known with variance v and released as w·x + noise, the bound is that
// of two measurements, 1/(1/v + w²/σ²).
func TestVanTreesOfOneInput(t *testing.T) {
	data := pictures{x: []float32{0, 2, 4, 6}, p: 1, labels: make([]int, 4)}
	prior, err := NewPrior(context.Background(), data, 1, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(prior.Covariance[0]-5) > 1e-12 || prior.Mean[0] != 3 {
		t.Errorf("variance %g and mean %g of 0, 2, 4, 6", prior.Covariance[0], prior.Mean[0])
	}
	net := linearNet(t, rand.New(rand.NewPCG(1, 1)), 1, 1)
	w := float64(net.Graph().Params()[0].Data[0])
	v, err := NewVanTrees(context.Background(), net, data, prior, release.Gaussian{Sigma: 2}, 0, VanTreesOptions{Examples: 1})
	if err != nil {
		t.Fatal(err)
	}
	if want := 1 / (1./5 + w*w/4); math.Abs(v.MeanSquare/want-1) > 1e-12 || v.Examples != 1 {
		t.Errorf("mean square %g from %d examples, want %g from 1", v.MeanSquare, v.Examples, want)
	}
}

// A release of one direction leaves the prior's part of all others, inputs that never
// change among them, where there are fewer examples than inputs.
func TestVanTreesOfFewExamples(t *testing.T) {
	const p, n = 20, 5
	data, _ := gaussians(rand.New(rand.NewPCG(11, 12)), n, p)
	for e := range n {
		data.x[e*p+7] = -1
	}
	prior, err := NewPrior(context.Background(), data, p, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	v, err := NewVanTrees(context.Background(), linearNet(t, rand.New(rand.NewPCG(2, 2)), p, 1), data, prior, release.Gaussian{Sigma: .1}, 1, VanTreesOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range v.Std(Pixels(p)) {
		if alone := prior.Std(Pixels(p))[i]; !(s > 0 && s < alone) {
			t.Errorf("input %d: %g with the release, %g without", i, s, alone)
		}
	}
}

func TestVanTreesRefuses(t *testing.T) {
	const p = 4
	data, sigma := gaussians(rand.New(rand.NewPCG(13, 14)), 9, p)
	net := linearNet(t, rand.New(rand.NewPCG(3, 3)), p, 2)
	prior := &Prior{Mean: make([]float64, p), Covariance: sigma, P: p, Examples: 9}
	broken := pictures{x: append(slices.Clone(data.x), 0, float32(math.NaN()), 0, 0), p: p, labels: make([]int, 10)}
	steep := linearNet(t, rand.New(rand.NewPCG(3, 3)), p, 2)
	steep.Graph().Params()[0].Data[1] = float32(math.Inf(1))
	flat := &Prior{Mean: prior.Mean, Covariance: make([]float64, p*p), P: p}
	for name, try := range map[string]struct {
		net      *nn.Net
		data     Source
		prior    *Prior
		examples int
	}{
		"other inputs":    {linearNet(t, rand.New(rand.NewPCG(3, 3)), p+1, 2), data, prior, 0},
		"no number":       {net, broken, prior, 0},
		"infinite":        {steep, data, prior, 0},
		"singular":        {net, data, flat, 0},
		"negative number": {net, data, prior, -1},
		"no data":         {net, pictures{p: p}, prior, 0},
	} {
		if _, err := NewVanTrees(context.Background(), try.net, try.data, try.prior, release.Gaussian{Sigma: 1}, 1, VanTreesOptions{Examples: try.examples}); err == nil {
			t.Errorf("%s: no error", name)
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
}

func TestPriorRefuses(t *testing.T) {
	constant := pictures{x: make([]float32, 20), p: 5, labels: make([]int, 4)}
	broken := pictures{x: make([]float32, 20), p: 5, labels: make([]int, 4)}
	broken.x[7] = float32(math.NaN())
	for _, d := range []pictures{constant, broken, {x: make([]float32, 5), p: 5, labels: make([]int, 1)}} {
		if _, err := NewPrior(context.Background(), d, 5, 0, 1); err == nil {
			t.Errorf("a prior from %v", d.x)
		}
	}
	if _, err := NewPrior(context.Background(), constant, priorLimit+1, 0, 1); err == nil {
		t.Error("a prior of too many inputs")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := NewPrior(ctx, constant, 5, 0, 1); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

func TestDrawExamples(t *testing.T) {
	a, b := drawExamples(100, 10, 1), drawExamples(100, 10, 2)
	same := 0
	for i := range a {
		if i > 0 && a[i] <= a[i-1] {
			t.Errorf("%v is not ascending", a)
		}
		if a[i] == b[i] {
			same++
		}
	}
	if same == len(a) {
		t.Error("two seeds draw the same examples")
	}
	if got := len(drawExamples(7, 10, 1)); got != 7 {
		t.Errorf("%d examples of 7", got)
	}
}

func BenchmarkPriorOfMNIST(b *testing.B) {
	data := mnistTraining(b)
	for b.Loop() {
		if _, err := NewPrior(context.Background(), data, 784, 0, 1); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVanTreesOfMNIST(b *testing.B) {
	data, o := mnistTraining(b), loadOracle(b)
	prior, err := NewPrior(context.Background(), data, 784, 4000, 1)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		v, err := NewVanTrees(context.Background(), o.net, data, prior, release.Gaussian{Sigma: o.sigma}, 1, VanTreesOptions{})
		if err != nil {
			b.Fatal(err)
		}
		alone := prior.Std(Pixels(784))
		sum := 0.
		for _, s := range alone {
			sum += s * s / 784
		}
		b.ReportMetric(math.Sqrt(v.MeanSquare), "rms")
		b.ReportMetric(math.Sqrt(sum), "prior-rms")
	}
}

func mnistTraining(t testing.TB) *dataset.Set {
	t.Helper()
	s, err := dataset.Open(shared.Path(t, "data/mnist"), dataset.Train)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
