package bound

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
	"tattle/internal/must"
)

// A change of J shows in products with it. Those that are larger than rounding span its rows, and give its basis. There is
// no basis where the products are too few to tell the rank.
func TestRowBasis(t *testing.T) {
	const p = 13
	before := make([]float32, probes*p)
	for i := range probes {
		before[i*p+p-1] = 10 // which does not change
	}
	change := func(by ...float32) []float32 { // product i along input i
		after := slices.Clone(before)
		for i, v := range by {
			after[i*p+i] = v
		}
		return after
	}
	for _, c := range []struct {
		by   []float32
		rank int // −1 for none
	}{{nil, 0}, {[]float32{1e-5}, 0}, {[]float32{1, 1e-5, .5}, 2}, {slices.Repeat([]float32{1}, sureRank), sureRank}, {slices.Repeat([]float32{1}, sureRank+1), -1}} {
		basis := rowBasis(before, change(c.by...), p)
		if basis == nil != (c.rank < 0) || len(basis) != max(c.rank, 0)*p {
			t.Errorf("a change by %g has the basis %g", c.by, basis)
		}
		for row := range slices.Chunk(basis, p) {
			if slices.Max(row[len(c.by):]) != 0 || math.Abs(square(row)-1) > 1e-12 {
				t.Errorf("a change by %g has the basis vector %g", c.by, row)
			}
		}
	}
	// Of paper A's net, 784 to 784, both ways take the same time at about 150 rows. A few rows are always updated.
	for _, c := range []struct {
		rows, p int
		want    bool
	}{{150, 784, true}, {160, 784, false}, {96, 384, true}, {97, 384, false}, {updateRows, 1, true}, {updateRows + 1, 1, false}} {
		if updates(c.rows, wide{n: c.p * c.p}) != c.want {
			t.Errorf("%d rows of %d inputs: an update is expected to be slower or faster", c.rows, c.p)
		}
	}
}

// The decomposition of J + c qᵀ is made from that of J. It has its singular values above the cutoff, the same coordinates
// but for signs, and the same pseudoinverse.
func TestUpdate(t *testing.T) {
	const rows, p = 6, 8
	r := rand.New(rand.NewPCG(60, 1))
	for size, rank := range map[float64]int{1: 4, 1e8: 1} {
		j := jacobianWith(r, []float64{3, 2, 1}, rows, p)
		f := must.Get(j.complete(t.Context()))(t)
		q, jq := nn.Float64s(normals(r, p, 1)), normals(r, rows, size)
		simd.Scale(1/math.Sqrt(square(q)), q)
		for i, to := range jq {
			row := rowOf(j.Rows, i, p)
			simd.Axpy(float64(to)-simd.Dot(row, q), q, row)
		}
		z, back := normals(r, rows, 1), [2][]float32{make([]float32, p), make([]float32, p)}
		var found [2][]float64
		for k, d := range []decomposition{f.update(q, jq), must.Get(j.coarse(t.Context()))(t)} {
			c, outside := d.split(z)
			over := make([]float32, len(c))
			for i, s := range d.values() {
				over[i], c[i] = float32(c[i]/s), math.Abs(c[i])
			}
			d.combine(back[k], over)
			found[k] = append(append(slices.Clone(d.values()), outside), c...)
		}
		if got, want := found[0], found[1]; len(want) != 2*rank+1 || !floats.EqualApprox(got, want, 1e-6) || distance(back[0], back[1], p, 1) > 1e-5 {
			t.Errorf("singular values, what is outside and coordinates %v, want %v; pseudoinverses %v and %v", got, want, back[0], back[1])
		}
	}
}
