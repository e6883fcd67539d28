package bound

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
	"tattle/internal/must"
)

// jacobianWith returns U diag(s) Vᵀ of random rotations, made of reflections.
func jacobianWith(r *rand.Rand, s []float64, rows, p int) Jacobian {
	j := Jacobian{Rows: make([]float64, rows*p), P: p}
	for i := range rows {
		j.Active = append(j.Active, i)
		if i < len(s) {
			j.Rows[i*p+i] = s[i]
		}
	}
	mirror := func(width int) []float64 {
		v := make([]float64, width)
		for i := range v {
			v[i] = r.NormFloat64()
		}
		simd.Scale(math.Sqrt(2/simd.SumSquares(v)), v)
		return v
	}
	for range 2 {
		v, u, uj := mirror(p), mirror(rows), make([]float64, p)
		for i := range rows {
			row := rowOf(j.Rows, i, p)
			simd.Axpy(-simd.Dot(row, v), v, row)
			simd.Axpy(u[i], row, uj)
		}
		for i := range rows {
			simd.Axpy(-u[i], uj, rowOf(j.Rows, i, p))
		}
	}
	return j
}

// left returns ‖J − Σ s_i u_i v_iᵀ‖_F, which bounds every singular value that is not among the factors.
func (f *Factors) left(j Jacobian) float64 {
	rest, scaled, rows := slices.Clone(j.Rows), slices.Clone(f.V), len(j.Active)
	for i, s := range f.S {
		simd.Scale(s, scaled[i*j.P:(i+1)*j.P])
	}
	simd.Gemm(true, false, rows, j.P, len(f.S), -1, f.U, rows, scaled, j.P, 1, rest, j.P)
	return math.Sqrt(simd.SumSquares(rest))
}

// Large Jacobians, wide and tall, of full rank and of less, with singular values down
// to 1e-7 of the largest and some at nothing: values to the accuracy that is promised,
// J from its factors, orthonormal vectors, and the pseudoinverse.
func TestFactorLarge(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 1))
	for _, c := range []struct{ rows, p, rank int }{{280, 300, 280}, {300, 280, 280}, {270, 400, 200}, {400, 270, 261}} {
		s := make([]float64, c.rank)
		for i := range s {
			s[i] = 3 * math.Pow(10, -7*float64(i)/float64(c.rank))
		}
		j := jacobianWith(r, s, c.rows, c.p)
		f := must.Get(j.complete(t.Context()))(t)
		if f.Rank() != c.rank {
			t.Fatalf("%d×%d: rank %d, want %d", c.rows, c.p, f.Rank(), c.rank)
		}
		for i, v := range f.S {
			if math.Abs(v-s[i]) > 1e-6*s[i] {
				t.Errorf("%d×%d: singular value %d is %g, want %g", c.rows, c.p, i, v, s[i])
			}
		}
		if left := f.left(j); left > 1e-8*s[0] {
			t.Errorf("%d×%d: %g of J is left", c.rows, c.p, left)
		}
		for name, x := range map[string][]float64{"left": f.U, "right": f.V} {
			w := len(x) / c.rank
			g := make([]float64, c.rank*c.rank)
			simd.Gemm(false, true, c.rank, c.rank, w, 1, x, w, x, w, 0, g, c.rank)
			for i := range c.rank {
				g[i*c.rank+i]--
			}
			if o := simd.MaxAbs(g); o > 1e-7 {
				t.Errorf("%d×%d: %s vectors orthonormal to %g", c.rows, c.p, name, o)
			}
		}
	}
}

