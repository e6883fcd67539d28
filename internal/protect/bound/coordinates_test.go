package bound

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/must"
)

// bigCos returns cos(π·m/(2n)) in 120 bits: by the series, after reducing the
// angle in integers.
func bigCos(m, n int) *big.Float {
	const prec = 120
	pi, _ := new(big.Float).SetPrec(prec).SetString("3.14159265358979323846264338327950288419716939937510582097494459")
	m %= 4 * n
	x := new(big.Float).SetPrec(prec).Mul(pi, new(big.Float).SetPrec(prec).SetInt64(int64(m)))
	x.Quo(x, new(big.Float).SetInt64(int64(2*n)))
	x.Mul(x, x)
	sum, term := new(big.Float).SetPrec(prec).SetInt64(1), new(big.Float).SetPrec(prec).SetInt64(1)
	for k := int64(1); k < 60; k++ {
		term.Mul(term, x)
		term.Quo(term, new(big.Float).SetInt64(-(2*k-1)*2*k))
		sum.Add(sum, term)
	}
	return sum
}

// The modes' rounding error is within its derived bound of the exact transform.
func TestDCTRounding(t *testing.T) {
	const rows, cols = 28, 12
	c := DCT([]int{rows, cols})
	r := rand.New(rand.NewPCG(1, 2))
	v, got := make([]float64, rows*cols), make([]float64, rows*cols)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	c.Apply(got, v)
	limit, worst := c.Rounding()*length(v), 0.
	entry := func(k, j, n int) *big.Float {
		s := new(big.Float).SetPrec(120).SetInt64(2)
		if k == 0 {
			s.SetInt64(1)
		}
		s.Sqrt(s.Quo(s, new(big.Float).SetInt64(int64(n))))
		return s.Mul(s, bigCos(k*(2*j+1), n))
	}
	for _, k := range []int{0, 1, 13, 27} {
		for _, l := range []int{0, 5, 11} {
			sum := new(big.Float).SetPrec(120)
			for i := range rows {
				for j := range cols {
					w := entry(k, i, rows)
					w.Mul(w, entry(l, j, cols))
					sum.Add(sum, w.Mul(w, big.NewFloat(v[i*cols+j])))
				}
			}
			d, _ := sum.Sub(sum, big.NewFloat(got[k*cols+l])).Float64()
			worst = max(worst, math.Abs(d))
		}
	}
	if worst > limit || worst == 0 {
		t.Errorf("modes err by %g, the bound is %g", worst, limit)
	}
}

func TestBands(t *testing.T) {
	want := []int{0, 1, 6, 7, 24, 25, 30, 31}
	if got := DCT([]int{2, 4, 6}).Band(2); !slices.Equal(got, want) {
		t.Errorf("low band %v, want %v", got, want)
	}
	if b := Pixels(4).Band(2); b != nil {
		t.Errorf("pixels have a low band %v", b)
	}
}

func TestVectors(t *testing.T) {
	c := must.Get(Vectors("faces", []float64{3, 4, 0, 0, 0, 1e-200}, 3))(t)
	got := make([]float64, 2)
	c.Apply(got, []float64{1, 2, 7})
	if math.Abs(got[0]-2.2) > 1e-15 || got[1] != 7 {
		t.Errorf("W v = %v, want 2.2 and 7", got)
	}
	for what, w := range map[string][]float64{"zero": {1, 0, 0, 0, 0, 0}, "finite": {1, math.NaN(), 0}, "cannot be divided": {1, 2}, "": {math.Inf(1), 0, 0}} {
		must.Fail(t, must.Err(Vectors("faces", w, 3)), what)
	}
}

// MATH's example: for J = [[1, .99], [.99, 1]], σ = 1, the axis bound says 0.505
// where the truth is 5,000 (variances).
func TestAxisAndFullCramerRao(t *testing.T) {
	j := Jacobian{Active: []int{0, 1}, Rows: []float64{1, .99, .99, 1}, P: 2}
	f := must.Get(j.complete(t.Context()))(t)
	cr := f.CramerRao(Pixels(2), 1)
	det := (1 - .99*.99)
	want := (1 + .99*.99) / (det * det)
	for k := range 2 {
		if axis, full := cr.Axis[k]*cr.Axis[k], cr.Full[k]*cr.Full[k]; math.Abs(axis*(1+.99*.99)-1) > 1e-12 || math.Abs(full/want-1) > 1e-9 || math.Abs(cr.Seen[k]-1) > 1e-12 {
			t.Errorf("axis %g, full %g (want %g), seen %g", axis, full, want, cr.Seen[k])
		}
	}
	if got := Resolvable(f.S, 1, []float64{.1, .5, 1, 99, 101}); !slices.Equal(got, []int{0, 0, 1, 1, 2}) {
		t.Errorf("resolvable directions %v for singular values %v", got, f.S)
	}
}

