package bayes

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"tattle/internal/math/simd"
	"tattle/internal/math/stat"
	"tattle/internal/must"
	"tattle/internal/protect/lattice"
	"tattle/internal/protect/release"
)

// grouped returns a list of people with 1 to 4 inputs each, whose prior is that of a random person and a random input.
func grouped(people, dim int, seed uint64) (table, Options) {
	r := rand.New(rand.NewPCG(seed, 1))
	list, o := table{dim: dim}, Options{Seed: seed}
	for p := range people {
		n := 1 + r.IntN(4)
		for range n {
			o.People, o.Prior = append(o.People, p), append(o.Prior, 1/float64(people*n))
			for range dim {
				list.a = append(list.a, r.NormFloat64()+.5*float64(p%7))
			}
		}
	}
	return list, o
}

// People whose sums differ by less than equalPeople are as likely, and of others the likelier counts; the true one is aside.
func TestEqualPeople(t *testing.T) {
	p := people{own: 7}
	for i, c := range []struct {
		now          int
		sum, largest float64
		equal        int
	}{{0, 1, 1, 1}, {1, 1 + 5e-10, 1 + 5e-10, 2}, {2, 1 - 3e-10, 1 + 5e-10, 3}, {7, 9, 1 + 5e-10, 3}, {3, .9, 1 + 5e-10, 3}, {4, 1 + 5e-9, 1 + 5e-9, 1}, {5, 1 + 3.5e-9, 1 + 5e-9, 1}} {
		p.now, p.sum = c.now, c.sum
		if p.close(); p.largest != c.largest || p.equal != c.equal || p.sum != 0 || i >= 3 && p.ofOwn != 9 {
			t.Errorf("after person %d: %+v", i, p)
		}
	}
}

// Of lists of different lengths people at equal places are compared.
func TestNamedMoreOfPairs(t *testing.T) {
	high, low := slices.Repeat([]float64{.9}, 30), slices.Repeat([]float64{.1}, 20)
	if a, b, c := NamedMore(high, low), NamedMore(high[:20], low), NamedMore(low, high); a != b || a > 1e-3 || c < .5 {
		t.Errorf("p-values %v, %v and %v", a, b, c)
	}
}

// A new person who is hidden among others with all inputs is named as often as the same person on a list: 2 shares of 4,000
// draws differ by less than 5√(2·.25/4000) = .056 but for a chance of 6e-7.
func TestHiddenPeople(t *testing.T) {
	list, o := grouped(60, 2, 6)
	noise, first := release.Gaussian{Sigma: .5}, 0
	for o.People[first] < 55 {
		first++
	}
	others, n := Options{Seed: 1, Draws: 4000, People: o.People[:first]}, float64(60)/55
	for _, p := range o.Prior[:first] {
		others.Prior = append(others.Prior, p*n)
	}
	h := must.Get(RunHidden(t.Context(), table{2, list.a[:2*first]}, table{2, list.a[2*first:]}, o.People[first:], noise, others))(t)
	means := map[int][2]float64{}
	for b, p := range h.Truth {
		m := means[p]
		means[p] = [2]float64{m[0] + h.First[b], m[1] + 1}
	}
	got, want := 0., 0.
	for p, m := range means { // each alone among the 55 others
		keep := Options{Seed: 2}
		var of table
		for j, q := range o.People {
			if q < 55 || q == 55+p {
				keep.People, of.a = append(keep.People, min(q, 55)), append(of.a, list.a[2*j:2*j+2]...)
			}
		}
		_, keep.Prior, keep.People = ByPeople(keep.People)
		of.dim = 2
		e := must.Get(Expose(t.Context(), of, noise, 56, 800, keep))(t)
		got, want = got+m[0]/m[1]/5, want+float64(e.Hits[slices.Index(e.People, 55)])/800/5
	}
	if l := h.Identified(1e-6); math.Abs(got-want) > .056 || l.Low > want || l.High < want {
		t.Errorf("new people are named in %v (%+v), on the list in %v", got, l, want)
	}
}

// Of five people with equal inputs, 1 to 5 each, each is named in a fifth of the releases. 4.9 standard errors of
// 2,000 releases: false-failure rate below 1e-5 for all five.
func TestExposureOfCopies(t *testing.T) {
	var group []int
	for p := range 5 {
		group = append(group, slices.Repeat([]int{p}, 1+p)...)
	}
	_, prior, people := ByPeople(group)
	e := must.Get(Expose(context.Background(), table{1, make([]float64, len(group))}, release.Gaussian{Sigma: 1}, 5, 2000, Options{Prior: prior, People: people}))(t)
	for i, h := range e.Hits {
		if math.Abs(float64(h)/2000-.2) > 4.9*.4/math.Sqrt(2000) {
			t.Errorf("person %d of five with equal inputs is named in %d of 2,000 releases", e.People[i], h)
		}
	}
	alone := must.Get(Expose(context.Background(), table{1, make([]float64, 5)}, release.Gaussian{Sigma: 1}, 5, 2000, Options{}))(t)
	for i, h := range alone.Hits {
		if math.Abs(float64(h)/2000-.2) > 4.9*.4/math.Sqrt(2000) {
			t.Errorf("input %d of five equal ones is named in %d of 2,000 releases", alone.People[i], h)
		}
	}
}

