package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/combin"
)

// fits reports whether counts of n draws agree with probabilities p: by χ², refused with
// probability 1e-7.
func fits(counts map[int]int, p map[int]float64, n int) bool {
	var x float64
	for k, want := range p {
		e := want * float64(n)
		x += (float64(counts[k]) - e) * (float64(counts[k]) - e) / e
	}
	for k := range counts {
		if p[k] == 0 {
			return false
		}
	}
	return len(p) < 2 || 1-mathext.GammaIncReg(float64(len(p)-1)/2, x/2) > 1e-7
}

func TestHypergeometric(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	f := newFactorials(100000)
	for _, c := range [][3]int{{10, 3, 4}, {10, 7, 8}, {50, 25, 25}, {200, 1, 199}, {1000, 30, 40}, {5, 0, 3}, {5, 5, 3}, {6, 3, 6}} {
		want, counts := map[int]float64{}, map[int]int{}
		for k := max(0, c[1]+c[2]-c[0]); k <= min(c[1], c[2]); k++ {
			p := math.Exp(f.choose(c[1], k) + f.choose(c[0]-c[1], c[2]-k) - f.choose(c[0], c[2]))
			if p > 1e-3 {
				want[k] = p
			} else { // rare ones together
				want[-1] += p
			}
		}
		for range 20000 {
			k := f.hypergeometric(r, c[0], c[1], c[2])
			if want[k] == 0 {
				k = -1
			}
			counts[k]++
		}
		if p, ok := want[-1]; ok && p < 1e-4 { // too rare for χ²; binomial, seen above 40 with probability < 1e-20
			if counts[-1] > 40 {
				t.Errorf("%v: %d draws are as rare as %v", c, counts[-1], p)
			}
			delete(want, -1)
			delete(counts, -1)
		}
		if !fits(counts, want, 20000) {
			t.Errorf("%v: drew %v, want %v", c, counts, want)
		}
	}
	// Far beyond enumeration: mean and variance, each within 6 standard errors.
	total, marked, taken, n := 100000, 30000, 20000, 20000
	var sum, square float64
	mean := float64(taken) * float64(marked) / float64(total)
	variance := mean * (1 - .3) * float64(total-taken) / float64(total-1)
	for range n {
		d := float64(f.hypergeometric(r, total, marked, taken)) - mean
		sum, square = sum+d, square+d*d
	}
	if math.Abs(sum/float64(n)) > 6*math.Sqrt(variance/float64(n)) || math.Abs(square/float64(n)/variance-1) > 6*math.Sqrt(2/float64(n)) {
		t.Errorf("mean is off by %v, variance %v instead of %v", sum/float64(n), square/float64(n), variance)
	}
}

// everyDeal calls f with the classes dealt out to the examples in every order.
func everyDeal(classes []int, f func([]int)) {
	for _, p := range combin.Permutations(len(classes), len(classes)) {
		dealt := make([]int, len(classes))
		for i, j := range p {
			dealt[i] = classes[j]
		}
		f(dealt)
	}
}

func count(guess, class []int, rows, columns int) [][]int {
	table := make([][]int, rows)
	for i := range table {
		table[i] = make([]int, columns)
	}
	for i := range guess {
		table[guess[i]][class[i]]++
	}
	return table
}

// Deals are drawn with the probabilities that listing every one gives. steady reports whether the
// mean of 100 tests is want, up to 6 standard errors (2e-9), the bias of a mean of 1/count if tests
// end after enough draws, and the draw that counts as observed.
func steady(want float64, test func() Permuted) (mean float64, ok bool) {
	const tests = 100
	least := math.Inf(1)
	for range tests {
		p := test()
		mean += p.P / tests
		least = min(least, float64(p.Draws))
	}
	counted := math.Min(enough, least*want)
	reach := 6*want*math.Sqrt((1-want)/(tests*counted)) + 1.5*want*(1-want)/counted + 2/least
	return mean, least > 0 && math.Abs(mean-want) <= reach
}

