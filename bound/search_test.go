package bound

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tattle/lsqr"
	"tattle/nn"
	"tattle/release"
)

// smallNet is a ReLU net with weights of PyTorch's size, p inputs and n features.
func smallNet(t testing.TB, p, hidden, n int) *nn.Net {
	t.Helper()
	r := rand.New(rand.NewPCG(7, uint64(p)))
	param := func(scale float64, shape ...int) *nn.Param {
		x := &nn.Param{Name: "w", Shape: shape, Data: make([]float32, nn.Size(shape))}
		for i := range x.Data {
			x.Data[i] = float32(scale * (2*r.Float64() - 1))
		}
		return x
	}
	a, b := 2/math.Sqrt(float64(p)), 2/math.Sqrt(float64(hidden))
	g := &nn.Graph{Name: "small", Input: "x", InputShape: []int{p}, Output: "d", Nodes: []*nn.Node{
		{Name: "a", Op: &nn.Dense{In: p, Out: hidden, Weight: param(a, hidden, p), Bias: param(a, hidden)}, Inputs: []string{"x"}, Output: "a"},
		{Name: "b", Op: &nn.ReLU{}, Inputs: []string{"a"}, Output: "b"},
		{Name: "c", Op: &nn.Dense{In: hidden, Out: n, Weight: param(b, n, hidden), Bias: param(b, n)}, Inputs: []string{"b"}, Output: "c"},
		{Name: "d", Op: &nn.ReLU{}, Inputs: []string{"c"}, Output: "d"},
	}}
	m, err := nn.NewNet(g)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func noise(p, count int) pictures {
	r := rand.New(rand.NewPCG(8, uint64(p)))
	d := pictures{make([]float32, p*count), p, make([]int, count)}
	for i := range d.x {
		d.x[i] = float32(r.NormFloat64())
	}
	for i := range d.labels {
		d.labels[i] = i % 3
	}
	return d
}

func small(t testing.TB) (*nn.Net, pictures, Experiment) {
	e := Experiment{Noise: release.Gaussian{Sigma: 1}, Coordinates: DCT([]int{4, 6}), Band: 2, Search: SearchOptions{Restarts: 6, Repeats: 4, Seed: 3}}
	return smallNet(t, 24, 40, 30), noise(24, 70), e
}

func mustRun(t testing.TB, m Model, d Source, indices []int, e Experiment) *Result {
	t.Helper()
	r, err := Run(context.Background(), m, d, indices, e, RunOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// witnesses reads the perturbations of a run.
func witnesses(t testing.TB, r *Result, size float64) []float32 {
	t.Helper()
	x, _, err := open(t, r.Path).Float32s(SizeName(size) + "_eps")
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// distance returns ‖a−b‖/‖b‖ of rows of length p, the q-quantile over rows.
func distance(a, b []float32, p int, q float64) float64 {
	var ratios []float64
	for i := 0; i < len(a); i += p {
		var d, s float64
		for k := i; k < i+p; k++ {
			d += float64(a[k]-b[k]) * float64(a[k]-b[k])
			s += float64(b[k]) * float64(b[k])
		}
		ratios = append(ratios, math.Sqrt(d/s))
	}
	slices.Sort(ratios)
	return ratios[int(q*float64(len(ratios)-1))]
}

// Both searches start from the same draws and apply the same pseudoinverse, one
// by LSQR: the witnesses agree to its tolerance, here 1e-7 times the condition
// of J (some hundreds) and what ten nonlinear repeats make of it.
func TestDirectAgreesWithAlgorithm1(t *testing.T) {
	m, data, e := small(t)
	for _, iteration := range []string{PaperIteration, InverseIteration} {
		e.Search.Iteration = iteration
		e.Search.Search = Direct
		direct := witnesses(t, mustRun(t, m, data, upTo(70), e), DefaultSize)
		e.Search.Search = Algorithm1
		free := witnesses(t, mustRun(t, m, data, upTo(70), e), DefaultSize)
		median, worst := distance(free, direct, 24, .5), distance(free, direct, 24, .99)
		t.Logf("%s: witnesses differ by %.2g, by %.2g at most in 99%%", iteration, median, worst)
		if median > 1e-4 || worst > 1e-2 {
			t.Errorf("%s iteration: witnesses differ by %.2g (median), %.2g (99%%)", iteration, median, worst)
		}
	}
}

// Systems that have stopped are left out of the products: the same solutions, to
// LSQR's tolerance, with fewer rows through the net.
func TestStoppedSystemsCostNothing(t *testing.T) {
	m, data, _ := small(t)
	p, n := m.Dims()
	const examples, restarts = 8, 6
	r := rand.New(rand.NewPCG(10, 10))
	z := make([]float32, examples*restarts*n)
	for i := range z {
		z[i] = float32(r.NormFloat64())
	}
	rows := 0
	model := &widths{m, &rows}
	free := newMatrixFree(model, SearchOptions{})
	free.theta = data.x[:examples*p]
	solve := func(a lsqr.Operator[float32]) ([]float32, int) {
		rows = 0
		got := lsqr.Solve(a, z, examples*restarts, free.options.LSQR)
		return got.X, rows
	}
	want, all := solve(&free.operator(t.Context(), examples*restarts).products)
	got, some := solve(free.operator(t.Context(), examples*restarts))
	if again, _ := solve(free.operator(t.Context(), examples*restarts)); !slices.Equal(again, got) {
		t.Error("two solutions differ")
	}
	if d := distance(got, want, p, 1); d > 1e-4 {
		t.Errorf("solutions differ by %g", d)
	}
	t.Logf("%d rows through the net, %d without leaving any out", some, all)
	if some*10 > all*9 {
		t.Errorf("%d rows through the net, %d without leaving any out", some, all)
	}
}

// widths counts the rows of products.
type widths struct {
	*nn.Net
	rows *int
}

func (m *widths) Linearize(x []float32) nn.Linearization[float32] {
	return &width{m.Net.Linearize(x), m}
}

type width struct {
	nn.Linearization[float32]
	m *widths
}

func (l *width) JVP(dst, v []float32) {
	p, _ := l.m.Dims()
	*l.m.rows += len(v) / p
	l.Linearization.JVP(dst, v)
}

func TestAlgorithm1OnMNIST(t *testing.T) {
	if testing.Short() {
		t.Skip("runs LSQR to convergence on real images: left out with -short")
	}
	o := loadOracle(t)
	e := o.experiment(Direct)
	e.Search.Restarts, e.SkipCramerRao = 5, true
	direct := mustRun(t, o.net, o.data, upTo(8), e)
	e.Search.Search = Algorithm1
	free := mustRun(t, o.net, o.data, upTo(8), e)
	a, b := witnesses(t, free, DefaultSize), witnesses(t, direct, DefaultSize)
	median, most := distance(a, b, 784, .5), distance(a, b, 784, .9)
	t.Logf("witnesses differ by %.2g, by %.2g at most in 90%%", median, most)
	if median > 1e-3 || most > 2e-3 {
		t.Errorf("witnesses differ by %.2g (median), %.2g (90%%)", median, most)
	}
	for _, q := range QuantileLevels {
		if x, y := free.Summaries[0].Quantile(q), direct.Summaries[0].Quantile(q); math.Abs(x/y-1) > .01 {
			t.Errorf("quantile %g: %g by algorithm1, %g by direct", q, x, y)
		}
	}
}

// The inverse iteration reaches the least singular value: ‖ε‖/‖z‖ → 1/s_r.
func TestInverseIterationFindsTheLeastSingularValue(t *testing.T) {
	m, data, e := small(t)
	e.Search.Search, e.Search.Iteration, e.Search.Repeats = Direct, InverseIteration, 20
	e.Sizes = []float64{1e-4}
	r := mustRun(t, m, data, upTo(20), e)
	eps := witnesses(t, r, 1e-4)
	z, _, err := open(t, r.Path).Float64s(SizeName(1e-4) + "_z_norm")
	if err != nil {
		t.Fatal(err)
	}
	good := 0
	for i := range 20 {
		s := r.Spectra[i]
		k := i * 6
		if got := norm32(eps[k*24:(k+1)*24]) / z[k] * s[len(s)-1]; got > .99 {
			good++
		}
	}
	if good < 15 {
		t.Errorf("‖ε‖/‖z‖ reaches .99/s_r for %d of 20 examples", good)
	}
}

func TestRelinearized(t *testing.T) {
	m, data, e := small(t)
	e.Search.Search, e.Search.Relinearize = Algorithm1, true
	r := mustRun(t, m, data, upTo(20), e)
	if q := r.Summaries[0].Quantile(.5); !(q > 0 && q < 100) {
		t.Errorf("median bound %g", q)
	}
	e.Search.Search = Direct
	if _, _, err := e.Resolve(m, data.x[:24]); err == nil {
		t.Error("direct search accepts re-linearising")
	}
}

// The published procedure solves one system for the stack, in a diagonal form got
// by updating the decomposition of J at θ: the same as LSQR on J itself, at θ, at
// points where few units have changed and at points where many have, but for the
// rounding of float32, which may cost a step or two of some eighty.
func TestPublishedDiagonalForm(t *testing.T) {
	m, data, _ := small(t)
	r := rand.New(rand.NewPCG(9, 9))
	p, n := m.Dims()
	theta, z := data.x[:5*p], make([]float32, 5*n)
	for i := range z {
		z[i] = float32(r.NormFloat64())
	}
	base, err := factorsAt(t.Context(), m, theta)
	if err != nil {
		t.Fatal(err)
	}
	for _, far := range []float64{0, .03, .1, 3} {
		at := slices.Clone(theta)
		for i := range at {
			at[i] += float32(far * r.NormFloat64())
		}
		s := &published{model: m, updater: newUpdater(m, theta, base)}
		got, err := s.stacked(t.Context(), at, z, 1e-4/publishedATol)
		if err != nil {
			t.Fatal(err)
		}
		want := lsqr.Solve[float32](stack{&products{t.Context(), m.Linearize(at), p, n}, 5}, z, 1, lsqr.Options{ATol: 1e-4, BTol: publishedBTol})
		anew := s.updater.full
		if n := want.Stats[0].Iterations; max(s.steps-n, n-s.steps) > 4 {
			t.Errorf("%g away: %d steps in the diagonal form, %d in the original", far, s.steps, n)
		}
		if d := distance(got, want.X, 5*p, .5); d > 5e-3 {
			t.Errorf("%g away: solutions differ by %g", far, d)
		}
		s.updater = nil
		if got, err = s.stacked(t.Context(), at, z, 1e-4/publishedATol); err != nil || distance(got, want.X, 5*p, .5) > 0 {
			t.Errorf("%g away: without decomposition, solutions differ: %v", far, err)
		}
		if full := anew; far == .1 && full > 0 || far == 3 && full == 0 {
			t.Errorf("%g away: %d Jacobians formed anew", far, full)
		}
	}
}

// Tiny perturbations that move the features by less than rounding prove little:
// no more than larger ones do, and nothing unbounded. The arrays and the
// verification bear it.
func TestAllRounding(t *testing.T) {
	m, data, e := small(t)
	e.Sizes = []float64{1e-15}
	r := mustRun(t, m, data, upTo(8), e)
	z, allowance := array(t, open(t, r.Path), SizeName(1e-15)+"_z_norm"), array(t, open(t, r.Path), SizeName(1e-15)+"_allowance")
	lost := 0
	for k, v := range z {
		if v <= allowance[k] {
			lost++
		}
	}
	if lost < len(z)*9/10 {
		t.Errorf("%d of %d witnesses are all rounding", lost, len(z))
	}
	e.Sizes = []float64{1e-6}
	same := mustRun(t, m, data, upTo(8), e)
	for k, v := range r.Sizes[0].Std {
		if most := same.Sizes[0].Std[k]; v > most {
			t.Fatalf("coordinate %d: %g, %g from larger perturbations in the same directions", k, v, most)
		}
	}
	if found := verified(t, m, data, r, r.claims()); len(found) != 0 {
		t.Error(found)
	}
}

func TestLegalDomain(t *testing.T) {
	m, data, e := small(t)
	low, high := make([]float64, 24), make([]float64, 24)
	for i := range low {
		low[i], high[i] = -1, 1
	}
	for i, v := range data.x {
		data.x[i] = min(max(v, -1), 1)
	}
	var err error
	if e.Domain, err = Legal(low, high); err != nil {
		t.Fatal(err)
	}
	for _, search := range []string{Direct, Algorithm1, Published} {
		e.Search.Search = search
		r := mustRun(t, m, data, upTo(30), e)
		eps := witnesses(t, r, DefaultSize)
		for k, v := range eps {
			if x := float64(data.x[k/(6*24)*24+k%24]) + float64(v); x < -1 || x > 1 {
				t.Fatalf("%s: θ+ε = %g leaves [-1, 1]", search, x)
			}
		}
		if q := r.Summaries[0].Quantile(.5); !(q > 0) {
			t.Errorf("%s: median bound %g", search, q)
		}
	}
}

// Where no ReLU changes its state between θ and θ+ε, and ε lies in the row space,
// one witness proves no more than the full Cramér-Rao bound of its own direction:
// (wᵀε)²/expm1(‖Jε‖²/σ²) ≤ σ²(wᵀε)²/‖Jε‖², and with w = ε/‖ε‖ that is at most
// σ²wᵀ(JᵀJ)⁺w by Cauchy-Schwarz. Elsewhere it may, which is the point of HCR.
func TestWitnessAgainstCramerRao(t *testing.T) {
	const restarts = 5
	images := 20
	if testing.Short() {
		images = 5
	}
	o := loadOracle(t)
	e := o.experiment(Direct)
	e.Search.Restarts, e.Sizes = restarts, []float64{1. / 200, 1. / 20000}
	r := mustRun(t, o.net, o.data, upTo(images), e)
	theta := o.data.x[:images*784]
	x := make([]float64, len(theta))
	for i, v := range theta {
		x[i] = float64(v)
	}
	factors, err := factorsAt(t.Context(), o.net, theta)
	if err != nil {
		t.Fatal(err)
	}
	c := Certifier{Net: o.net, Noise: release.Gaussian{Sigma: o.sigma}}
	for s := range e.Sizes {
		eps := witnesses(t, r, e.Sizes[s])
		same, checked := 0, 0
		for k, d := range c.Divergences(theta, eps) {
			i, ε := k/restarts, eps[k*784:(k+1)*784]
			if !o.sameStates(x[i*784:(i+1)*784], ε) {
				continue
			}
			same++
			w, seen, full := direction(factors[i], ε)
			if seen < 1-1e-6 {
				continue // rounding to float32 took ε out of the row space
			}
			checked++
			var g float64
			for j, v := range ε {
				g += w[j] * float64(v)
			}
			bound, cr := d.Std(g, 784*ulp*math.Abs(g)), o.sigma*math.Sqrt(full)
			// float64: J, its singular values and the sums err by 1e-7 at most (gramRatio).
			if bound > cr*(1+1e-6) {
				t.Errorf("size %g, image %d, witness %d: certified %g, Cramér-Rao %g", e.Sizes[s], i, k%restarts, bound, cr)
			}
		}
		t.Logf("size %g: %d of %d witnesses change no ReLU, %d compared", e.Sizes[s], same, images*restarts, checked)
		if checked < images*restarts/2 {
			t.Errorf("size %g: only %d witnesses to compare", e.Sizes[s], checked)
		}
	}
}

// direction returns w = ε/‖ε‖, ‖Pw‖² and wᵀ(JᵀJ)⁺w.
func direction(f *Factors, eps []float32) (w []float64, seen, full float64) {
	norm := norm32(eps)
	w = make([]float64, len(eps))
	for i, v := range eps {
		w[i] = float64(v) / norm
	}
	for i, s := range f.S {
		var c float64
		for k, v := range f.V[i*f.P : (i+1)*f.P] {
			c += v * w[k]
		}
		seen += c * c
		full += c * c / (s * s)
	}
	return w, seen, full
}

// sameStates tells whether every ReLU is on at both θ and θ+ε or at neither; the
// net being affine in between, it is then on the whole segment.
func (o *oracle) sameStates(x []float64, eps []float32) bool {
	moved := make([]float64, len(x))
	for i, v := range eps {
		moved[i] = x[i] + float64(v)
	}
	states := func(x []float64) (s []bool) {
		for _, n := range o.net.Graph().Nodes {
			if d, ok := n.Op.(*nn.Dense); ok {
				y := make([]float64, d.Out)
				for j := range y {
					y[j] = float64(d.Bias.Data[j])
					for i, v := range d.Weight.Data[j*d.In : (j+1)*d.In] {
						y[j] += float64(v) * x[i]
					}
				}
				x = y
				continue
			}
			for i, v := range x {
				s = append(s, v > 0)
				x[i] = max(v, 0)
			}
		}
		return s
	}
	return slices.Equal(states(slices.Clone(x)), states(moved))
}

func TestResolveRefuses(t *testing.T) {
	m, data, good := small(t)
	for what, change := range map[string]func(*Experiment){
		"sigma is 0":     func(e *Experiment) { e.Noise = release.Gaussian{Sigma: 0} },
		"sigma is -1":    func(e *Experiment) { e.Noise = release.Gaussian{Sigma: -1} },
		"sigma is NaN":   func(e *Experiment) { e.Noise = release.Gaussian{Sigma: math.NaN()} },
		"sigma is 1e+30": func(e *Experiment) { e.Noise = release.Gaussian{Sigma: 1e30} },
		"of 7 inputs":    func(e *Experiment) { e.Coordinates = Pixels(7) },
		"size 0 of":      func(e *Experiment) { e.Sizes = []float64{0} },
		"given twice":    func(e *Experiment) { e.Sizes = []float64{.01, .01} },
		"no search":      func(e *Experiment) { e.Search.Search = "luck" },
		"no iteration":   func(e *Experiment) { e.Search.Iteration = "circular" },
		"repeats -1":     func(e *Experiment) { e.Search.Repeats = -1 },
		"at most 32767":  func(e *Experiment) { e.Search.Restarts = 1 << 20 },
		"no coordinates": func(e *Experiment) { e.Coordinates = nil },
		"for 1 inputs":   func(e *Experiment) { e.Domain = Domain{[]float64{0}, []float64{1}} },
	} {
		e := good
		change(&e)
		if _, _, err := e.Resolve(m, data.x[:24]); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("want an error with %q, have %v", what, err)
		}
	}
	if _, err := Run(context.Background(), m, data, []int{70}, good, RunOptions{Dir: t.TempDir()}); err == nil {
		t.Error("example 70 of 70 is accepted")
	}
}
