package bound

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/release"
)

const exactBits = 2000 // enough that nothing below is rounded visibly

func exact(v float64) *big.Float { return new(big.Float).SetPrec(exactBits).SetFloat64(v) }

func exactProduct(a, b *big.Float) *big.Float {
	return new(big.Float).SetPrec(exactBits).Mul(a, b)
}

// The root is at least √expm1(t²) in real arithmetic, and close to it.
func TestRootExpm1(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 24))
	for range 2000 {
		x := math.Pow(10, 13.4*r.Float64()-12)
		got, want := exact(rootExpm1(x)), exactExpm1(exactProduct(exact(x), exact(x)))
		if ratio, _ := new(big.Float).Quo(exactProduct(got, got), want).Float64(); exactProduct(got, got).Cmp(want) < 0 || ratio > 1+1e-11 {
			t.Fatalf("the square of the root at %v is 1%+g of what it should be", x, ratio-1)
		}
	}
}

// Lengths are rounded up, of one number and of many, and means of squares down.
func TestLength(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 26))
	for range 1000 {
		x, sum := make([]float64, 1+r.IntN(40)), exact(0)
		for i := range x {
			x[i] = r.NormFloat64()
			sum.Add(sum, exactProduct(exact(x[i]), exact(x[i])))
		}
		if mean := exactProduct(exact(meanSquareOf(x)), exact(float64(len(x)))); mean.Cmp(sum) > 0 {
			t.Fatalf("the mean of squares of %v is above %g of them", x, mean)
		}
		got := exactProduct(exact(length(x)), exact(length(x)))
		if ratio, _ := new(big.Float).Quo(got, sum).Float64(); got.Cmp(sum) < 0 || ratio > 1+1e-13 {
			t.Fatalf("the square of the length of %v is 1%+g of what it should be", x, ratio-1)
		}
	}
}

// exactForward evaluates a net of Dense and ReLU in real arithmetic.
func exactForward(m *nn.Net, x []*big.Float) []*big.Float {
	for _, node := range m.Graph().Nodes {
		d, ok := node.Op.(*nn.Dense)
		if !ok {
			for i, v := range x {
				if v.Sign() < 0 {
					x[i] = exact(0)
				}
			}
			continue
		}
		y := make([]*big.Float, d.Out)
		for j := range y {
			y[j] = exact(float64(d.Bias.Data[j]))
			for i, v := range x {
				y[j].Add(y[j], exactProduct(v, exact(float64(d.Weight.Data[j*d.In+i]))))
			}
		}
		x = y
	}
	return x
}

// exactExpm1 is Σ q^k/k!, for q up to some hundreds.
func exactExpm1(q *big.Float) *big.Float {
	sum, term := exact(0), exact(1)
	for k := int64(1); k < 5000; k++ {
		term = exactProduct(term, q)
		term.Quo(term, new(big.Float).SetInt64(k))
		sum.Add(sum, term)
		if term.Sign() == 0 || k > 3000 || term.MantExp(nil) < sum.MantExp(nil)-200 && q.Cmp(big.NewFloat(float64(k))) < 0 {
			break
		}
	}
	return sum
}

// exactStep returns ‖a(θ+ε) − a(θ)‖² in real arithmetic.
func exactStep(m *nn.Net, theta, eps []float32) *big.Float {
	z := exactSteps(m, theta, eps)[0]
	return exactDot(z, z)
}

// wildNet has weights of any size, some rows of zeros, and biases that switch
// features off.
func wildNet(t *testing.T, r *rand.Rand) *nn.Net {
	m := smallNet(t, 5, 7, 4)
	for _, p := range m.Graph().Params() {
		scale := 1.
		switch r.IntN(6) {
		case 0:
			scale = math.Exp(60 * (r.Float64() - .5))
		case 1:
			scale = 1e-41 // denormal
		case 2:
			scale = 1e7
		}
		for i := range p.Data {
			p.Data[i] = float32(scale * r.NormFloat64())
			if r.IntN(8) == 0 {
				p.Data[i] = 0
			}
		}
		p.Changed()
	}
	return m
}