// A test by draws that say yes with probability p ends after n of them or when most
// have: its p-value is then at most α with probability α at most, over what was seen,
// which is one more draw. Here all draws are of a uniform variable, so that the p-value
// is uniform but for steps.
func TestExceedKeepsItsLevel(t *testing.T) {
	const tests, draws, most = 4000, 499, 20
	r := rand.New(rand.NewPCG(21, 22))
	at := map[float64]int{.01: 0, .04: 0, .05: 0, .2: 0, .5: 0}
	made := 0
	for range tests {
		seen := r.Float64()
		p := exceed(draws, most, r, func() func(*rand.Rand) bool {
			return func(rng *rand.Rand) bool { return rng.Float64() >= seen }
		})
		made += p.Draws
		for a := range at {
			if p.P <= a {
				at[a]++
			}
		}
	}
	for a, n := range at {
		reach := 4.5*math.Sqrt(tests*a*(1-a)) + 1
		if float64(n) > tests*a+reach || float64(n) < tests*a*.95-reach {
			t.Errorf("%d of %d p-values are at most %v", n, tests, a)
		}
	}
	// Σ over p of min(most/p, draws): 20 + 20·ln(499/20) ≈ 84 of 499.
	if mean := float64(made) / tests; mean > 100 {
		t.Errorf("%v draws on average", mean)
	}
}

// slowG is 2 Σ k·ln(k·n/(row·column)).
func slowG(table [][]int) float64 {
	t := newTable(table, .5)
	var g float64
	for r, row := range table {
		for c, k := range row {
			if k > 0 {
				g += 2 * float64(k) * math.Log(float64(k)*t.n/float64(t.rows[r]*t.columns[c]))
			}
		}
	}
	return g
}

// crossVotes draws examples of two classes and features that have nothing to do with
// them, and guesses each class by what the features of the other folds' examples have in
// common with its own: what two examples share by chance makes both right or both wrong.
func crossVotes(r *rand.Rand, n, features, folds int) (guess, class []int, strata [][]int) {
	x := make([][]float64, n)
	guess, class, strata = make([]int, n), make([]int, n), make([][]int, folds)
	for i := range x {
		x[i], class[i] = make([]float64, features), r.IntN(2)
		strata[i%folds] = append(strata[i%folds], i)
		for j := range x[i] {
			x[i][j] = r.NormFloat64()
		}
	}
	for i := range x {
		vote := 0.
		for j := range x {
			if j%folds == i%folds {
				continue
			}
			same := 0.
			for k, v := range x[i] {
				same += v * x[j][k]
			}
			vote += same * float64(2*class[j]-1)
		}
		if vote > 0 {
			guess[i] = 1
		}
	}
	return guess, class, strata
}

// Of 300 p-values of guesses that are cross-fitted to nothing at most 300·α + 4.5 standard
// deviations + 1 are at most α (probability 3.4e-6 by the normal approximation, and less by
// what √2 is too large), and fewer than with a stretch of 1.
func TestStretchAllowsForCrossFitting(t *testing.T) {
	const tests = 300
	r := rand.New(rand.NewPCG(31, 32))
	at := map[float64]int{.01: 0, .05: 0}
	plain := map[float64]int{.01: 0, .05: 0}
	for range tests {
		guess, class, strata := crossVotes(r, 60, 40, 5)
		p := PermuteWithin(guess, class, strata, math.Sqrt2, 999, r).P
		q := PermuteWithin(guess, class, strata, 1, 999, r).P
		for a := range at {
			if p <= a {
				at[a]++
			}
			if q <= a {
				plain[a]++
			}
		}
	}
	for a, n := range at {
		if n > plain[a] {
			t.Errorf("%d p-values are at most %v, without a stretch %d", n, a, plain[a])
		}
		if float64(n) > tests*a+4.5*math.Sqrt(tests*a*(1-a))+1 {
			t.Errorf("%d of %d p-values are at most %v", n, tests, a)
		}
	}
}

