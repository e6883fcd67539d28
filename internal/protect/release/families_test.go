package release

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"tattle/internal/math/stat"
	"tattle/internal/must"
	"tattle/internal/shared"
)

// A family under test, with its log density up to nothing.
type family struct {
	noise Noise
	log   func(x float64) float64
}

// testTable is a density with corners and two humps.
func testTable(t testing.TB, sigma float64) *Table {
	t.Helper()
	x := []float64{-3, -2, -1.5, 0, .25, 2, 3.5, 5}
	d := []float64{.01, .1, .4, .3, .35, .1, .15, .01}
	return must.Get(NewTable(x, d, sigma))(t)
}

// logDensity of a table: the definition, knot by knot.
func logDensity(t *Table, x float64) float64 {
	n := len(t.x)
	for k, knot := range t.x {
		if x < knot || k == n-1 {
			lo := min(max(0, k-1), n-2)
			if x >= t.x[n-1] {
				lo = n - 2
			}
			w := (x - t.x[lo]) / (t.x[lo+1] - t.x[lo])
			return t.l[lo]*(1-w) + t.l[lo+1]*w
		}
	}
	panic("unreachable")
}

func products(t testing.TB, sigma float64) map[string]family {
	t.Helper()
	laplace := must.Get(NewLaplace(sigma))(t)
	table := testTable(t, sigma)
	return map[string]family{
		"gaussian": {Gaussian{sigma}, distuv.Normal{Sigma: sigma}.LogProb},
		"laplace":  {laplace, distuv.Laplace{Scale: laplace.Scale}.LogProb},
		"table":    {table, func(x float64) float64 { return logDensity(table, x) }},
	}
}

func TestLogDensities(t *testing.T) {
	for name, f := range products(t, .7) {
		for x := -4.; x < 4; x += .3 {
			at := func(x ...float64) float64 { return f.noise.(density).LogDensity(x) }
			if got, want := at(x, 0)-at(0, 0), f.log(x)-f.log(0); math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
				t.Errorf("%s: the log density of %v is %v above that of 0, want %v", name, x, got, want)
			}
		}
	}
	table := testTable(t, .01)
	if top := table.LogDensity([]float64{table.x[2]}); top != 0 {
		t.Errorf("the largest log density of a table is %v", top)
	}
}

// chiSquared returns χ² of a change of the features, without the errors that Bound allows for.
func chiSquared(noise Noise, z []float64) float64 {
	var s float64
	for _, v := range z {
		switch f := noise.(type) {
		case Gaussian:
			s += (v / f.Sigma) * (v / f.Sigma)
		case *Table:
			s += math.Log1p(f.excess(v))
		case interface {
			excess(t float64) (x, relative float64)
		}:
			x, _ := f.excess(math.Abs(v))
			s += math.Log1p(x)
		}
	}
	return math.Expm1(s)
}

// simpson integrates h over [lo, hi] in steps of 2·step. Corners of h on the grid of
// double steps cost nothing.
func simpson(lo, hi, step float64, h func(x float64) float64) float64 {
	n := int(math.Round((hi - lo) / (2 * step)))
	var s float64
	for i := range n {
		x := lo + float64(2*i)*step
		s += (h(x) + 4*h(x+step) + h(x+2*step)) * step / 3
	}
	return s
}

// For small t, χ² → Fisher·t².
func TestChiSquaredOfSmallShift(t *testing.T) {
	for name, f := range products(t, 1.3) {
		for _, d := range []float64{1e-7, 1e-6} {
			got := chiSquared(f.noise, []float64{d, -d}) / (2 * d * d)
			if want := f.noise.Fisher(); math.Abs(got/want-1) > 1e-5*d/1e-6+2e-7 {
				t.Errorf("%s: χ²/t² = %v at %v, want %v", name, got, d, want)
			}
		}
		if f.noise.Fisher() < 1/(1.3*1.3)*(1-1e-12) {
			t.Errorf("%s: Fisher information %v is below the normal's", name, f.noise.Fisher())
		}
		if got := chiSquared(f.noise, []float64{0, 0}); got != 0 {
			t.Errorf("%s: χ²(0) = %v", name, got)
		}
	}
}