// wildStep returns an input and a perturbation of any size, up to cancelling it.
func wildStep(r *rand.Rand) (theta, eps []float32) {
	theta, eps = make([]float32, 5), make([]float32, 5)
	at, by := math.Exp(30*(r.Float64()-.7)), math.Exp(90*(r.Float64()-.9))
	for i := range eps {
		theta[i], eps[i] = float32(at*r.NormFloat64()), float32(by*r.NormFloat64())
		switch r.IntN(8) {
		case 0:
			eps[i] = -theta[i]
		case 1:
			eps[i] = 0
		case 2:
			theta[i] = math.Float32frombits(uint32(r.IntN(1 << 20))) // denormal
		}
	}
	return theta, eps
}

// The adversary's test: over nets, inputs, witnesses and noise of any size, no bound exceeds what A
// eqs. (5), (6) and (12) are in real arithmetic, for one query and several, by the closed form and
// by the general way, and none is called unbounded but where they are at least UnboundedFrom.
func TestNoBoundExceedsRealArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	finite, unbounded, sharp := 0, 0, 0
	trials := 1500
	if testing.Short() {
		trials = 400
	}
	for range trials {
		m := wildNet(t, r)
		theta, eps := wildStep(r)
		zz := exactStep(m, theta, eps)
		norm, _ := new(big.Float).Sqrt(zz).Float64()
		for _, sigma := range []float64{1e-300, 1e-9, 1, norm / 3, norm * math.Exp(40*r.Float64()), 1e300} {
			if !(sigma > 0 && sigma < math.Inf(1)) {
				continue
			}
			c := &Certifier{Net: m, Noise: release.Gaussian{Sigma: sigma}, Queries: r.IntN(4)}
			if r.IntN(3) == 0 && sigma > 1e-100 && sigma < 1e100 { // its square is a number
				c.Noise = opaque{release.Gaussian{Sigma: sigma}}
			}
			d := c.Divergences(t.Context(), theta, eps)[0]
			q := new(big.Float).SetPrec(exactBits).Quo(zz, exactProduct(exact(sigma), exact(sigma)))
			q.Mul(q, exact(float64(max(1, c.Queries))))
			far := q.Cmp(big.NewFloat(800)) > 0 // exp(800) is beyond float64
			var divisor *big.Float
			if !far {
				divisor = exactExpm1(q)
			}
			check := func(what string, bound float64, numerator *big.Float) {
				if math.IsInf(bound, 1) && d.Status == AllRounding {
					unbounded++
					if bound = UnboundedFrom; what != "std" {
						bound *= bound
					}
				}
				if math.IsNaN(bound) || math.IsInf(bound, 0) || far && bound > math.MaxFloat32 {
					t.Errorf("σ %g: %s is %g at ‖z‖²/σ² = %g", sigma, what, bound, q)
				}
				if far || bound == 0 {
					return
				}
				finite++
				// bound·expm1 ≤ numerator
				left := exactProduct(exact(bound), divisor)
				if what == "std" {
					left = exactProduct(left, exact(bound))
				}
				if left.Cmp(numerator) > 0 {
					t.Errorf("σ %g: %s %g exceeds the exact bound, at ‖z‖²/σ² = %g (‖z‖ %g, allowance %g)", sigma, what, bound, q, d.ZNorm, d.Allowance)
				}
				if ratio, _ := new(big.Float).Quo(left, numerator).Float64(); ratio > 1-1e-9 {
					sharp++
				}
			}
			square := exact(0)
			wide := make([]float64, 5)
			for k, e := range eps {
				wide[k] = float64(e)
				own := exactProduct(exact(wide[k]), exact(wide[k]))
				square.Add(square, own)
				check("std", d.Std(wide[k], 0), own)
			}
			check("mean square", d.meanSquare(wide), square.Quo(square, big.NewFloat(5)))
		}
	}
	if finite < 3*trials || sharp < finite/6 || unbounded < trials/15 {
		t.Error("the test is idle")
	}
}