// Ranks of matrices built with known singular values: regular, deficient, tall,
// wide, with values below √gramRatio, and
// with values of rounding size.
func TestFactorRank(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, v := range []struct {
		rows, cols int
		s          []float64
		rank       int
	}{
		{5, 9, []float64{3, 2, 1, .5, .1}, 5},
		{9, 5, []float64{3, 2, 1, .5, .1}, 5},
		{8, 9, []float64{3, 2, 1}, 3},
		{8, 6, []float64{10, 1, 1e-5}, 3},
		{6, 8, []float64{10, 1, 1e-6, 1e-12}, 3},
		{4, 4, nil, 0},
	} {
		j := jacobianWith(r, v.s, v.rows, v.cols)
		f := must.Get(j.complete(t.Context()))(t)
		if f.Rank() != v.rank {
			t.Errorf("%d×%d with singular values %v: rank %d (%v)", v.rows, v.cols, v.s, f.Rank(), f.S)
			continue
		}
		for i, s := range f.S {
			if math.Abs(s/v.s[i]-1) > 1e-6 {
				t.Errorf("singular value %g, want %g", s, v.s[i])
			}
		}
		if v.rank > 0 && f.left(j) > 1e-8*f.S[0] {
			t.Errorf("%d×%d: the factors miss %g", v.rows, v.cols, f.left(j))
		}
	}
	must.Fail(t, must.Err((Jacobian{Active: []int{0}, Rows: []float64{math.NaN(), 1}, P: 2}).complete(t.Context()))) // a Jacobian that is not finite
}

func TestSummaryOfUnbounded(t *testing.T) {
	inf := math.Inf(1)
	s := Summary{}.summarize([]float64{4, inf, 1, 2, 3})
	if s.UnboundedFraction != .2 || s.Quantile(.5) != 3 || s.Quantile(.75) != 4 || !math.IsInf(s.Quantile(.95), 1) {
		t.Errorf("summary %+v", s)
	}
	if !math.IsNaN(s.Quantile(.3)) {
		t.Error("a level that is not there")
	}
}

func TestSizeNames(t *testing.T) {
	for size, want := range map[float64]string{1. / 200: "s200", 1. / 1000: "s1000", .3: "s0p3", 1: "s1", 2.5: "s2p5"} {
		if got := SizeName(size); got != want {
			t.Errorf("size %g is named %s, want %s", size, got, want)
		}
	}
}

// TestColumns: the bands of a table are its columns by name, each once, and the last ones together
// if there are many; columns that do not cover the inputs are refused.
func TestColumns(t *testing.T) {
	c := must.Get(Columns([]Column{{"age", 2, 1, 0}, {"all", 3, 3, 0}, {"age", 1, 1, 0}}, 6))(t)
	want := []Band{{Name: AllBand}, {"age", []int{0}}, {"all (2)", []int{2, 3, 4}}, {"age (2)", []int{5}}}
	if got := Octaves(c); len(got) != len(want) {
		t.Fatalf("bands %v, want %v", got, want)
	} else {
		for i, b := range got {
			if b.Name != want[i].Name || !slices.Equal(b.Keep, want[i].Keep) {
				t.Errorf("band %v, want %v", b, want[i])
			}
		}
	}
	many := make([]Column, mostColumns+5)
	for i := range many {
		many[i] = Column{Name: string(rune('A' + i)), Width: 1, Keep: 1}
	}
	c = must.Get(Columns(many, len(many)))(t)
	bands := Octaves(c)
	if last := bands[len(bands)-1]; len(bands) != mostColumns+1 || last.Name != "6 other columns" || len(last.Keep) != 6 {
		t.Errorf("%d bands, the last %v", len(bands), last)
	}
	for _, bad := range [][]Column{{{"a", 2, 1, 0}}, {{"a", 4, 1, 0}}, {{"a", 3, 0, 0}}, {{"a", 3, 4, 0}}, {{"a", 0, 0, 0}, {"b", 3, 1, 0}}} {
		if _, err := Columns(bad, 3); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}
