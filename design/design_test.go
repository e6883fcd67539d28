package design

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tattle/bound"
	"tattle/internal/must"
	"tattle/nn"
	"tattle/release"
)

func TestParseResolvable(t *testing.T) {
	for s, want := range map[string]Target{
		"10@0.5": {Directions: 10, Within: .5},
		"0@2":    {Within: 2},
		"3@1e-2": {Directions: 3, Within: .01},
	} {
		n, within, err := ParseResolvable(s)
		if err != nil || n != want.Directions || within != want.Within {
			t.Errorf("%q: %d, %v, %v", s, n, within, err)
		}
	}
	for _, s := range []string{"", "10", "@", "10@", "@.5", "-1@.5", "10@0", "10@-1", "10@NaN", "10@Inf", "1.5@1", "10@.5@1"} {
		if _, _, err := ParseResolvable(s); err == nil || !strings.Contains(err.Error(), "10@0.5") {
			t.Errorf("%q: error %v", s, err)
		}
	}
}

// affine is the net x ↦ W x + b, W being [n, p].
func affine(t *testing.T, n, p int, seed uint64) (*nn.Net, []float32) {
	t.Helper()
	g := dense("projection", p, n)
	g.Init(seed)
	net := must.Get(nn.NewNet(g))(t)
	return net, g.Nodes[0].Op.(*nn.Dense).Weight.Data
}

func dense(name string, p, n int) *nn.Graph {
	return &nn.Graph{Input: "x", InputShape: []int{p}, Output: "y", Nodes: []*nn.Node{{
		Name: name, Inputs: []string{"x"}, Output: "y",
		Op: &nn.Dense{In: p, Out: n, Weight: &nn.Param{Name: name + ".weight", Shape: []int{n, p}, Data: make([]float32, n*p)},
			Bias: &nn.Param{Name: name + ".bias", Shape: []int{n}, Data: make([]float32, n)}},
	}}}
}

// The short way through J's factors against the decomposition of the product P·J.
func TestProjectIsTheFactorsOfTheProduct(t *testing.T) {
	const p, n = 30, 12
	r := rand.New(rand.NewPCG(1, 2))
	for _, keep := range []int{1, 5, 12, 20} {
		j := bound.Jacobian{Active: []int{0, 2, 3, 7, 8, 11}, P: p}
		for range len(j.Active) * p {
			j.Rows = append(j.Rows, r.NormFloat64())
		}
		f := must.Get(j.Factor())(t)
		net, w := affine(t, keep, n, uint64(keep))
		got := must.Get(project(f, bound.Jacobians(net, make([]float64, n))[0]))(t)
		product := bound.Jacobian{P: p, Rows: make([]float64, keep*p)}
		for k := range keep {
			product.Active = append(product.Active, k)
			for a, feature := range j.Active {
				for c := range p {
					product.Rows[k*p+c] += float64(w[k*n+feature]) * j.Rows[a*p+c]
				}
			}
		}
		want := must.Get(product.Factor())(t)
		if got.Rank() != want.Rank() || got.Rank() != min(keep, 6) {
			t.Fatalf("keep %d: ranks %d, %d", keep, got.Rank(), want.Rank())
		}
		close(t, "singular values", got.S, want.S, 1e-10)
		pixels := bound.Pixels(p)
		close(t, "bounds", got.CramerRao(pixels, 1).Full, want.CramerRao(pixels, 1).Full, 1e-7)
	}
	if f, err := project(&bound.Factors{P: p}, bound.Jacobian{Active: []int{0}, Rows: make([]float64, n), P: n}); err != nil || f.Rank() != 0 {
		t.Errorf("of a Jacobian that is zero: %v, %v", f, err)
	}
}

func close(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	for i := range want {
		if math.Abs(got[i]-want[i]) > tolerance*(1+math.Abs(want[i])) {
			t.Errorf("%s %d: %v, want %v", what, i, got[i], want[i])
		}
	}
}

// At the scale found the count is met, and hardly below it not.
func TestScaleForIsTheLeast(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	s := &spectrum{}
	for i := range 41 {
		values := make([]float64, 5+i%7)
		for k := range values {
			values[k] = 3 * math.Exp(-float64(k)*(.2+.1*r.Float64()))
		}
		slices.Sort(values)
		slices.Reverse(values)
		s.values = append(s.values, values)
	}
	for _, within := range []float64{.1, .5, 2} {
		for n := range 11 {
			scale := s.scaleFor(n, within)
			if d := s.directions(scale, within); d > float64(n) {
				t.Errorf("%d@%v: %v directions at %v", n, within, d, scale)
			}
			if d := s.directions(scale*(1-1e-6), within); scale > 0 && d <= float64(n) {
				t.Errorf("%d@%v: %v directions below %v too", n, within, d, scale)
			}
		}
	}
	// Of an even number both in the middle count.
	s.values = [][]float64{{4, 1}, {4, 2}}
	if got, want := s.scaleFor(1, .5), 1.; math.Abs(got-want) > 1e-6 {
		t.Errorf("%v, want %v", got, want)
	}
}