// shareOfDeals returns the share of all orders within the strata for which the statistic is at
// least that of the order 0, 1, 2 and so on, whose distance from the mean is divided by stretch.
func shareOfDeals(strata [][]int, stretch float64, statistic func(order []int) float64) float64 {
	var order []int
	for _, s := range strata {
		order = append(order, s...)
	}
	slices.Sort(order)
	seen, sum := statistic(order), 0.
	var all []float64
	var deal func(k int)
	deal = func(k int) {
		if k < len(strata) {
			everyDeal(strata[k], func(dealt []int) {
				for j, i := range strata[k] {
					order[i] = dealt[j]
				}
				deal(k + 1)
			})
			return
		}
		all = append(all, statistic(order))
		sum += all[len(all)-1]
	}
	deal(0)
	mean, beyond := sum/float64(len(all)), 0.
	for _, s := range all {
		if s >= mean+(seen-mean)/stretch-1e-9 {
			beyond++
		}
	}
	return beyond / float64(len(all))
}

func TestPermutationsAgainstEveryDeal(t *testing.T) {
	const draws = 50000
	r := rand.New(rand.NewPCG(9, 10))
	whole, two := [][]int{{0, 1, 2, 3, 4, 5, 6}}, [][]int{{0, 2, 4, 6}, {1, 3, 5}}
	check := func(name string, strata [][]int, stretch float64, statistic func(order []int) float64, test func() Permuted) {
		want := shareOfDeals(strata, stretch, statistic)
		if got, ok := steady(want, test); !ok {
			t.Errorf("%s: p is %v, by listing %v", name, got, want)
		}
	}
	for _, c := range [][2][]int{
		{{0, 0, 0, 1, 1, 2, 2}, {0, 0, 1, 1, 1, 2, 2}},
		{{0, 0, 0, 0, 1, 1, 1}, {0, 0, 0, 1, 1, 1, 0}},
		{{0, 1, 0, 1, 0, 1, 2}, {0, 0, 0, 1, 1, 1, 1}},
	} {
		table := count(c[0], c[1], 3, 4)
		check(fmt.Sprint("independence ", table), whole, 1, func(order []int) float64 { return slowG(count(c[0], pickAt(c[1], order), 3, 4)) },
			func() Permuted { return Independence(table, draws, r) })
	}
	x, y := []float64{1, 2, 3, 4, 10, 11, 15}, []float64{2, 1, 5, 4, 7, 9, 8}
	check("products", two, 1.5, func(order []int) (sum float64) {
		for i, j := range order {
			sum += x[i] * y[j]
		}
		return sum
	}, func() Permuted { return PermuteProducts(x, y, two, 1.5, draws, r) })
	group := []int{2, 0, 0, 2, 3, 3, 0}
	check("means", whole, 1, func(order []int) float64 {
		var sum, n [4]float64
		for i, j := range order {
			sum[group[i]], n[group[i]] = sum[group[i]]+y[j], n[group[i]]+1
		}
		return sum[0]*sum[0]/n[0] + sum[2]*sum[2]/n[2] + sum[3]*sum[3]/n[3]
	}, func() Permuted { return PermuteMeans(group, 4, y, draws, r) })
	positive := []bool{false, true, true, true, false, false, true}
	ties := []float64{1, 2, 2, 5, 2, 3, 3}
	check("areas", two, 1.5, func(order []int) float64 {
		a, _ := NewStratifiedArea(ties, pickAt(positive, order), upTo(7), 7, two)
		return a.Area
	}, func() Permuted { return PermuteArea(ties, positive, two, 1.5, draws, r) })
	score, class := make([]float64, 21), []int{0, 1, 2, 2, 0, 1, 1}
	for range 3 {
		for i := range score {
			score[i] = r.NormFloat64()
		}
		check("scores", two, 1.5, func(order []int) (sum float64) {
			for i, c := range pickAt(class, order) {
				sum += score[3*i+c]
			}
			return sum
		}, func() Permuted { return PermuteScores(score, 3, class, two, 1.5, draws, r) })
	}
	guess := []int{0, 0, 2, 1, 3, 1, 1} // not every one can be right
	for _, stretch := range []float64{1, 1.5} {
		check("guesses", two, stretch, func(order []int) (right float64) {
			for i, c := range pickAt(class, order) {
				if guess[i] == c {
					right++
				}
			}
			return right
		}, func() Permuted { return PermuteWithin(guess, class, two, stretch, draws, r) })
	}
	if got := stretched(-1e6, 0, 1); got != -1e6-1e-3 {
		t.Errorf("a negative sum must be reached to %v", got)
	}
	if got := stretched(1e6, 0, 1); got != 1e6-1e-3 {
		t.Errorf("1e6 less the allowance for rounding is %v", got)
	}
	zero, signs := [][]int{{0, 1, 2}}, []float64{-1, 0, 1} // of the six sums two are 0, as the one that was seen, and two above
	if got, ok := steady(4./6, func() Permuted { return PermuteProducts(signs, []float64{1, -2, 1}, zero, 1, draws, r) }); !ok {
		t.Errorf("products that add up to 0: p is %v, want ⅔", got)
	}
	tiny := make([]float64, len(x)) // allowances for rounding are relative
	for i, v := range x {
		tiny[i] = v * 0x1p-60
	}
	if a, b := PermuteProducts(x, y, two, 1, 999, rand.New(rand.NewPCG(1, 1))), PermuteProducts(tiny, y, two, 1, 999, rand.New(rand.NewPCG(1, 1))); a != b {
		t.Errorf("p of products is %v, and %v in another unit", a, b)
	}
	for name, p := range map[string]Permuted{
		"independence of one row": Independence([][]int{{3, 4}, {0, 0}}, 100, r),
		"means of equal numbers":  PermuteMeans(group, 4, make([]float64, 7), 100, r),
		"products of one number":  PermuteProducts(x, make([]float64, 7), two, 1, 100, r),
		"one guess":               PermuteWithin(make([]int, 7), class, two, 1, 100, r),
		"scores of one class":     PermuteScores(make([]float64, 14), 2, make([]int, 7), two, 1, 99, r),
	} {
		if p.P != 1 {
			t.Errorf("%s: p is %v", name, p.P)
		}
	}
}