// Limits of few releases, and of nobody who is named.
func TestExposureLimits(t *testing.T) {
	// Of 20 releases, more than .3 are 7 or more; by the binomial distribution, P(Bin(20, .3) < 3) = .0355 ≤ .05 < P(Bin(20, .3) < 4),
	// and P(Bin(20, .3) ≥ 14) = .00026 ≤ .001 < P(Bin(20, .3) ≥ 13) = .00128.
	hits := slices.Concat(slices.Repeat([]int{2}, 100), slices.Repeat([]int{6}, 60), slices.Repeat([]int{7, 13}, 20), slices.Repeat([]int{14}, 50))
	high, low := stat.ClopperPearson(150, 250, .998).High/.95, (stat.ClopperPearson(50, 250, .998).Low-.001)/.999
	if l, want := (&Exposure{Releases: 20, Hits: hits}).Above(.3, .001), (Limit{.36, low, high}); l != want {
		t.Errorf("%+v, want %+v", l, want)
	}
	// Of 10 releases, P(Bin(10, .999) < 10) = .01 ≤ .05: who is named in more is named in all.
	all := Limit{.75, 0, stat.ClopperPearson(30, 40, .998).High / .95}
	if l := (&Exposure{Releases: 10, Hits: slices.Repeat([]int{9, 10, 10, 10}, 10)}).Above(.999, .001); l != all {
		t.Errorf("%+v, want %+v", l, all)
	}
	if q := (&Exposure{Releases: 8, Hits: []int{2, 4, 3, 1, 0}}).Quantile(.75); q != 3./8 {
		t.Errorf("three of four are named in less than %v", q)
	}
	if l := (&Exposure{Releases: 10, Hits: []int{0, 0, 10}}).Above(.001, .001); l.High != 1 {
		t.Errorf("too few releases limit to %v", l.High)
	}
	if l := (&Exposure{Releases: 100, Hits: make([]int, 297)}).Above(.2, .0005); math.Abs(l.High-.0253/.95) > .002 { // nobody of 297
		t.Errorf("nobody is hit: at most %v", l.High)
	}
}

// The mean of shares has limits on both sides by bets, and of hidden inputs by Chernoff's bound. They are moved apart by what
// the mean of several releases may differ.
func TestMeanNamedLimits(t *testing.T) {
	named, missed := make([]float64, 400), make([]float64, 400)
	for i := range named {
		named[i] = float64(i%5) / 8
		missed[i] = 1 - named[i]
	}
	got, want := MeanNamed(named, 1e-3), Limit{.25, stat.BetLow(named, 1e-3) - release.MeanError, 1 - stat.BetLow(missed, 1e-3) + release.MeanError}
	if math.Abs(got.Mean-want.Mean)+math.Abs(got.Low-want.Low)+math.Abs(got.High-want.High) > 1e-12 || !(got.Low > .2 && got.High < .3) {
		t.Errorf("%+v, want %+v", got, want)
	}
	hidden := (&HiddenResult{First: slices.Repeat([]float64{0, 0, 0, 1}, 100)}).Identified(1e-3)
	want = Limit{.25, stat.ChernoffLow(.25, 400, 1e-3) - release.MeanError, 1 - stat.ChernoffLow(.75, 400, 1e-3) + release.MeanError}
	if math.Abs(hidden.Mean-want.Mean)+math.Abs(hidden.Low-want.Low)+math.Abs(hidden.High-want.High) > 1e-12 {
		t.Errorf("hidden inputs: %+v, want %+v", hidden, want)
	}
}

// The most exposed come first, no more than there are.
func TestMostExposed(t *testing.T) {
	e := &Exposure{Releases: 10, Hits: []int{3, 9, 3, 5}}
	for n, want := range map[int][]int{2: {1, 3}, 9: {1, 3, 0, 2}} {
		if got := e.Most(n); !slices.Equal(got, want) {
			t.Errorf("the %d most exposed are %v, want %v", n, got, want)
		}
	}
}

// Of two halves of a list that are equally exposed, one is shown to be more exposed at 5 % in at most 5 % of draws, and in all where it is.
// The test fails with a probability below 1e-5.
func TestNamedMore(t *testing.T) {
	r, alike, found := rand.New(rand.NewPCG(4, 2)), 0, 0
	draw := func(scale float64) (x []float64) {
		for range 300 {
			x = append(x, math.Pow(r.Float64(), scale))
		}
		return x
	}
	for range 400 {
		if NamedMore(draw(8), draw(8)) <= .05 {
			alike++
		}
		if NamedMore(draw(2), draw(6)) <= .001 {
			found++
		}
	}
	if most := must.BinomialMost(400, .05, 1e-5); alike > most || found < 380 {
		t.Errorf("of 400, %d are shown to differ that do not, and %d that do", alike, found)
	}
}

