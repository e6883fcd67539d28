package nn

import "math"

// normSlack is more than underflowing squares take from the norm of a row of up to
// 2⁴⁰ entries.
const normSlack = 0x1p-500

// roundoff bounds three errors. The computed deviations ĉ_i = fl(x̂_i − m̂) differ from
// the exact c_i = x_i − mean(x) by at most
//
//	δ_i = ex_i + mean(ex) + γ_n·mean|x̂| + u·|ĉ_i|,
//
// since m̂ rounds n times. s(c) = √(mean(c²) + ε) is the Euclidean norm of the vector of
// the c_i/√n and √ε, so that the triangle inequality gives
//
//	|s(ĉ) − s(c)| ≤ Δ = √mean(δ²),   s(c) ≥ low = max(√ε, s(ĉ) − Δ).
//
// ẑ_i = fl(ĉ_i·r̂) is ĉ_i/s(ĉ) but for n + 2 roundings under the root, halved by it, and
// three more: a factor within 1 ± ρ, ρ = γ_{n+6}. From c_i/s(c) − ĉ_i/s(ĉ) = ((c_i − ĉ_i)
// + ĉ_i/s(ĉ)·(s(ĉ) − s(c)))/s(c),
//
//	|ẑ_i − z_i| ≤ E_i = (δ_i + |ẑ_i|·Δ)/low + ρ·|ẑ_i|,
//
// and no |z_i| exceeds √n, which is all that is known where the squares overflow and r̂
// is 0. Last, y = scale·z + shift rounds each term at most thrice:
//
//	|ŷ_i − y_i| ≤ |scale|·E_i + γ₃·(|scale·ẑ_i| + |shift|).
//
// No term here passes more than 2n + 40 roundings.
func (k *rowNorm[T]) roundoff(f *frame[float64], ey []float64, ex [][]float64) {
	if k.cols == 0 {
		return
	}
	gains, moves := any(k.valuesOr(k.scale, &k.ones, 1)).([]float64), any(k.valuesOr(k.move, &k.zeros, 0)).([]float64)
	stats := f.aux.(*rowStats)
	n := k.cols / k.segment
	for r := range f.batch * k.perExample {
		at := r * k.cols
		b := rowBound{
			x: f.x[0][at : at+k.cols], ex: ex[0][at : at+k.cols],
			mean: stats.mean[r], invStd: stats.invStd[r], epsilon: k.epsilon, segment: k.segment,
		}
		first := r * n % k.period
		b.bound(ey[at:at+k.cols], gains[first:first+n], moves[first:first+n])
	}
}

// rowBound is the bound of one row.
type rowBound struct {
	x, ex                 []float64
	mean, invStd, epsilon float64
	segment               int
	shared                float64 // the part of δ that all entries share
}

func (b *rowBound) bound(ey, gains, moves []float64) {
	n := len(b.x)
	up, rho, last := roundUp(2*n+40), gamma(n+6), gamma(3)
	size, wide, square := 0.0, 0.0, 0.0
	for i, v := range b.x {
		size += math.Abs(v)
		wide += b.ex[i]
	}
	b.shared = (wide + gamma(n)*size) / float64(n)
	for i := range b.x {
		e := b.reach(i)
		square += e * e
	}
	delta := up*math.Sqrt(square/float64(n)) + normSlack
	low := max(math.Sqrt(b.epsilon)*(1-4*unit), ((1-2*rho)/b.invStd-delta)*(1-4*unit))
	for i, v := range b.x {
		z := up * math.Abs((v-b.mean)*b.invStd)
		e := (b.reach(i)+z*delta)/low + rho*z
		if most := up*math.Sqrt(float64(n)) + z; !(e <= most) || b.invStd == 0 {
			e = most
		}
		g := math.Abs(gains[i/b.segment])
		ey[i] = up*(g*e+last*(g*z+math.Abs(moves[i/b.segment]))) + underflow
	}
}

// reach returns δ_i.
func (b *rowBound) reach(i int) float64 {
	return b.ex[i] + b.shared + unit*math.Abs(b.x[i]-b.mean)
}