// Coordinates of a witness, against sums in real arithmetic: within Rounding.
func TestCoordinatesRounding(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 12))
	rows := make([]float64, 3*24)
	for i := range rows {
		rows[i] = r.NormFloat64() * math.Exp(40*(r.Float64()-.5))
	}
	w := must.Get(Vectors("w", rows, 24))(t)
	stored := w.(*vectors).w
	for range 300 {
		v, got := make([]float64, 24), make([]float64, 3)
		for i := range v {
			v[i] = float64(float32(r.NormFloat64() * math.Exp(80*(r.Float64()-.9))))
		}
		w.Apply(got, v)
		for k, g := range got {
			sum := exact(0)
			for i, x := range v {
				sum.Add(sum, exactProduct(exact(x), exact(stored[k*24+i])))
			}
			miss, _ := sum.Sub(sum, exact(g)).Float64()
			if most := w.Rounding() * length(v); math.Abs(miss) > most {
				t.Errorf("coordinate %d errs by %g, allowed %g", k, miss, most)
			}
		}
	}
}

// Every kind of witness is compared with the known answer for a linear model: from k releases
// X = Aθ + Z, with A of full rank, the estimator A⁺X̄ is unbiased everywhere and has variance
// σ²wᵀ(AᵀA)⁻¹w/k. No kind proves a higher bound, and the combination of all proves this one.
func TestEveryKindOnLinearModel(t *testing.T) {
	const p, n = 6, 12
	m, data := linearNet(t, rand.New(rand.NewPCG(31, 31)), p, n), noise(p, 20)
	box := Domain{Low: slices.Repeat([]float64{-5}, p), High: slices.Repeat([]float64{5}, p)}
	for _, queries := range []int{1, 4} {
		e := Experiment{Noise: release.Gaussian{Sigma: .8}, Queries: queries, Coordinates: DCT([]int{2, 3}),
			Settings: Settings{Runtime: RealArithmetic, Search: SearchOptions{Restarts: 5, Repeats: 3}, Far: FarOptions{Starts: 4, Domain: box}, Barankin: BarankinOptions{Witnesses: 12}, Twins: TwinOptions{Examples: 2, Domain: box}},
		}
		r := mustRun(t, m, data, upTo(20), e)
		full := r.CramerRao.Full
		kinds := map[string][]float64{"search": r.Kinds[0].Std, "far": r.Kind(SearchFar).Std, "combined": r.Kind(SearchCombined).Std}
		if r.Kind(SearchTwins) != nil {
			kinds["twins"] = r.Kind(SearchTwins).Std
		}
		for name, std := range kinds {
			for k, v := range std {
				if v > full[k]*(1+1e-9) || name == "combined" && v < full[k]*(1-1e-6) {
					t.Errorf("%d queries, %s: %.9g of coordinate %d, which an estimator knows to %.9g", queries, name, v, k, full[k])
				}
			}
		}
		var want float64
		for _, v := range full[:p] {
			want += v * v / p
		}
		for i, v := range r.Kind(SearchCombined).MeanSquare {
			if v > want*(1+1e-9) || v < want*(1-1e-6) || max(r.Kind(SearchFar).MeanSquare[i], r.Kinds[0].MeanSquare[i]) > want {
				t.Errorf("example %d: mean square %.9g, want %.9g", i, v, want)
			}
		}
	}
}