// Mean and second moment of Sample, and χ² as a mean over Sample: the sampler has the
// density that the bound speaks of.
func TestSampleOfFamilies(t *testing.T) {
	shared.Long(t, "262,144 draws of each family")
	const n = 1 << 18
	// By the central limit theorem; heavy tails make the fourth moment large, and the
	// margin of 6 standard errors (2e-9 if normal) leaves room for that.
	const margin = 6
	for name, f := range products(t, .8) {
		x := make([]float64, n)
		f.noise.Sample(x, rand.New(rand.NewPCG(7, 8)))
		below := 0
		chi, squares := make([]float64, n), make([]float64, n)
		const d = .3
		for i, v := range x {
			if v < d {
				below++
			}
			r := math.Expm1(f.log(v-d) - f.log(v))
			chi[i], squares[i] = r*r, v*v
		}
		reach := 2000.
		if name == "gaussian" {
			reach = 20
		}
		p := simpson(-reach, d, 1./256, func(v float64) float64 { return math.Exp(f.log(v)) })
		if in := stat.ClopperPearson(below, n, 1-falseAlarm/10); p < in.Low-1e-5 || p > in.High+1e-5 {
			t.Errorf("%s: %v of draws below %v, want %v", name, in, d, p)
		}
		mean, std := stat.MeanStd(x)
		if math.Abs(mean) > margin*std/math.Sqrt(n) {
			t.Errorf("%s: mean %v", name, mean)
		}
		if m, s := stat.MeanStd(squares); math.Abs(m-.64) > margin*s/math.Sqrt(n) {
			t.Errorf("%s: variance %v, want .64", name, m)
		}
		m, s := stat.MeanStd(chi)
		if want := chiSquared(f.noise, []float64{d}); math.Abs(m-want) > margin*s/math.Sqrt(n) {
			t.Errorf("%s: χ² %v over draws, want %v", name, m, want)
		}
	}
}

// Bound is never below ChiSquared at any vector that it speaks of, and close to it
// where e is small.
func TestBoundOfFamilies(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for name, f := range products(t, 1) {
		for range 40 {
			n := 1 + r.IntN(20)
			z, e, at := make([]float64, n), make([]float64, n), make([]float64, n)
			size := math.Pow(10, -5*r.Float64())
			width := size * math.Pow(10, -1-8*r.Float64())
			for i := range z {
				z[i], e[i] = size*r.NormFloat64(), width*r.Float64()
			}
			bound := f.noise.Bound(z, e)
			for range 10 {
				for i := range at {
					at[i] = z[i] + e[i]*float64(2*r.IntN(2)-1)
				}
				if got := chiSquared(f.noise, at); got > bound {
					t.Fatalf("%s: χ² = %v above the bound %v", name, got, bound)
				}
			}
			clear(e)
			if b, got := f.noise.Bound(z, e), chiSquared(f.noise, z); b < got || b > got*(1+1e-5) {
				t.Errorf("%s: bound %v of χ² = %v", name, b, got)
			}
		}
		if b := f.noise.Bound([]float64{1e9}, []float64{1}); !(b > 1e20) {
			t.Errorf("%s: bound %v of a shift of 1e9", name, b)
		}
		if b := f.noise.Bound([]float64{1, math.NaN()}, []float64{0, 0}); !math.IsInf(b, 1) {
			t.Errorf("%s: bound %v of no number", name, b)
		}
		if b := f.noise.Bound([]float64{0}, []float64{0}); !(b > 0 && b < 1e-20) {
			t.Errorf("%s: bound %v of no shift", name, b)
		}
	}
}

func TestParseNoise(t *testing.T) {
	path := filepath.Join(t.TempDir(), "noise.csv")
	must.Do(t, os.WriteFile(path, []byte("x,density\n-1,1\n0,5\n1,1\n"), 0o666))
	for _, spec := range []string{"gaussian", "laplace", "table:" + path} {
		noise, err := ParseNoise(spec, 1.7, 3)
		if err != nil || noise.String() != spec || noise.Std() != 1.7 {
			t.Errorf("%s: %v, %v", spec, noise, err)
		}
	}
	for spec, want := range map[string]string{
		"uniform": "vacuous", "uniform:3": "vacuous", "": "there are gaussian", "gauss": "there are gaussian",
		"gaussian:3": "takes no setting", "table": "table:FILE", "table:/no/such": "no such file", "table:": "table:FILE",
		"student-t:5": "give its density as table:FILE", "logistic": "give its density as table:FILE", "nothing:1": "there are gaussian",
	} {
		noise, err := ParseNoise(spec, 1, 3)
		if noise != nil || err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, error %v, want %s", spec, noise, err, want)
		}
	}
	for _, spec := range append(Families[:2:2], "table:"+path) {
		if noise, err := ParseNoise(spec, -1, 3); noise != nil || err == nil || !strings.Contains(err.Error(), "sigma -1 is negative") {
			t.Errorf("%s: %v, %v", spec, noise, err)
		}
	}
	for spec, want := range map[string]bool{"gaussian": true, "lattice": true, "lattice:0.5:8": true, "laplace": false, "table:x.csv": false, isotropicFamily: false} {
		if Shapeable(spec) != want {
			t.Errorf("%s may have a covariance: %t", spec, !want)
		}
	}
	if _, err := ParseNoise("uniform", 1, 1); !errors.Is(err, ErrVacuous) {
		t.Errorf("uniform: %v", err)
	}
}
