package bound

import (
	"context"
	"math"
	"math/rand/v2"

	"tattle/internal/engine/nn"
	"tattle/internal/math/eigen"
	"tattle/internal/math/simd"
)

// probes is the number of products with Jᵀ that find how J differs between two inputs. If the
// net is piecewise linear, the rank of J(θ') − J(θ) is at most the number of units that change
// their state, which is small if θ' is near θ.
const probes = 12

const (
	// changeFloor is the smallest change of a product, relative to its norm, that counts as
	// more than float32 rounding.
	changeFloor = 1e-5
	// sureRank is the largest rank of a change that so many random products determine
	// reliably.
	sureRank = probes - 3
)

// An update of the decomposition is faster than LSQR on products if J has few nonzero rows. A
// decomposition takes about 2.5 ns·rows³ on one core. LSQR takes some 140 steps, each of about
// 0.05 ns·2pn on two cores for a layer with pn weights. For paper A's MNIST net (p = n = 784)
// both take the same time at about 150 rows.
const (
	updateRatio = 6  // rows³/(pn) at which both take the same time
	updateRows  = 64 // up to so many rows an update is always used
)

// updates reports whether an update is expected to be faster.
func updates(rows int, m interface{ Dims() (p, n int) }) bool {
	p, n := m.Dims()
	return rows <= updateRows || rows*rows*rows <= updateRatio*p*n
}

// updater decomposes J at inputs near others whose decompositions, base, are known.
type updater struct {
	model  nn.Model
	base   []*Factors
	omega  []float32 // [examples, probes, n], random vectors ω
	before []float32 // [examples, probes, p], Jᵀω at the inputs of base
	after  []float32 // the same at the new inputs
	full   int       // Jacobians that were computed in full, because too much had changed
}

func newUpdater(m nn.Model, theta []float32, base []*Factors) *updater {
	p, n := m.Dims()
	u := &updater{model: m, base: base, omega: make([]float32, len(base)*probes*n),
		before: make([]float32, len(base)*probes*p), after: make([]float32, len(base)*probes*p)}
	r := rand.New(rand.NewPCG(0, 0))
	for i := range u.omega[:probes*n] {
		u.omega[i] = float32(r.NormFloat64())
	}
	for i := 1; i < len(base); i++ {
		copy(u.omega[i*probes*n:], u.omega[:probes*n])
	}
	m.Linearize(theta).VJP(u.before, u.omega)
	return u
}

// decompose returns the decompositions of J at the rows of at.
func (u *updater) decompose(ctx context.Context, at []float32) ([]decomposition, error) {
	p, n := u.model.Dims()
	lin := u.model.Linearize(at)
	lin.VJP(u.after, u.omega)
	changes, most := u.changes(p)
	products := make([]float32, len(u.base)*most*n)
	if most > 0 {
		tangents := make([]float32, len(u.base)*most*p)
		for i, q := range changes {
			convert(tangents[i*most*p:], q)
		}
		lin.JVP(products, tangents)
	}
	out := make([]decomposition, len(u.base))
	parallel(len(out), func(i int) {
		switch q := changes[i]; {
		case ctx.Err() != nil, q == nil:
		case len(q) == 0:
			out[i] = u.base[i]
		default:
			if d := u.base[i].update(q, products[i*most*n:(i*most+len(q)/p)*n]); d != nil {
				out[i] = d
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return out, u.decomposeInFull(ctx, out, at)
}

// changes returns, for each example, an orthonormal basis of the change in the rows of J,
// [rank, p], and the largest rank. A basis is nil if the change is too large to be determined.
func (u *updater) changes(p int) (bases [][]float64, most int) {
	bases = make([][]float64, len(u.base))
	parallel(len(bases), func(i int) {
		before, after := u.before[i*probes*p:(i+1)*probes*p], u.after[i*probes*p:(i+1)*probes*p]
		bases[i] = rowBasis(before, after, p)
	})
	for _, b := range bases {
		most = max(most, len(b)/p)
	}
	return bases, most
}

// rowBasis returns an orthonormal basis of the rows of after − before, without directions that
// are only rounding: nil if there are more than sureRank.
func rowBasis(before, after []float32, p int) []float64 {
	change := make([]float64, len(after))
	var moved, norm float64
	for k, v := range after {
		change[k] = float64(v) - float64(before[k])
		moved += change[k] * change[k]
		norm += float64(v) * float64(v)
	}
	if moved <= changeFloor*changeFloor*norm {
		return []float64{}
	}
	gram := make([]float64, probes*probes)
	simd.Gemm(false, true, probes, probes, p, 1, change, p, change, p, 0, gram, probes)
	values, vectors, ok := eigen.Symmetric(gram, probes, changeFloor*changeFloor*norm)
	if !ok || len(values) > sureRank {
		return nil
	}
	basis := make([]float64, len(values)*p)
	simd.Gemm(false, false, len(values), p, probes, 1, vectors, probes, change, p, 0, basis, p)
	for i, v := range values {
		simd.Scale(1/math.Sqrt(v), basis[i*p:(i+1)*p])
	}
	return basis
}

// decomposeInFull computes and decomposes the Jacobians of the examples that have no
// decomposition yet.
func (u *updater) decomposeInFull(ctx context.Context, out []decomposition, at []float32) error {
	p, n := u.model.Dims()
	var which []int
	var x []float32
	for i, d := range out {
		if d == nil {
			which = append(which, i)
			x = append(x, at[i*p:(i+1)*p]...)
		}
	}
	if len(which) == 0 {
		return nil
	}
	u.full += len(which)
	fs, err := factorAll(ctx, jacobians(ctx, u.model.Linearize(x), len(which), p, n), Jacobian.coarse)
	if err != nil {
		return err
	}
	for k, i := range which {
		out[i] = fs[k]
	}
	return nil
}
