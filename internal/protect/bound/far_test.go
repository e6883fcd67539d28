package bound

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
	"tattle/internal/math/stat"
	"tattle/internal/must"
	"tattle/internal/protect/release"
	"tattle/internal/shared"
)

// far searches all of theta's witnesses.
func (o FarOptions) far(t testing.TB, m nn.Model, theta []float32, factors []*Factors, sigma float64) []float32 {
	t.Helper()
	p, _ := m.Dims()
	var index []int64
	for i := range len(theta) / p {
		index = append(index, int64(i))
	}
	eps := make([]float32, len(theta)*o.Starts)
	must.Do(t, o.search(context.Background(), m, eps, theta, index, factors, sigma))
	return eps
}

// farRoots returns the certified root mean square bound of each example, the best
// over its witnesses, and every witness's divergence.
func farRoots(net Net, sigma float64, domain Domain, theta, eps []float32) ([]float64, []Divergence) {
	p, _ := net.Dims()
	c := &Certifier{Net: net, Noise: release.Gaussian{Sigma: sigma}, Domain: domain}
	ds := c.Divergences(context.Background(), theta, eps)
	best, starts := make([]float64, len(theta)/p), len(eps)/len(theta)
	for k, d := range ds {
		best[k/starts] = max(best[k/starts], math.Sqrt(d.meanSquare(nn.Float64s(rowOf(eps, k, p)))))
	}
	return best, ds
}

// On paper A's MNIST net there are legal images far away whose features are the
// same: the bound from far witnesses leaves that of tiny ones, and the full
// Cramér-Rao bound, which no tiny one beats, behind by orders of magnitude.
func TestFarOnMNIST(t *testing.T) {
	shared.Long(t, "searches far witnesses of 16 images")
	o := loadOracle(t)
	const examples = 16
	theta := o.data.X[:examples*784]
	factors := must.Get(factorsAt(context.Background(), o.net, theta))(t)
	domain := box(o.data)
	eps := FarOptions{Starts: 8, Domain: domain, Seed: 1}.far(t, o.net, theta, factors, o.sigma)
	roots, ds := farRoots(o.net, o.sigma, domain, theta, eps)
	var ratio []float64
	for k, d := range ds {
		if d.Status == Illegal {
			t.Fatalf("witness %d is illegal", k)
		}
	}
	for i, r := range roots {
		full := 0.
		for _, s := range factors[i].CramerRao(Pixels(784), o.sigma).Full {
			full += s * s / 784
		}
		ratio = append(ratio, r/math.Sqrt(full))
	}
	slices.Sort(ratio)
	if m := stat.Quantile(ratio, .5); !(m > 10000) {
		t.Errorf("half the images have no more than %g times Cramér-Rao's", m)
	}
	// A few in a hundred, which depend on the seed, stay where only a tenfold gain is.
	if m := stat.Quantile(ratio, .1); !(m > 1000) {
		t.Errorf("one image in ten has no more than %g times Cramér-Rao's", m)
	}
	if !(ratio[0] > 3) {
		t.Errorf("an image has no more than %g times Cramér-Rao's", ratio[0])
	}
}

// What is found for an example depends on itself, its index and the seed alone.
func TestFarStandsAlone(t *testing.T) {
	t.Run("matrices", func(t *testing.T) { farStandsAlone(t, smallNet(t, 12, 20, 9)) })
	t.Run("chunks", func(t *testing.T) { farStandsAlone(t, linearNet(t, rand.New(rand.NewPCG(6, 6)), 12, 1400)) })
	// About half of 520 features are active: of some inputs more than farDirect.
	t.Run("both", func(t *testing.T) {
		shared.Long(t, "far witnesses of 520 features")
		if few, most := farStandsAlone(t, smallNet(t, 12, 40, 532)); few > farDirect || most <= farDirect {
			t.Errorf("%d to %d active features", few, most)
		}
	})
}

