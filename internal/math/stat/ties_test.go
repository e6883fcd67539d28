package stat

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/must"
)

// Outcomes that equal the one seen count, although their sums are rounded differently. The numbers are multiples of a step that
// float64 does not hold exactly. The expected p-values are counted over all outcomes in whole steps.
func TestEqualOutcomesCount(t *testing.T) {
	const n, scale = 10, 1e9 / 7.
	whole := []int{3, -1, 2, 1, -2, 1, 3, -3, 2, 1}
	x, signs := make([]float64, n), make([]int, n)
	scores, group, all := make([]float64, 2*n), make([]int, n), []int{}
	for i, k := range whole {
		x[i], signs[i] = scale*float64(k), 1
		scores[2*i+1], group[i], all = scale*float64(k), (i+1)%2, append(all, i)
	}
	sum := func(of func(i int) bool) (s int) {
		for i, k := range whole {
			if of(i) {
				s += k
			}
		}
		return s
	}
	apart := func(first int) int { d := 2*first - sum(func(int) bool { return true }); return d * d }
	even, flipped := sum(func(i int) bool { return i%2 == 0 }), sum(func(int) bool { return true })
	var flips, beyond, deals, means, halves float64
	for of := range uint(1 << n) {
		in := func(i int) bool { return of>>i&1 == 1 }
		if 2*sum(in)-flipped >= flipped {
			flips++
		}
		if 2*(sum(in)-bits.OnesCount(of))-(flipped-n) >= flipped-n {
			beyond++
		}
		if bits.OnesCount(of) != n/2 {
			continue
		}
		halves++
		if sum(in) >= even {
			deals++
		}
		if apart(sum(in)) >= apart(even) {
			means++
		}
	}
	r := rand.New(rand.NewPCG(31, 32))
	for name, c := range map[string]struct {
		want float64
		test func() Permuted
	}{
		"signs":  {flips / (1 << n), func() Permuted { return FlipTest(x, 0, 20000, r) }},
		"margin": {beyond / (1 << n), func() Permuted { return FlipTest(x, scale, 20000, r) }},
		"scores": {deals / halves, func() Permuted { return PermuteScores(scores, 2, group, [][]int{all}, 1, 20000, r) }},
		"means":  {means / halves, func() Permuted { return PermuteMeans(group, 2, x, 20000, r) }},
	} {
		if p, ok := steady(c.want, c.test); !ok {
			t.Errorf("%s: a p-value of %v, want %v", name, p, c.want)
		}
	}
}

// What rare cases add to a limit, by formulas: classes that nobody has seen, a mean of 1, and a difference beyond what is discordant.
func TestRareCases(t *testing.T) {
	p := -math.Expm1(math.Log(.025) / 50)
	if got, want := unseen(50, 4, .95), EntropyBits([]float64{1 - p, p / 3, p / 3, p / 3})*math.Ln2; !near(got, want, 1e-12) {
		t.Errorf("the entropy of classes that are not seen in 50 examples is at most %v, want %v", got, want)
	}
	if got, want := ChernoffLow(1, 1, .05), .05; !near(got, want, 1e-9) {
		t.Errorf("a mean of 1 is above %v, want %v", got, want)
	}
	if got, want := PairedPower(40, .1, -.5, -.1, .05), PairedPower(40, .5, -.5, -.1, .05); got != want {
		t.Errorf("a difference of half the examples: power %v, want %v", got, want)
	}
}

// Quantiles of values with many ties are those of a sort.
func TestQuantilesOfTies(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	for range 50 {
		x, ps := make([]float64, 1000+r.IntN(3000)), []float64{0, .001, .01, .1, .25, .5, .77, .9, .99, 1}
		for i := range x {
			x[i] = math.Floor(float64(1+r.IntN(500)) * r.NormFloat64())
		}
		sorted := slices.Sorted(slices.Values(x))
		for i, q := range Quantiles(x, ps...) {
			at := ps[i] * float64(len(x)-1)
			below := int(at)
			want := sorted[below] + (at-float64(below))*(sorted[min(below+1, len(x)-1)]-sorted[below])
			if math.Abs(q-want) > 1e-9*(1+math.Abs(want)) {
				t.Fatalf("quantile %v of %d values: %v, sorted %v", ps[i], len(x), q, want)
			}
		}
	}
}

// What is outside of an open range is refused at its ends, too.
func TestPanicsAtLimits(t *testing.T) {
	for name, f := range map[string]func(){
		"equal edges":         func() { NewHistogram([]float64{0, 1, 1}) },
		"quantile at 0":       func() { StudentQuantile(0, 3) },
		"quantile at 1":       func() { StudentQuantile(1, 3) },
		"quantile, no degree": func() { StudentQuantile(.3, 0) },
		"Chernoff at 1":       func() { ChernoffLow(.5, 10, 1) },
		"Chernoff at 0":       func() { ChernoffLow(.5, 10, 0) },
		"difference at 0":     func() { PairedDifference(1, 1, 5, 0) },
		"power at −1":         func() { PairedPower(5, .5, .1, -1, .05) },
		"power at 1":          func() { PairedPower(5, .5, .1, 1, .05) },
		"power, alpha 0":      func() { PairedPower(5, .5, .1, 0, 0) },
		"power, alpha 1":      func() { PairedPower(5, .5, .1, 0, 1) },
		"information at 0":    func() { MutualInformation([][]int{{1, 2}}, 0) },
		"information at 1":    func() { MutualInformation([][]int{{1, 2}}, 1) },
		"no columns":          func() { MutualInformation([][]int{{}}, .95) },
	} {
		must.Panic(t, f, name)
	}
}