// What was seen counts as one more draw: no p-value is 0, and none is more than 1.
func TestExceedCountsWhatWasSeen(t *testing.T) {
	for _, c := range []struct {
		draws int
		says  bool
		want  Permuted
	}{{99, false, Permuted{99, 1. / 100}}, {99, true, Permuted{99, 1}}, {2000, true, Permuted{1000, 1}}} {
		got := exceed(c.draws, 1000, rand.New(rand.NewPCG(1, 2)), func() func(*rand.Rand) bool { return func(*rand.Rand) bool { return c.says } })
		if got != c.want {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// What is added to all scores does not change which deals reach what was seen, even where few different sums are possible.
func TestPermuteScoresShifted(t *testing.T) {
	const n = 400
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(16, seed))
		score, class := make([]float64, 2*n), make([]int, n)
		for i := range class {
			score[2*i], score[2*i+1], class[i] = float64(r.IntN(2))/64, float64(r.IntN(2))/64, r.IntN(2)
		}
		p := func(added float64) Permuted {
			x := slices.Clone(score)
			for i := range x {
				x[i] += added
			}
			return PermuteScores(x, 2, class, [][]int{upTo(n)}, 1, 2000, rand.New(rand.NewPCG(17, seed)))
		}
		for _, added := range []float64{1, 100} {
			if got, want := p(added), p(0); got != want {
				t.Errorf("seed %d, %v added: %+v, want %+v", seed, added, got, want)
			}
		}
	}
}
