package dct

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"tattle/internal/must"
)

var sizes = [][2]int{{1, 1}, {1, 5}, {2, 2}, {3, 7}, {8, 8}, {28, 28}, {32, 31}, {64, 17}}

func images(rows, cols, n int) []float64 {
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float64, n*rows*cols)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

// slow is the definition, term by term.
func slow(rows, cols int, x []float64) []float64 {
	y := make([]float64, len(x))
	weight := func(k, n int) float64 {
		if k == 0 {
			return math.Sqrt(1 / float64(n))
		}
		return math.Sqrt(2 / float64(n))
	}
	for k := range rows {
		for l := range cols {
			var s float64
			for i := range rows {
				for j := range cols {
					s += x[i*cols+j] *
						math.Cos(math.Pi*float64(k)*(float64(i)+.5)/float64(rows)) *
						math.Cos(math.Pi*float64(l)*(float64(j)+.5)/float64(cols))
				}
			}
			y[k*cols+l] = weight(k, rows) * weight(l, cols) * s
		}
	}
	return y
}

func TestAgainstDefinition(t *testing.T) {
	for _, s := range sizes {
		rows, cols := s[0], s[1]
		x := images(rows, cols, 1)
		y := make([]float64, len(x))
		NewPlan(rows, cols).Forward(y, x)
		if d := floats.Distance(y, slow(rows, cols, x), math.Inf(1)); d > 1e-12 {
			t.Errorf("%v: %g from the definition", s, d)
		}
	}
}

// bigCosine returns cos(π m/(2n)) from its Taylor series in 200 bits.
func bigCosine(m, n int) float64 {
	const π = "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798"
	x, _, err := big.ParseFloat(π, 10, 400, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	x.Mul(x, big.NewFloat(float64(m%(4*n))))
	x.Quo(x, big.NewFloat(float64(2*n)))
	square := new(big.Float).Mul(x, x)
	term := big.NewFloat(1).SetPrec(400)
	sum := big.NewFloat(1).SetPrec(400)
	for i := 1; i < 60; i++ {
		term.Mul(term, square)
		term.Quo(term, big.NewFloat(-float64((2*i-1)*2*i)))
		sum.Add(sum, term)
	}
	c, _ := sum.Float64()
	return c
}

func TestCosineIsRightToTheLastDigits(t *testing.T) {
	for _, n := range []int{1, 2, 3, 28, 31} {
		for m := range 9 * n {
			if got, want := cosine(m, n), bigCosine(m, n); math.Abs(got-want) > 4e-16*math.Abs(want)+1e-100 {
				t.Errorf("cos(π %d/(2·%d)) = %v, want %v", m, n, got, want)
			}
		}
	}
}

func TestMatrixIsOrthonormal(t *testing.T) {
	for _, n := range []int{1, 2, 7, 28, 224} {
		c := matrix(n)
		for k := range n {
			for l := range n {
				want := 0.0
				if k == l {
					want = 1
				}
				if d := floats.Dot(c[k*n:(k+1)*n], c[l*n:(l+1)*n]) - want; math.Abs(d) > 2e-14 {
					t.Fatalf("n = %d: (C Cᵀ)[%d,%d] is off by %g", n, k, l, d)
				}
			}
		}
	}
}

func TestInverseAndParseval(t *testing.T) {
	for _, s := range sizes {
		const n = 5
		p := NewPlan(s[0], s[1])
		x := images(s[0], s[1], n)
		y, back := make([]float64, len(x)), make([]float64, len(x))
		p.Forward(y, x)
		if a, b := floats.Norm(x, 2), floats.Norm(y, 2); math.Abs(a-b) > 1e-13*a {
			t.Errorf("%v: ‖x‖ = %v, ‖Cx‖ = %v", s, a, b)
		}
		p.Inverse(back, y)
		if d := floats.Distance(back, x, math.Inf(1)); d > 1e-13 {
			t.Errorf("%v: the inverse is off by %g", s, d)
		}
		// ⟨C x, g⟩ = ⟨x, Cᵀ g⟩.
		g := images(s[0], s[1], 2*n)[len(x):]
		p.Inverse(back, g)
		if a, b := floats.Dot(y, g), floats.Dot(x, back); math.Abs(a-b) > 1e-12*(1+math.Abs(a)) {
			t.Errorf("%v: ⟨Cx,g⟩ = %v, ⟨x,Cᵀg⟩ = %v", s, a, b)
		}
	}
}

func TestBatchAndInPlace(t *testing.T) {
	const rows, cols, n = 9, 14, 6
	p := NewPlan(rows, cols)
	x := images(rows, cols, n)
	y := make([]float64, len(x))
	p.Forward(y, x)
	one := make([]float64, rows*cols)
	for i := 0; i < len(x); i += rows * cols {
		p.Forward(one, x[i:i+rows*cols])
		if d := floats.Distance(one, y[i:i+rows*cols], math.Inf(1)); d > 1e-14 {
			t.Errorf("image %d differs by %g in a batch", i/(rows*cols), d)
		}
	}
	p.Forward(x, x)
	if !floats.Equal(x, y) {
		t.Error("in place differs")
	}
	p.Forward(nil, nil) // no images
}

func TestShapePanics(t *testing.T) {
	for name, f := range map[string]func(){
		"length": func() { NewPlan(3, 3).Forward(make([]float64, 8), make([]float64, 8)) },
		"unlike": func() { NewPlan(3, 3).Forward(make([]float64, 9), make([]float64, 18)) },
		"empty":  func() { NewPlan(0, 3) },
	} {
		must.Panic(t, f, name)
	}
}