// farStandsAlone returns the least and the largest number of active features.
func farStandsAlone(t *testing.T, net *nn.Net) (few, most int) {
	r := rand.New(rand.NewPCG(1, 2))
	theta := make([]float32, 60*12) // more than are searched together
	for i := range theta {
		theta[i] = float32(r.Float64())
	}
	domain := boxOf(12, 0, 1)
	o := FarOptions{Starts: 5, Domain: domain, Seed: 3}
	all := o.far(t, net, theta, nil, .1)
	for _, i := range []int{0, 17, 55} {
		one := make([]float32, 5*12)
		must.Do(t, o.search(context.Background(), net, one, rowOf(theta, i, 12), []int64{int64(i)}, nil, .1))
		if !slices.Equal(one, rowOf(all, i, 60)) {
			t.Errorf("example %d by itself has other witnesses", i)
		}
	}
	o.Seed = 4
	if slices.Equal(all, o.far(t, net, theta, nil, .1)) {
		t.Error("two seeds find the same witnesses")
	}
	for k, d := range func() []Divergence { _, ds := farRoots(net, .1, domain, theta, all); return ds }() {
		if d.Status == Illegal {
			t.Errorf("witness %d is illegal", k)
		}
	}
	few = math.MaxInt
	for _, j := range Jacobians(net, nn.Float64s(theta)) {
		few, most = min(few, len(j.Active)), max(most, len(j.Active))
	}
	return few, most
}

// Of a regular linear model no witness proves more than σ/s_min, and the search
// comes near, as it turns toward the least singular value; in a box, whose faces
// bend its way, less so.
func TestFarOfALinearModel(t *testing.T) {
	const p, sigma = 8, 0.5
	net := linearNet(t, rand.New(rand.NewPCG(9, 9)), p, p+2)
	theta := make([]float32, p)
	factors := must.Get(factorsAt(context.Background(), net, theta))(t)
	most := sigma / factors[0].S[p-1] / math.Sqrt(p)
	for _, d := range []Domain{Free, boxOf(p, -2, 2), boxOf(p, -.01, .01)} {
		eps := FarOptions{Starts: 8, Domain: d, Seed: 2}.far(t, net, theta, factors, sigma)
		roots, _ := farRoots(net, sigma, d, theta, eps)
		if !(roots[0] <= most*(1+1e-6) && roots[0] >= map[bool]float64{true: .9, false: .5}[d.Low == nil]*most) {
			t.Errorf("%s: bound %g, the best there is %g", d, roots[0], most)
		}
	}
}

// A witness is worth ‖ε‖²/expm1(q). Of starts that move the features by far too much what remains is where they move by
// a tenth of σ.
func TestFarValues(t *testing.T) {
	s := newFarSearch(FarOptions{Starts: 1}, netOf(t, 1, weights(1, 1, 1)), make([]float32, 1), []float32{0}, 1e-4)
	if got, want := s.value(3, 2e-4, 1e-4, .5), math.Log(9/math.Expm1(5.5)); math.Abs(got-want) > 1e-12 {
		t.Errorf("a value of %g, want %g", got, want)
	}
	if a, b := s.value(0, 0, 0, 0), s.value(1, 1, 0, 0); !math.IsInf(a, -1) || !math.IsInf(b, -1) {
		t.Errorf("values of nothing %g and %g", a, b)
	}
	// A quarter of the starts are kept for the first step and half as many for each further one, at least two if there are.
	for starts, want := range map[int][]int{1: {1, 1}, 16: {4, 2, 2}} {
		some := newFarSearch(FarOptions{Starts: starts}, s.model, make([]float32, starts), []float32{0}, 1)
		copy(some.z, slices.Repeat([]float32{1}, starts))
		for step, rows := range want {
			if some.close(step); len(some.open) != rows {
				t.Errorf("%d of %d starts are kept for step %d, want %d", len(some.open), starts, step, rows)
			}
		}
	}
	for rows, want := range map[int]bool{farDirect: true, farDirect + 1: false} {
		s := newFarSearch(FarOptions{Starts: 1}, linearNet(t, rand.New(rand.NewPCG(7, 7)), 1, rows), make([]float32, 1), []float32{0}, 1)
		s.byRows(t.Context(), []int{0}, s.pointsOf, func(_ []int, _ nn.Linearization[float32], direct bool) {
			if direct != want {
				t.Errorf("systems of %d rows are solved directly: %v", rows, direct)
			}
		})
	}
	// A step is lengthened as far as it is asked for, or as the box allows.
	square := newFarSearch(FarOptions{Starts: 1, Domain: cube(2, 1)}, linearNet(t, rand.New(rand.NewPCG(8, 8)), 2, 1), make([]float32, 2), make([]float32, 2), 1)
	for norm, want := range map[float64][]float32{10: {1, -.75}, 1.25 * .75: {.75, -.5625}, .1: {.5, -.375}} {
		e := []float32{.5, -.375}
		if square.stretch(0, e, norm); distance(e, want, 2, 1) > 1e-6 {
			t.Errorf("a step of %g in a box of 2 becomes %v, want %v", norm, e, want)
		}
	}
	s.draw([]int64{0})
	s.scan(t.Context())
	if e, z := norm32(s.eps), norm32(s.z); math.Abs(e/1e-5-1) > 1e-5 || math.Abs(z/1e-5-1) > 1e-5 {
		t.Errorf("the start is at %g, and moves the feature by %g", e, z)
	}
}

