package lattice

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sort"
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
	third, half := big.NewRat(1, 3), big.NewRat(1, 2)
	const cut = 0x5555555555555555 // of 1/3 in binary
	for _, c := range []struct {
		limit *big.Rat
		words []uint64
		want  bool
	}{
		{third, []uint64{cut, cut - 1}, true},
		{third, []uint64{cut, cut + 1}, false},
		{third, []uint64{cut, cut, cut, 0}, true},
		{half, []uint64{1<<63 - 1}, true},
		{half, []uint64{1 << 63}, false},
	} {
		source := &undecided{c.words[1:]}
		if got := less(c.words[0], c.limit, 1, source); got != c.want || len(source.words) != 0 {
			t.Errorf("%x: %v, %d words left", c.words, got, len(source.words))
		}
	}
}

// The words that would come too often are drawn again, and no others: 2⁶⁴ mod 3 = 1.
func TestBelow(t *testing.T) {
	const inverse = 0xaaaaaaaaaaaaaaab // of 3 modulo 2⁶⁴, so that the low half of the product is 1
	for words, want := range map[[2]uint64]struct{ n, left uint64 }{{inverse, 0}: {2, 1}, {0, inverse}: {2, 0}, {1, 0}: {0, 1}} {
		source := &undecided{words[:]}
		if got := below(3, source); got != want.n || uint64(len(source.words)) != want.left {
			t.Errorf("%x: %d, %d words left", words, got, len(source.words))
		}
	}
}

// Where γ is next to an integer, float64 may have the other whole part: the decision is made exactly.
func TestKeepNextToAnInteger(t *testing.T) {
	found := map[bool]int{} // whether float64 rounds γ up to the integer
	for part := uint64(3); part < 40; part++ {
		for y := part + 1; y < 4*part; y++ {
			least, most := math.Float64bits(float64(part-1)), math.Float64bits(float64(part))
			wholeAt := func(bits uint64) (*Sampler, int64) {
				g := &Sampler{s: math.Float64frombits(bits), t: part}
				whole, _ := g.gamma(y)
				return g, whole.Int64()
			}
			_, n := wholeAt(least + (most-least)/2)
			at := least + uint64(sort.Search(int(most-least), func(i int) bool { // γ falls where s grows
				_, whole := wholeAt(least + uint64(i))
				return whole < n
			}))
			for bits := max(at-6, least+1); bits < min(at+3, most); bits++ {
				g, whole := wholeAt(bits)
				d := float64(y) - g.s*g.s/float64(part)
				near := int64(math.Floor(d * d / (2 * (g.s * g.s))))
				if near == whole {
					continue
				}
				found[near > whole]++
				for seed := range byte(100) {
					a, b := rand.NewChaCha8([32]byte{seed}), rand.NewChaCha8([32]byte{seed})
					if g.keep(y, a) != g.keepExactly(y, b) || a.Uint64() != b.Uint64() {
						t.Fatalf("parameter %v, %d: γ next to %d is decided by float64", g.s, y, near)
					}
				}
			}
		}
	}
	if found[true] == 0 || found[false] == 0 {
		t.Errorf("no case of one kind: %v", found)
	}
}

// A uniform number next to the limit is compared exactly, also for a large k.
func TestFractionNextToTheLimit(t *testing.T) {
	g := must.Get(NewSampler(5.3))(t)
	const y = 9
	_, exact := g.gamma(y)
	f, _ := exact.Float64()
	for _, k := range []uint64{1, 2, 100, 5000} {
		limit := new(big.Int).Lsh(exact.Num(), 64)
		limit.Quo(limit, new(big.Int).Mul(exact.Denom(), new(big.Int).SetUint64(k)))
		for step := -40; step <= 40; step++ {
			word := limit.Uint64() + uint64(step*64)
			want := less(word, exact, k, &undecided{make([]uint64, 9)})
			if got := g.fraction(y, f, 0x1p-48*2, k, &undecided{append([]uint64{word}, make([]uint64, 9)...)}); got != want {
				t.Errorf("k = %d, %d words from the limit: %v", k, 64*step, got)
			}
		}
	}
}

// The same bits give the same noise, now and later.
func TestSamplerIsStable(t *testing.T) {
	got := make([]int64, 10)
	must.Get(NewSampler(20.5))(t).Sample(got, rand.NewChaCha8([32]byte{5}))
	if want := []int64{3, 3, -4, 11, 0, 2, 13, 24, 13, 18}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
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
