package lattice

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"tattle/internal/must"
	"tattle/internal/shared"
)

var parameters = []float64{.3, .5, 1, 1.7, 5.3, 64, 1e3, 1e4}

// chiSquare compares draws with the probabilities p(k) ∝ exp(−k²/2s²), in some 60 groups of as many
// expected draws each. It returns Pearson's statistic and its degrees of freedom.
func chiSquare(draws []int64, s float64) (statistic, freedom float64) {
	most := int64(12*s) + 3
	p := make([]float64, 2*most+1)
	all := 0.
	for i := range p {
		k := float64(int64(i) - most)
		p[i] = math.Exp(-k * k / 2 / s / s)
		all += p[i]
	}
	counts := make([]float64, len(p))
	for _, k := range draws {
		counts[k+most]++
	}
	n := float64(len(draws))
	least := n / 60
	if s < .4 { // there are three groups at all: −1, 0 and 1
		least = 700
	}
	expected, observed, left, leftObserved := 0., 0., n, n
	for i := range p {
		expected += n * p[i] / all
		observed += counts[i]
		if rest := left - expected; expected >= least && rest >= least {
			statistic += (observed - expected) * (observed - expected) / expected
			freedom++
			left, leftObserved, expected, observed = rest, leftObserved-observed, 0, 0
		}
	}
	return statistic + (leftObserved-left)*(leftObserved-left)/left, freedom
}

// Pearson's test fails by chance once in 10⁷ times for each of the 8 parameters: groups have at
// least 700 expected draws, where the statistic follows its distribution closely. It does
// find a parameter that is 2 % off.
func TestSamplerDistribution(t *testing.T) {
	shared.Long(t, "the distribution of many draws")
	for _, s := range parameters {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			g := must.Get(NewSampler(s))(t)
			draws := make([]int64, 200000)
			g.Sample(draws, rand.NewChaCha8([32]byte{byte(s), 1}))
			statistic, freedom := chiSquare(draws, s)
			limit := distuv.ChiSquared{K: freedom}.Quantile(1 - 1e-7)
			if !(statistic < limit) {
				t.Errorf("χ² = %v with %v degrees of freedom, want below %v", statistic, freedom, limit)
			}
			if statistic, _ := chiSquare(draws, s*1.02); !(statistic > limit) {
				t.Errorf("χ² = %v against a parameter that is 2 %% larger, want above %v", statistic, limit)
			}
		})
	}
}

// The same bits give the same noise if every comparison is made in rational arithmetic.
func TestSamplerIsExact(t *testing.T) {
	for _, s := range append([]float64{leastParameter, math.Pi, 1 << 20, MaxRatio}, parameters...) {
		fast := must.Get(NewSampler(s))(t)
		slow := *fast
		slow.careful = true
		a, b := make([]int64, 3000), make([]int64, 3000)
		first, second := rand.NewChaCha8([32]byte{7}), rand.NewChaCha8([32]byte{7})
		fast.Sample(a, first)
		slow.Sample(b, second)
		if !slices.Equal(a, b) || first.Uint64() != second.Uint64() {
			t.Errorf("parameter %v: exact arithmetic gives other noise", s)
		}
	}
}

// undecided gives a first word that does not decide x < 1/3, then the given ones.
type undecided struct{ words []uint64 }

func (u *undecided) Uint64() uint64 {
	w := u.words[0]
	u.words = u.words[1:]
	return w
}

// A comparison that 64 bits do not decide draws more.
func TestLessDrawsOn(t *testing.T) {
	third := big.NewRat(1, 3)
	const cut = 0x5555555555555555 // of 1/3 in binary
	for _, c := range []struct {
		words []uint64
		want  bool
	}{
		{[]uint64{cut, cut - 1}, true},
		{[]uint64{cut, cut + 1}, false},
		{[]uint64{cut, cut, cut, 0}, true},
	} {
		source := &undecided{c.words[1:]}
		if got := less(c.words[0], third, 1, source); got != c.want || len(source.words) != 0 {
			t.Errorf("%x: %v, %d words left", c.words, got, len(source.words))
		}
	}
}

func TestNewSampler(t *testing.T) {
	for _, s := range []float64{0, -1, .2, math.NaN(), math.Inf(1), 2 * MaxRatio} {
		if _, err := NewSampler(s); err == nil {
			t.Errorf("parameter %v is accepted", s)
		}
	}
}

func TestSampleDoesNotAllocate(t *testing.T) {
	g := must.Get(NewSampler(100.3))(t)
	dst, source := make([]int64, 100), rand.NewChaCha8([32]byte{1})
	if n := testing.AllocsPerRun(100, func() { g.Sample(dst, source) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