// rampNet maps each input to 0 up to 0.4, to height from 0.6 on, and between them
// to a ramp, by two ReLUs.
func rampNet(t testing.TB, p int, height float32) *nn.Net {
	t.Helper()
	first, second := make([]float32, 2*p*p+2*p), make([]float32, 2*p*p)
	for i := range p {
		for k := range 2 {
			first[(2*i+k)*p+i], first[2*p*p+2*i+k] = 1, -.4-.2*float32(k) // x−0.4, x−0.6
		}
		second[i*2*p+2*i], second[i*2*p+2*i+1] = 5*height, -5*height
	}
	return netOf(t, p, weights(2*p, p, first...), &nn.ReLU{}, weights(p, 2*p, second...))
}

// On a ramp of slope 0.5 between plateaus 0.1 apart Cramér-Rao says σ/0.5 for each
// input; a witness that leaves the ramp proves more, as the features move by no more
// than 0.05 each.
func TestFarLeavesARamp(t *testing.T) {
	const p, sigma, height = 4, 1., .1
	net := rampNet(t, p, height)
	theta := []float32{.5, .5, .5, .5}
	cr := sigma / (5 * height)
	eps := FarOptions{Starts: 8, Domain: boxOf(p, -3, 4), Seed: 2}.far(t, net, theta, nil, sigma)
	roots, _ := farRoots(net, sigma, boxOf(p, -3, 4), theta, eps)
	// The corner (−3.5, …): ‖ε‖ = 7, z = 0.05 each, ‖z‖ = 0.1.
	want := math.Sqrt(49. / p / math.Expm1(.01))
	if !(roots[0] > 4*cr && roots[0] <= want*(1+1e-6)) {
		t.Errorf("bound %g", roots[0])
	}
}

// Conjugate gradients, run to their end, take the step that the matrices take.
func TestCorrectorsAgree(t *testing.T) {
	const p, n = 10, 6
	net := smallNet(t, p, 15, n)
	r := rand.New(rand.NewPCG(5, 5))
	theta := make([]float32, p)
	for i := range theta {
		theta[i] = float32(r.Float64())
	}
	s := newFarSearch(FarOptions{Starts: 3, Domain: boxOf(p, -1, 2)}, net, make([]float32, 3*p), theta, 1)
	s.draw([]int64{0})
	simd.Scale(.25, s.eps)
	copy(s.x, s.eps)
	s.evaluate(t.Context())
	copy(s.z, s.a)
	s.correct(t.Context())
	direct := slices.Clone(s.step)
	clear(s.step)
	all := upTo(len(s.open))
	s.byGradients(t.Context(), all, net.Linearize(s.pointsOf(all)))
	if norm32(direct) == 0 {
		t.Fatal("no step")
	}
	for i, v := range direct {
		if math.Abs(float64(v-s.step[i])) > 1e-3*norm32(direct) {
			t.Errorf("input %d of row %d: %g by matrices, %g by gradients", i%p, i/p, v, s.step[i])
		}
	}
}

func TestFarIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	net := smallNet(t, 3, 4, 5)
	o := FarOptions{Starts: 2}
	if err := o.search(ctx, net, make([]float32, 6), make([]float32, 3), []int64{0}, nil, 1); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}