// unnamed is noise that is not known to be Gaussian.
type unnamed struct{ Density }

// By distances alone, people are named as often as by their likelihoods, with one candidate each or several. Two shares of 40·100 releases
// differ by less than 5√(2·.25/4000) = .056 but for a chance of 6e-7.
func TestNearestNames(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 8))
	onLattice := must.Get(release.NewLattice(lattice.Lattice{Delta: .25, Sigma: .5, Clip: 16, Dim: 3}))(t)
	steep := must.Get(release.NewLattice(lattice.Lattice{Delta: .25, Sigma: .4, Clip: 16, Dim: 3}))(t) // whose mean is not on a lattice
	for name, noise := range map[string]Density{"Gaussian": release.Gaussian{Sigma: .5}, "lattice": onLattice, "steep lattice": steep} {
		for _, queries := range []int{1, 3} {
			list, alone := table{dim: 3}, Options{Seed: 5, Queries: queries}
			var group []int
			for j := range 300 {
				for range 3 {
					list.a = append(list.a, math.Round(4*r.NormFloat64())/4)
				}
				group = append(group, int(math.Sqrt(float64(8*j)))) // of one candidate, then of more and more
			}
			several := alone
			_, several.Prior, several.People = ByPeople(group)
			for _, o := range []Options{alone, several} {
				if !ByDistance(list, noise, o) || ByDistance(list, unnamed{noise}, o) {
					t.Fatal("the ways are not those that are compared")
				}
				fast := must.Get(Expose(t.Context(), list, noise, 40, 100, o))(t)
				other := must.Get(Expose(t.Context(), list, unnamed{noise}, 40, 400, o))(t)
				mean := func(e *Exposure) float64 { return simd.Sum(e.Named(nil)) / 40 }
				if a, b := mean(fast), mean(other); math.Abs(a-b) > .056 || a < .02 || a > .98 {
					t.Errorf("%s noise, %d releases, people known %t: named in %v, by likelihoods in %v", name, queries, o.People != nil, a, b)
				}
				if !slices.Equal(fast.People, other.People) {
					t.Error("other people were drawn")
				}
				// Far from zero, float32 could not tell the candidates apart, and people would look safe.
				distant := table{3, slices.Clone(list.a)}
				for i := range distant.a {
					distant.a[i] -= 1 << 24
				}
				if far := mean(must.Get(Expose(t.Context(), distant, noise, 40, 100, o))(t)); math.Abs(far-mean(fast)) > .056 {
					t.Errorf("%s noise, %d releases: moved by −2²⁴, named in %v", name, queries, far)
				}
			}
		}
	}
}

// Many releases are compared with many candidates in little memory: 640 MB of scores are not held at once.
func TestNearestPeopleMemory(t *testing.T) {
	var values []float32
	var of [][]int
	for j := range 20 * 400 {
		if j%400 == 0 {
			of = append(of, nil)
		}
		values, of[j/400] = append(values, float32(j/400)), append(of[j/400], j)
	}
	c, _ := newCrowd(values, 1, of, 100)
	some, people := make([]facing, 20000), make([]int, 20)
	for i := range some {
		some[i] = facing{y: []float32{0}, level: 1e3}
	}
	for g := range people {
		people[g] = g
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	left := c.against(some, people, c.values, c.half, map[int][]int{})
	if runtime.ReadMemStats(&after); len(left) != 20000 || after.TotalAlloc-before.TotalAlloc > 100<<20 {
		t.Errorf("%d releases are left, %d MB were taken", len(left), (after.TotalAlloc-before.TotalAlloc)>>20)
	}
	if left := c.all(t.Context(), some[:3], map[int][]int{}); len(left) != 3 {
		t.Errorf("%d of 3 releases are left in all blocks", len(left))
	}
	rivals := map[int][]int{}
	if left := c.all(t.Context(), []facing{{y: []float32{0}, own: 1, level: -50}}, rivals); len(left) != 0 || !slices.Equal(rivals[1], []int{0}) {
		t.Errorf("%d releases are left, rivals %v", len(left), rivals)
	}
}

// BenchmarkExpose draws releases of some people of 60,000 random candidates, one or twenty of each, by distances.
func BenchmarkExpose(b *testing.B) {
	r := rand.New(rand.NewPCG(2, 8))
	list := table{dim: 9, a: make([]float64, 9*60000)}
	for i := range list.a {
		list.a[i] = r.NormFloat64()
	}
	group := make([]int, 60000)
	for j := range group {
		group[j] = j / 20
	}
	several := Options{Seed: 1}
	_, several.Prior, several.People = ByPeople(group)
	for name, o := range map[string]Options{"one": {Seed: 1}, "twenty": several} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Expose(b.Context(), list, release.Gaussian{Sigma: 1}, 200, 400, o); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(200*float64(b.N)/b.Elapsed().Seconds(), "people/s")
		})
	}
}
