package independent

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// Sums of products in pairs of float64 against the exact sums. It also finds compilers that
// join a product with the operations of sum: then an error of a product is of order 2⁻⁵³.
func TestPairsAreAccurate(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var s pair
		exact, size := new(big.Float).SetPrec(2000), 0.
		for range 20 {
			x, w := pair{r.NormFloat64(), 0}, r.NormFloat64()
			x.lo = x.hi * 0x1p-54 * r.Float64()
			s = s.plus(x.times(w))
			exact.Add(exact, new(big.Float).Mul(value(x), big.NewFloat(w)))
			size += math.Abs(x.hi * w)
		}
		off, _ := new(big.Float).Sub(value(s), exact).Float64()
		if most := 100 * 0x1p-105 * size; !(math.Abs(off) <= most) {
			t.Fatalf("a sum of 20 products is off by %g, more than %g", off, most)
		}
	}
}

// value returns hi + lo.
func value(x pair) *big.Float {
	v := new(big.Float).SetPrec(2000).SetFloat64(x.hi)
	return v.Add(v, big.NewFloat(x.lo))
}