// Factors that are off are found out: by a value, a vector, a pair of vectors that are
// not orthogonal, or one that is missing.
func TestSound(t *testing.T) {
	r := rand.New(rand.NewPCG(57, 1))
	for _, size := range [][2]int{{60, 90}, {90, 60}, {60, 60}} {
		s := make([]float64, 60)
		for i := range s {
			s[i] = math.Pow(10, -float64(i)/20)
		}
		j := jacobianWith(r, s, size[0], size[1])
		made := func() *Factors {
			f := &Factors{Active: j.Active, P: j.P}
			if !f.fromGrams(context.Background(), j, gramRatio, true) {
				t.Fatal("not converged")
			}
			return f
		}
		if !made().sound(j) {
			t.Errorf("%v: right factors do not pass", size)
		}
		for name, spoil := range map[string]func(f *Factors){
			"value":      func(f *Factors) { f.S[40] *= 1.001 },
			"left":       func(f *Factors) { f.U[7*size[0]+3] += 1e-5 },
			"right":      func(f *Factors) { f.V[59*size[1]+3] += 1e-3 },
			"twice":      func(f *Factors) { copy(f.U[58*size[0]:59*size[0]], f.U[59*size[0]:]) },
			"long left":  func(f *Factors) { f.S[40] /= 2; simd.Scale(2, rowOf(f.U, 40, size[0])) },
			"long right": func(f *Factors) { f.S[40] /= 2; simd.Scale(2, rowOf(f.V, 40, size[1])) },
			"missing":    func(f *Factors) { f.S = f.S[:59]; f.U = f.U[:59*size[0]]; f.V = f.V[:59*size[1]] },
			"no numbers": func(f *Factors) { f.V[0] = math.NaN() },
		} {
			f := made()
			if spoil(f); f.sound(j) {
				t.Errorf("%v, %s: wrong factors pass", size, name)
			}
		}
	}
}

// What is left of a Jacobian of low rank is rounding, and no reason to look further;
// and one too small for its squares is decomposed all the same.
func TestFactorLargeOfLowRankAndTiny(t *testing.T) {
	r := rand.New(rand.NewPCG(58, 1))
	for _, scale := range []float64{1, 1e-200} {
		j := jacobianWith(r, []float64{3 * scale, 2 * scale, scale}, 260, 270)
		f := must.Get(j.complete(t.Context()))(t)
		if f.Rank() != 3 || math.Abs(f.S[2]-scale) > 1e-9*scale {
			t.Errorf("at %g: %d singular values, %g", scale, f.Rank(), f.S)
		}
	}
}

func BenchmarkFactorLarge(b *testing.B) {
	const rows, p = 1548, 3072
	r := rand.New(rand.NewPCG(55, 1))
	j := Jacobian{Rows: make([]float64, rows*p), P: p}
	for i := range j.Rows {
		j.Rows[i] = r.NormFloat64() * math.Pow(10, -5*float64(i/p)/rows)
	}
	for i := range rows {
		j.Active = append(j.Active, i)
	}
	c := DCT([]int{3, 32, 32})
	for b.Loop() {
		f := must.Get(j.complete(b.Context()))(b)
		f.pseudoinverse()
		f.CramerRao(c, 1)
	}
}

// late is a context that ends after so many looks at it.
type late struct {
	context.Context
	looks *int
}

func (c late) Err() error {
	if *c.looks--; *c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// A decomposition ends soon once it is not wanted any more, without another way tried.
func TestFactorLargeEnds(t *testing.T) {
	j := jacobianWith(rand.New(rand.NewPCG(59, 1)), []float64{3, 2, 1}, 260, 270)
	for looks := range 20 {
		ctx := late{t.Context(), &looks}
		if f, err := j.complete(ctx); f != nil || !errors.Is(err, context.Canceled) {
			t.Fatalf("%v", err)
		}
	}
}

// The rows or columns of Jacobians of several inputs take several products. They have the rows that products with Jᵀ give
// one by one, of every feature that is on.
func TestJacobiansInChunks(t *testing.T) {
	const batch, n = 30, 600
	for _, p := range []int{250, 700} { // by columns, by rows
		m, x := smallNet(t, p, 300, n), nn.Float64s(noise(p, batch).X)
		most, a := 0, make([]float64, batch*n)
		m.Forward64(a, x)
		for i, got := range Jacobians(m, x) {
			lin, u, row, on := m.Linearize64(rowOf(x, i, p)), make([]float64, n), make([]float64, p), 0
			for j, v := range rowOf(a, i, n) {
				if v == 0 {
					continue
				}
				clear(u)
				u[j] = 1
				lin.VJP(row, u)
				if got.Active[on] != j || floats.Distance(row, rowOf(got.Rows, on, p), math.Inf(1)) > 1e-9 {
					t.Fatalf("%d inputs, example %d: another row of feature %d", p, i, j)
				}
				on++
			}
			if most = max(most, on); on != len(got.Active) {
				t.Errorf("%d inputs, example %d: %d rows of %d features", p, i, len(got.Active), on)
			}
		}
		if most <= eigenSmall {
			t.Errorf("%d inputs: at most %d rows", p, most)
		}
	}
}