// rational has MeanSquareAt σ²/(1+σ²).
type rational struct{}

func (rational) MeanSquareAt(sigma float64) float64 { return sigma * sigma / (1 + sigma*sigma) }

func TestAttackScale(t *testing.T) {
	for _, mse := range []float64{1e-6, .1, .5, .999} {
		want := math.Sqrt(mse / (1 - mse))
		for _, start := range []float64{1e-3, 1, 1e5} {
			got := attackScale(rational{}, mse, start)
			if math.Abs(got/want-1) > 1e-5 || (rational{}).MeanSquareAt(got) < mse {
				t.Errorf("%v from %v: %v, want %v", mse, start, got, want)
			}
		}
	}
	if got := attackScale(rational{}, 1.01, 1); !math.IsInf(got, 1) {
		t.Errorf("what nothing reaches is reached at %v", got)
	}
}

func TestKeeps(t *testing.T) {
	for _, c := range []struct {
		keeps []int
		n     int
		want  []int
	}{
		{nil, 784, []int{784, 392, 196, 98, 49, 24, 12}},
		{nil, 10, []int{10}},
		{nil, 4, []int{4}},
		{[]int{5, 0, 30, 5, 20}, 30, []int{30, 20, 5}},
	} {
		got, err := Options{Keeps: c.keeps}.keeps(c.n)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v of %d: %v, %v, want %v", c.keeps, c.n, got, err, c.want)
		}
	}
}

func TestSearchRefuses(t *testing.T) {
	g, train, test := trained(t)
	ten := Target{Directions: 10, Within: .5}
	for want, o := range map[string]Options{
		"no target: give":           {},
		"accuracy drop -0.1":        {MaxDrop: -.1},
		"accuracy drop 2":           {MaxDrop: 2},
		"accuracy drop NaN":         {MaxDrop: math.NaN()},
		"say within what":           {Target: Target{Directions: 3}},
		"target of -1 directions":   {Target: Target{Directions: -1, Within: 1}},
		"target median":             {Target: Target{MedianStd: math.Inf(1)}},
		"target mean-square":        {Target: Target{AttackMSE: -1}},
		"-1 draws":                  {Target: ten, Draws: -1},
		"needs training data":       {Target: Target{AttackMSE: 1}},
		"principal projections are": {Target: ten, Projections: []string{"principal"}},
		`projection "pca"`:          {Target: ten, Projections: []string{"pca"}},
		"9999 features: give":       {Target: ten, Keeps: []int{9999}},
		"coordinates of 3 inputs":   {Target: ten, Coordinates: bound.Pixels(3)},
		"uniform":                   {Target: ten, Families: []string{"uniform"}},
		"/proc/no":                  {Target: ten, Keeps: []int{0}, Families: []string{"gaussian"}, Dir: "/proc/nowhere/at/all"},
	} {
		must.Fail(t, must.Err(Search(context.Background(), g, "", nil, test, o)), want)
	}
	must.Fail(t, must.Err(Search(context.Background(), g, "nowhere", train, test, Options{Target: ten}))) // a node that is not there
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Search(ctx, g, "", train, test, Options{Target: ten}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v is not the context's", err)
	}
}

// Every figure of a Point's confidentiality again, from a release built anew.
func recount(t *testing.T, g *nn.Graph, train, test nn.Source, p Point, o Options) {
	t.Helper()
	front, _ := must.Get2(p.Spec.Build(context.Background(), g, train))(t)
	net := must.Get(nn.NewNet(front))(t)
	factors := must.Get(factor(context.Background(), net, test, sample(test.Len(), o.Examples, o.Seed)))(t)
	noise := must.Get(release.ParseNoise(p.Family, p.Sigma, p.Keep))(t)
	s := newSpectrum(factors, bound.DCT(g.InputShape))
	scale := 1 / math.Sqrt(noise.Fisher())
	if d := s.directions(scale, o.within()); d != p.Directions {
		t.Errorf("%d %s %s σ = %v: %v directions, said to be %v", p.Keep, p.Projection, p.Family, p.Sigma, d, p.Directions)
	}
	if std := scale * s.median; math.Abs(std/p.MedianStd-1) > 1e-5 {
		t.Errorf("%d %s %s σ = %v: median %v, said to be %v", p.Keep, p.Projection, p.Family, p.Sigma, std, p.MedianStd)
	}
}
