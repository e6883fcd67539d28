package bayes

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/math/simd"
	"tattle/internal/math/stat"
	"tattle/internal/must"
	"tattle/internal/protect/lattice"
	"tattle/internal/protect/release"

	"gonum.org/v1/gonum/stat/distuv"
)

// numbers is a list of numbers that are released with noise of strength sigma, and what an adversary knows of them.
type numbers struct {
	a, prior              []float64
	people, class, target []int
}

// exact is what the best adversary with a list achieves: the figures of Result, and how often each person is named.
type exact struct {
	first, ten, person, rank, floor, bits, alone, given, area float64
	entropy, bitsAlone, bitsGiven                             float64 // of the attribute, and what the release reveals of it
	exposed                                                   []float64
}

// exact sums over all releases y that are multiples of step. For noise on a lattice, step is its spacing. For Gaussian noise,
// step is so small that the sum equals the integral.
func (l numbers) exact(sigma, step float64) (e exact) {
	norm, reach := 0., 8*sigma
	for z := -math.Ceil(reach/step) * step; z <= reach; z += step {
		norm += math.Exp(-z * z / 2 / sigma / sigma)
	}
	e.exposed = make([]float64, 1+slices.Max(l.people))
	f, of := make([]float64, len(l.a)), make([]float64, len(e.exposed))
	entropy := func(parts ...float64) (bits float64) { // times the sum of the parts
		sum := simd.Sum(parts)
		for _, p := range parts {
			if p > 0 {
				bits -= p * math.Log2(p/sum)
			}
		}
		return bits
	}
	var shares [2][2]float64 // by target and class
	for j, p := range l.prior {
		shares[l.target[j]][l.class[j]] += p
	}
	for j, p := range l.prior {
		of[l.people[j]] += p
	}
	e.bits, e.entropy = entropy(of...), entropy(shares[0][0]+shares[1][0], shares[0][1]+shares[1][1])
	e.bitsAlone, e.bitsGiven = e.entropy, entropy(shares[0][:]...)+entropy(shares[1][:]...)
	type scored struct{ score, zero, one float64 }
	var scores []scored
	for y := math.Floor((slices.Min(l.a)-reach)/step) * step; y <= slices.Max(l.a)+reach; y += step {
		var sum, mean, square, ones float64
		var byTarget [2][2]float64
		clear(of)
		for j, a := range l.a {
			f[j] = l.prior[j] * math.Exp(-(y-a)*(y-a)/2/sigma/sigma) / norm
			sum, mean, square = sum+f[j], mean+f[j]*a, square+f[j]*a*a
			of[l.people[j]] += f[j]
			byTarget[l.target[j]][l.class[j]] += f[j]
			ones += f[j] * float64(l.class[j])
		}
		if sum == 0 {
			continue
		}
		likeliest, tied := slices.Max(of), 0.
		for _, v := range of {
			if v >= likeliest*(1-1e-9) {
				tied++
			}
		}
		people := float64(len(of))
		for g, v := range of {
			if v >= likeliest*(1-1e-9) {
				e.exposed[g] += v * people / tied
			}
		}
		sorted := slices.Sorted(slices.Values(f))
		slices.Reverse(sorted)
		for k, v := range sorted {
			e.rank += v * float64(k+1)
			if k < most {
				e.ten += v
			}
		}
		e.first, e.person, e.floor = e.first+sorted[0], e.person+likeliest, e.floor+square-mean*mean/sum
		e.bits, e.alone, e.bitsAlone = e.bits-entropy(of...), e.alone+max(ones, sum-ones), e.bitsAlone-entropy(ones, sum-ones)
		for _, classes := range byTarget {
			e.given += max(classes[0], classes[1])
			e.bitsGiven -= entropy(classes[:]...)
		}
		scores = append(scores, scored{ones / sum, sum - ones, ones})
	}
	slices.SortFunc(scores, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	below, zeros, ones := 0., 0., 0.
	for i := 0; i < len(scores); {
		from, zero, one := scores[i].score, 0., 0.
		for ; i < len(scores) && scores[i].score-from < 1e-12; i++ {
			zero, one = zero+scores[i].zero, one+scores[i].one
		}
		e.area += one * (below + zero/2)
		below, zeros, ones = below+zero, zeros+zero, ones+one
	}
	e.area /= zeros * ones
	return e
}

// attribute is the class of each number as an Attribute.
func (l numbers) attribute() Attribute {
	return Attribute{Classes: 2, Class: l.class, Prior: l.prior, People: l.people, Target: l.target}
}

// A coverage counts how often the limits of one figure are wrong.
type coverage struct {
	low, high int
	means     []float64 // what the limits are of, less the truth; nil unless it is right on average
}

// coverages are those of each figure.
type coverages map[string]*coverage

// add adds limits of a figure; fair says that their Mean is right on average.
func (c coverages) add(name string, fair bool, l Limit, truth float64) {
	if c[name] == nil {
		c[name] = &coverage{}
	}
	at := c[name]
	if l.Low > truth+1e-9 {
		at.low++
	}
	if l.High < truth-1e-9 {
		at.high++
	}
	if fair {
		at.means = append(at.means, l.Mean-truth)
	}
}

func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// Every limit about people at 95 % holds in 95 % of repetitions, of distributions whose truth is known exactly. Limits are one-sided,
// and each fails more often than the binomial distribution allows with a probability of at most 1e-5/200. Many limits hold far more often
// than they must, so what they are limits of is compared with the truth, too: by Student's t with a false-failure rate of 1e-5/200.
func TestCoverage(t *testing.T) {
	const alpha, limits = .05, 200
	tries := 400
	if testing.Short() {
		tries = 100
	}
	c := coverages{}
	coverList(t, c, tries, alpha)
	coverPopulation(t, c, tries, alpha)
	coverExposure(t, c, tries, alpha)
	if 3*len(c) > limits {
		t.Fatalf("%d figures", len(c))
	}
	allowed, far := must.BinomialMost(tries, alpha, 1e-5/limits), stat.StudentQuantile(1-1e-5/limits/2, float64(tries-1))
	for _, name := range slices.Sorted(maps.Keys(c)) {
		at := c[name]
		if at.low > allowed || at.high > allowed {
			t.Errorf("%s: the lower limit is wrong in %d of %d, the upper one in %d; at most %d may be", name, at.low, tries, at.high, allowed)
		}
		if at.means == nil {
			continue
		}
		if mean, sd := stat.MeanStd(at.means); math.Abs(mean) > far*sd/math.Sqrt(float64(tries))+1e-9 {
			t.Errorf("%s: too large by %v ± %v", name, mean, sd/math.Sqrt(float64(tries)))
		}
	}
}

// noisesOfNumbers are noise and the step between its releases, for sums.
func noisesOfNumbers(t *testing.T, sigma float64) map[Density]float64 {
	return map[Density]float64{
		release.Gaussian{Sigma: sigma}: sigma / 50,
		must.Get(release.NewLattice(lattice.Lattice{Delta: .5, Sigma: sigma, Clip: 16, Dim: 1}))(t): .5,
	}
}

// coverList checks limits on adversaries with a list. The list has six people with 1 to 5 numbers each; some numbers are equal.
// Two of the people have the attribute.
func coverList(t *testing.T, c coverages, tries int, alpha float64) {
	const sigma, draws = .8, 150
	l := numbers{a: []float64{-3, -2.5, 0, .5, 3, 0, -1, -1, 1.5, 4, 1.5, 2, -2, -2.5, .5},
		people: []int{0, 0, 0, 0, 0, 1, 2, 2, 2, 3, 4, 4, 5, 5, 5}, class: make([]int, 15), target: make([]int, 15)}
	_, l.prior, _ = ByPeople(l.people)
	for j, p := range l.people {
		l.class[j], l.target[j] = int(one(p == 1 || p == 4)), int(one(l.a[j] > 0))
	}
	for noise, step := range noisesOfNumbers(t, sigma) {
		e, name := l.exact(sigma, step), noise.String()+": "
		for try := range tries {
			r := must.Get(Run(context.Background(), table{1, l.a}, noise, []Attribute{l.attribute()}, Options{Prior: l.prior, People: l.people, Draws: draws, Seed: uint64(try)}))(t)
			first, ten := r.Identified(alpha)
			alone, knowing := r.Guessed(0, alpha)
			bits, left := r.AttributeBits(0, l.attribute(), alpha)
			c.add(name+"first", true, first, e.first)
			c.add(name+"ten", true, ten, e.ten)
			c.add(name+"person", true, r.Named(alpha), e.person)
			c.add(name+"rank", true, r.Rank(alpha), e.rank)
			c.add(name+"floor", true, r.Floor(squares(r, func(t, s int) float64 { return l.a[t] - l.a[s] }), 49, alpha), e.floor)
			c.add(name+"bits", true, r.Bits(alpha), e.bits)
			c.add(name+"attribute", true, alone, e.alone)
			c.add(name+"attribute given the target", true, knowing, e.given)
			c.add(name+"bits of the attribute", true, bits, e.bitsAlone)
			c.add(name+"bits of the attribute given the target", true, left, e.bitsGiven)
			c.add(name+"AUC", true, r.AUC(0, l.attribute(), alpha), e.area)
		}
	}
}

// coverPopulation checks limits on adversaries without a list. There are three types of people, and two types are rare. A person has
// 1, 3 or 8 numbers near the centre of the type. For half of the people all numbers are equal. Posteriors are exact.
func coverPopulation(t *testing.T, c coverages, tries int, alpha float64) {
	const sigma = .7
	centre, size, upTo := []float64{0, .4, 1.5}, []int{1, 3, 8}, []float64{.9, .97, 1}
	all := numbers{people: make([]int, 9)} // what a number can be: 3·type + 0, 1, 2 for −.2, 0, .2
	for k := range 9 {
		all.a, all.prior = append(all.a, centre[k/3]+.2*float64(k%3-1)), append(all.prior, []float64{.9, .07, .03}[k/3]*[]float64{.25, .5, .25}[k%3])
		all.class, all.target = append(all.class, k/3%2), append(all.target, int(one(all.a[k] > 0)))
	}
	truth := all.exact(sigma, sigma/20)
	r := rand.New(rand.NewPCG(7, 8))
	for _, people := range []int{40, 1000} {
		most, name := 0., fmt.Sprintf("%d people: ", people)
		for range tries {
			l, counts := all, [2]int{}
			l.prior = make([]float64, 9)
			for range people {
				u, same, offset := r.Float64(), r.IntN(2) == 0, r.IntN(2)+r.IntN(2)
				kind := slices.IndexFunc(upTo, func(v float64) bool { return u < v })
				counts[kind%2]++
				for range size[kind] {
					if !same {
						offset = r.IntN(2) + r.IntN(2)
					}
					l.prior[3*kind+offset] += 1 / float64(people*size[kind])
				}
			}
			e, a := l.exact(sigma, sigma/20), l.attribute()
			alone, given := a.Entropies()
			p, half := Population{N: people, Alpha: alpha}, Population{N: people, Alpha: alpha / 2}
			entropy := half.Entropy(a.Shares())
			bits := half.Bits(max(alone-e.bitsAlone, 0), entropy, 2)
			most += bits / float64(tries)
			c.add(name+"floor", false, Limit{Low: p.Floor(e.floor, 1.9*1.9), High: math.Inf(1)}, truth.floor)
			for what, v := range map[string][2]float64{
				"attribute":                              {p.Ceiling(min(e.alone, 1)), truth.alone},
				"attribute given the target":             {p.Ceiling(min(e.given, 1)), truth.given},
				"entropy":                                {p.Entropy(a.Shares()), truth.entropy},
				"bits of the attribute":                  {bits, truth.bitsAlone},
				"bits of the attribute given the target": {half.Bits(max(given-e.bitsGiven, 0), entropy, 2), truth.bitsGiven},
				"AUC":                                    {p.AUC(min(e.area, 1), counts), truth.area},
			} {
				c.add(name+what, false, Limit{High: v[0]}, v[1])
			}
		}
		if people == 1000 && most > truth.bitsAlone+.35 {
			t.Errorf("at most %v bits, and there are %v", most, truth.bitsAlone)
		}
	}
}

// coverExposure checks limits on how often people are named, in three cases. The first is a list of 24 people with 1 to 4
// numbers each, many of them equal. In the second, exposure has a heavy tail. The third is the one in which limits fail most often.
func coverExposure(t *testing.T, c coverages, tries int, alpha float64) {
	const sigma, releases, people = .6, 25, 24
	r := rand.New(rand.NewPCG(3, 9))
	var l numbers
	for p := range people {
		for range 1 + p%4 {
			l.a, l.people = append(l.a, .5*float64(r.IntN(40)-20)), append(l.people, p)
		}
	}
	_, l.prior, _ = ByPeople(l.people)
	l.class, l.target = make([]int, len(l.a)), make([]int, len(l.a))
	for noise, step := range noisesOfNumbers(t, sigma) {
		exposed, name := l.exact(sigma, step).exposed, noise.String()+": "
		mean, few := 0., 0.
		for p, v := range exposed {
			if mean += v / people; p < 6 {
				few += v / 6
			}
		}
		for try := range tries {
			e := must.Get(Expose(context.Background(), table{1, l.a}, noise, people, releases, Options{Prior: l.prior, People: l.people, Seed: uint64(try)}))(t)
			c.add(name+"named", true, MeanNamed(e.Named(nil), alpha), mean)
			c.add(name+"named of six", true, MeanNamed(e.Named(func(i int) bool { return e.People[i] < 6 }), alpha), few)
			for _, at := range []float64{.1, .4} {
				share := 0.
				for _, v := range exposed {
					share += one(v > at) / people
				}
				c.add(fmt.Sprintf("%snamed in more than %v", name, at), false, e.Above(at, alpha), share)
			}
		}
	}
	tail := distuv.Beta{Alpha: .05, Beta: .8, Src: r}
	drawn := func(exposure func() float64) *Exposure {
		e := &Exposure{Releases: 100, Hits: make([]int, 300)}
		for i := range e.Hits {
			e.Hits[i] = int(distuv.Binomial{N: 100, P: exposure(), Src: r}.Rand())
		}
		return e
	}
	for range tries {
		e := drawn(tail.Rand)
		c.add("heavy tail: named", true, MeanNamed(e.Named(nil), alpha), tail.Mean())
		for _, at := range []float64{.05, .1, .5} {
			c.add(fmt.Sprintf("heavy tail: named in more than %v", at), false, e.Above(at, alpha), 1-tail.CDF(at))
		}
		// The worst for each side: who is exposed is named in hardly more than .2, or who is not in just that.
		for _, p := range [][3]float64{{.8, .2001, 0}, {.1, 1, .2}} {
			e := drawn(func() float64 { return p[1+int(one(r.Float64() > p[0]))] })
			c.add(fmt.Sprintf("people who are named in %v or %v", p[1], p[2]), false, e.Above(.2, alpha), p[0])
		}
	}
}