// Of one input seen in n features the mean of k releases has variance σ²/nk under
// noise of any family: nothing proves more, whatever the coefficients.
func TestMeanOfAnyNoiseBeatsNoBound(t *testing.T) {
	const n, sigma = 9, 1.5
	r := rand.New(rand.NewPCG(34, 34))
	m := affine{slices.Repeat([]float64{1}, n), 1, n}
	for _, noise := range families(t, sigma) {
		for _, queries := range []int{1, 5} {
			c, most := &Certifier{Net: m, Noise: noise, Queries: queries}, 0.
			truth := sigma / math.Sqrt(float64(n*queries))
			for range 300 {
				eps := make([]float32, 1+r.IntN(5))
				for i := range eps {
					eps[i] = float32(truth * r.NormFloat64() * math.Exp(2*r.NormFloat64()))
				}
				s := proven(t, c, eps, Pixels(1))
				for i := range s.solve {
					s.solve[i] *= 1 + .2*r.NormFloat64()
				}
				s.prove(t.Context(), c, Pixels(1), []float32{0}, false, func(_ int, p *proof) { most = max(most, p.bounds.std[0]) })
				most = max(most, s.Std[0])
			}
			least := .6 // of Laplace noise Cramér-Rao's is 1/√2 of it
			if _, gaussian := noise.(release.Gaussian); gaussian {
				least = .999
			}
			if most > truth || most < least*truth {
				t.Errorf("%s, %d queries: %g is proved, the mean has %g", noise, queries, most, truth)
			}
		}
	}
}

// ramp is a(x) = 1/2 + clip(slope·x, ±1/2) of one input: flat but for a steep
// middle.
type ramp float64

func (ramp) Dims() (p, n int) { return 1, 1 }

func (m ramp) ForwardError64(dst, bound, x, xerr []float64) {
	for i, v := range x {
		dst[i] = .5 + max(-.5, min(.5, float64(m)*v))
		bound[i] = float64(m)*xerr[i] + 4*ulp
	}
}

// In the middle of a steep ramp Cramér-Rao says σ/slope, and so do near witnesses;
// those on the plateaus are the truth.
func TestOnlyFarWitnessesSeePlateaus(t *testing.T) {
	const slope, sigma = 1e4, .7
	c := &Certifier{Net: ramp(slope), Noise: release.Gaussian{Sigma: sigma}}
	prove := func(eps ...float32) (single, all float64) {
		s := &Bounds{Witnesses: len(eps), kind: BarankinOptions{}, eps: eps}
		s.proved(t, c, func(p *proof) {
			for i, d := range p.ds {
				single = max(single, d.Std(float64(eps[i]), 0))
			}
			all = p.bounds.std[0]
		})
		return single, all
	}
	if _, near := prove(1e-6, -1e-6); near > sigma/slope*(1+1e-9) || near < .99*sigma/slope {
		t.Errorf("near witnesses: %g, want %g", near, sigma/slope)
	}
	single, all := prove(1e-6, 2, -2)
	if truth := 2 / math.Sqrt(math.Expm1(.25/sigma/sigma)); math.Abs(single-truth) > 1e-9 {
		t.Errorf("a far witness: %g, want %g", single, truth)
	}
	if all < single*1.2 {
		t.Errorf("two far witnesses combined: %g, one of them %g", all, single)
	}
	// T = α(X−½) + β·σ³He₃((X−½)/σ) has mean αμ + βμ³ at ½ + μ: unbiased at θ and all
	// three witnesses for the right α and β, with variance α²σ² + 6β²σ⁶.
	z, e := slope*float64(float32(1e-6)), float64(float32(1e-6))
	β := (2 - .5*e/z) / (.125 - .5*z*z)
	α := e/z - β*z*z
	if truth := math.Sqrt(α*α*sigma*sigma + 6*β*β*math.Pow(sigma, 6)); all > truth || all < .95*truth {
		t.Errorf("combined %g, an unbiased estimator has %g", all, truth)
	}
}

func (s *Bounds) proved(t *testing.T, c *Certifier, f func(p *proof)) {
	t.Helper()
	s.solve = make([]float64, s.Witnesses*s.Witnesses)
	s.prove(t.Context(), c, Pixels(1), []float32{0}, true, func(_ int, p *proof) { f(p) })
}
