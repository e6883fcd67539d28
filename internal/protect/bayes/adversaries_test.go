package bayes

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tattle/internal/must"
	"tattle/internal/protect/lattice"
	"tattle/internal/protect/release"

	"gonum.org/v1/gonum/mat"
)

// An individual is a person with inputs. Features are the inputs; what is reconstructed of them are the numbers within ±legal.
type individual struct {
	features [][]float64
	class    int
}

const legal = 3

func clamp(x []float64) []float64 {
	y := make([]float64, len(x))
	for k, v := range x {
		y[k] = min(max(v, -legal), legal)
	}
	return y
}

// target is what the adversary may know of an input.
func target(features []float64) int { return int(one(features[1] > 0)) }

// A world is a distribution of people, and noise.
type world struct {
	name    string
	dim     int
	person  func(r *rand.Rand, more int) individual // draws a person; more is added to the number of their inputs
	noise   Density
	sigma   float64
	queries int
}

// newWorld returns the i-th of 30 worlds: five of each kind.
func newWorld(t *testing.T, i int) world {
	kind, round := i%6, i/6
	w := world{dim: 2 + (i+round)%5, sigma: []float64{.4, .7, 1, 1.5, 2.5}[round], queries: 1 + (i+round)%3%2}
	w.noise = release.Gaussian{Sigma: w.sigma}
	point := func(v float64) float64 { return v }
	if (i+round)%2 == 1 {
		l := must.Get(release.NewLattice(lattice.Lattice{Delta: .25, Sigma: w.sigma, Clip: 64, Dim: w.dim}))(t)
		w.noise, point = l, l.Point
	}
	w.name = fmt.Sprintf("%d (%s, %d features, %d releases with %v, σ = %v)", i, []string{"normal", "heavy tails", "copies", "rare kind", "one with half", "rare class"}[kind], w.dim, w.queries, w.noise, w.sigma)
	w.person = func(r *rand.Rand, more int) individual {
		p := individual{class: r.IntN(2)}
		centre, inputs, within, shift := make([]float64, w.dim), 1+r.IntN(6)+more, .5, .8*float64(p.class)
		draw := r.NormFloat64
		switch kind {
		case 1: // Student's t with two degrees of freedom
			draw = func() float64 { return r.NormFloat64() / math.Sqrt(r.ExpFloat64()) }
		case 2: // centres are among eight, and half of the people have inputs equal to them
			within = .001 * float64(r.IntN(2))
			draw = func() float64 { return 2*float64(r.IntN(2)) - 1 }
		case 3: // another kind of people, far away
			if p.class = int(one(r.Float64() < .06)); p.class == 1 {
				shift = 5
			}
		case 5:
			if p.class = int(one(r.Float64() < .08)); p.class == 1 {
				inputs, shift = 9, 1.2
			}
		}
		for k := range centre {
			centre[k] = draw()
		}
		for range inputs {
			x := make([]float64, w.dim)
			for k := range x {
				x[k] = centre[k]
				if within > 0 {
					x[k] += within * draw()
				}
			}
			x[0] += shift
			for k := range x {
				x[k] = point(x[k])
			}
			p.features = append(p.features, x)
		}
		return p
	}
	return w
}

// list draws a list of people, again if all are of one class. In one kind of world the first has half of the inputs.
func (w world) list(i int, r *rand.Rand) []individual {
	for {
		people := make([]individual, 12+r.IntN(16))
		all, classes := 0, [2]int{}
		for p := len(people) - 1; p >= 0; p-- {
			more := 0
			if p == 0 && i%6 == 4 {
				more = all
			}
			people[p] = w.person(r, more)
			classes[people[p].class]++
			all += len(people[p].features)
		}
		if min(classes[0], classes[1]) > 0 {
			return people
		}
	}
}

// release returns the mean of the releases of an input, which is sufficient for both kinds of noise.
func (w world) release(features []float64, r *rand.Rand) []float64 {
	y, z := slices.Clone(features), make([]float64, w.dim)
	for range w.queries {
		w.noise.Sample(z, r)
		for k, v := range z {
			y[k] += v / float64(w.queries)
		}
	}
	return y
}

// inputs are inputs of people in one slice each.
type inputs struct {
	features, legal       [][]float64
	prior                 []float64
	person, class, target []int
	people                int
}

func flatten(people []individual) (l inputs) {
	l.people = len(people)
	for p, one := range people {
		for _, x := range one.features {
			l.features, l.legal = append(l.features, x), append(l.legal, clamp(x))
			l.prior = append(l.prior, 1/float64(len(people)*len(one.features)))
			l.person, l.class, l.target = append(l.person, p), append(l.class, one.class), append(l.target, target(x))
		}
	}
	return l
}

// A guess is what an adversary says of one release. Those without a list name nobody.
type guess struct {
	inputs        []int // ten, the likeliest first; nil: none
	person        int
	class, given  int // without and with knowledge of the target
	score         float64
	reconstructed []float64
}

type adversary struct {
	name  string
	guess func(y []float64, target int) guess
}

// posterior is the adversary who weighs inputs by prior and likelihood.
func (w world) posterior(name string, l inputs, prior []float64, hasList bool) adversary {
	p, of, order := make([]float64, len(prior)), make([]float64, l.people), make([]int, len(prior))
	return adversary{name, func(y []float64, target int) guess {
		largest, sum := math.Inf(-1), 0.
		for j, a := range l.features {
			p[j] = math.Log(prior[j])
			for k, v := range y {
				p[j] -= (v - a[k]) * (v - a[k]) * float64(w.queries) / 2 / w.sigma / w.sigma
			}
			largest, order[j] = max(largest, p[j]), j
		}
		clear(of)
		x := make([]float64, w.dim)
		var classes, given [2]float64
		for j, v := range p {
			v = math.Exp(v - largest)
			p[j], sum = v, sum+v
			of[l.person[j]] += v
			classes[l.class[j]] += v
			if l.target[j] == target {
				given[l.class[j]] += v
			}
			for k := range x {
				x[k] += v * l.legal[j][k]
			}
		}
		for k := range x {
			x[k] /= sum
		}
		g := guess{class: int(one(classes[1] > classes[0])), given: int(one(given[1] > given[0])), score: classes[1] / sum, reconstructed: x}
		if hasList {
			slices.SortFunc(order, func(i, j int) int { return cmp.Compare(p[j], p[i]) })
			g.inputs, g.person = order[:most], slices.Index(of, slices.Max(of))
		}
		return g
	}}
}

// nearest is the adversary who names the nearest of some points, which are of people.
func (w world) nearest(name string, points [][]float64, l inputs, input, person []int, hasList bool) adversary {
	return adversary{name, func(y []float64, target int) guess {
		best, least := -1, math.Inf(1)
		bestGiven, leastGiven := 0, math.Inf(1)
		for j, a := range points {
			square := 0.
			for k, v := range y {
				square += (v - a[k]) * (v - a[k])
			}
			if square < least {
				best, least = j, square
			}
			if l.target[input[j]] == target && square < leastGiven {
				bestGiven, leastGiven = j, square
			}
		}
		class := l.class[input[best]]
		g := guess{class: class, given: l.class[input[bestGiven]], score: float64(class), reconstructed: clamp(points[best])}
		if hasList {
			g.inputs, g.person = []int{input[best]}, person[best]
		}
		return g
	}}
}

// means returns the mean of each person's inputs, and their first ones.
func means(people []individual) (mean [][]float64, first, person []int) {
	n := 0
	for p, one := range people {
		m := make([]float64, len(one.features[0]))
		for _, x := range one.features {
			for k, v := range x {
				m[k] += v / float64(len(one.features))
			}
		}
		mean, first, person = append(mean, m), append(first, n), append(person, p)
		n += len(one.features)
	}
	return mean, first, person
}

// ridge is the adversary who learned a linear regression from inputs of other people and releases of them.
func (w world) ridge(t *testing.T, l inputs, r *rand.Rand) adversary {
	d := w.dim + 1
	gram, right := mat.NewSymDense(d, nil), mat.NewDense(d, d, nil)
	for i := range d {
		gram.SetSym(i, i, 1e-3)
	}
	for j, x := range l.features {
		y := mat.NewVecDense(d, append(clamp(w.release(x, r)), 1))
		gram.SymRankOne(gram, l.prior[j], y)
		right.RankOne(right, l.prior[j], y, mat.NewVecDense(d, append(slices.Clone(l.legal[j]), float64(l.class[j]))))
	}
	var c mat.Cholesky
	var solved mat.Dense
	if !c.Factorize(gram) {
		t.Fatal("not positive")
	}
	must.Do(t, c.SolveTo(&solved, right))
	return adversary{"ridge regression", func(y []float64, _ int) guess {
		var out mat.VecDense
		out.MulVec(solved.T(), mat.NewVecDense(d, append(clamp(y), 1)))
		score := out.AtVec(w.dim)
		class := int(one(score > .5))
		return guess{class: class, given: class, score: score, reconstructed: clamp(out.RawVector().Data[:w.dim])}
	}}
}

// success is how adversaries did, in draws.
type success struct {
	first, ten, person, class, given, square []float64
	scores                                   [2][]float64
}

func (s *success) add(g guess, input, person, class int, legal []float64) {
	if g.inputs != nil {
		s.first = append(s.first, one(g.inputs[0] == input))
		s.ten = append(s.ten, one(slices.Contains(g.inputs, input)))
		s.person = append(s.person, one(g.person == person))
	}
	s.class, s.given = append(s.class, one(g.class == class)), append(s.given, one(g.given == class))
	s.scores[class] = append(s.scores[class], g.score)
	square := 0.
	for k, v := range legal {
		square += (v - g.reconstructed[k]) * (v - g.reconstructed[k])
	}
	s.square = append(s.square, square)
}

// area returns the area under the ROC curve, and how far it may be off with probability alpha at most (Hoeffding 1963, 5b).
func (s *success) area(alpha float64) (area, off float64) {
	slices.Sort(s.scores[0])
	for _, v := range s.scores[1] {
		area += below(s.scores[0], v)
	}
	n := min(len(s.scores[0]), len(s.scores[1]))
	if n == 0 {
		return .5, 1
	}
	return area / float64(len(s.scores[0])*len(s.scores[1])), math.Sqrt(math.Log(1/alpha) / 2 / float64(n))
}

// No adversary that runs does better than the printed limits say, in 30 worlds, and the best ones reach them. A comparison is wrong where
// the limit is, or that of the adversary's success: each with a probability of at most 1e-5/(2·30·50).
func TestAdversaries(t *testing.T) {
	const worlds, comparisons = 30, 50
	const alpha = 1e-5 / (2 * worlds * comparisons)
	draws, trials := 10000, 5000
	if testing.Short() {
		draws, trials = 2000, 600
	}
	for i := range worlds {
		w, r := newWorld(t, i), rand.New(rand.NewPCG(uint64(i), 39))
		people := w.list(i, r)
		l, compared := flatten(people), 0
		notAbove := func(who, what string, low, high float64) {
			t.Helper()
			if compared++; low > high*(1+1e-9) {
				t.Errorf("world %s, %s: %s is at least %v, and at most %v by the limit", w.name, who, what, low, high)
			}
		}
		// The program reads the inputs in another order.
		shuffled, group := r.Perm(len(l.prior)), make([]int, len(l.prior))
		for k, j := range shuffled {
			group[k] = 100 + l.person[j]
		}
		order, prior, of := ByPeople(group)
		list := table{dim: w.dim}
		a := Attribute{Classes: 2, Prior: prior, People: of}
		for _, k := range order {
			j := shuffled[k]
			list.a = append(list.a, l.features[j]...)
			a.Class, a.Target = append(a.Class, l.class[j]), append(a.Target, l.target[j])
		}
		res := must.Get(Run(context.Background(), list, w.noise, []Attribute{a}, Options{Prior: prior, People: of, Draws: draws, Queries: w.queries, Seed: uint64(i)}))(t)
		largest := 4 * legal * legal * float64(w.dim)
		squares := make([]float64, draws)
		for b, d := range res.Draws {
			for k, v := range l.legal[shuffled[order[d.Truth]]] {
				v -= l.legal[shuffled[order[d.Other]]][k]
				squares[b] += v * v
			}
		}
		first, ten := res.Identified(alpha)
		alone, given := res.Guessed(0, alpha)
		named, floor, area := res.Named(alpha), res.Floor(squares, largest, alpha), res.AUC(0, a, alpha)

		others := make([]individual, 120) // whom adversaries without the list know
		for p := range others {
			others[p] = w.person(r, 0)
		}
		known := flatten(others)
		mean, its, person := means(people)
		rows := slices.Repeat([]float64{1 / float64(len(l.prior))}, len(l.prior))
		all := make([]int, len(known.prior))
		for j := range all {
			all[j] = j
		}
		adversaries := []adversary{
			w.posterior("posterior", l, l.prior, true), // MAP, and the posterior mean
			w.posterior("posterior of equally likely inputs", l, rows, true),
			w.nearest("nearest input", l.features, l, all[:len(rows)], l.person, true),
			w.nearest("nearest mean", mean, l, its, person, true),
			w.posterior("posterior of other people", known, known.prior, false),
			w.nearest("nearest other input", known.features, known, all, known.person, false),
			w.ridge(t, known, r),
		}
		results := make([]success, len(adversaries))
		for range trials { // a random person, and a random input of theirs
			p := r.IntN(len(people))
			j := slices.Index(l.person, p) + r.IntN(len(people[p].features))
			y := w.release(l.features[j], r)
			for k, a := range adversaries {
				results[k].add(a.guess(y, l.target[j]), j, p, l.class[j], l.legal[j])
			}
		}
		for k, a := range adversaries {
			s := &results[k]
			limit := func(x []float64) Limit { return limits(x, 1, 0, alpha) }
			if s.first != nil {
				notAbove(a.name, "the input is named", limit(s.first).Low, first.High)
				notAbove(a.name, "the person is named", limit(s.person).Low, named.High)
				notAbove(a.name, "one of ten is the input", limit(s.ten).Low, ten.High)
			}
			error := limits(s.square, largest, 0, alpha)
			notAbove(a.name, "the attribute is guessed", limit(s.class).Low, alone.High)
			notAbove(a.name, "the attribute is guessed given the target", limit(s.given).Low, given.High)
			notAbove(a.name, "the floor", floor.Low, error.High)
			if auc, off := s.area(alpha); off < 1 {
				notAbove(a.name, "AUC", auc-off, area.High)
				if k == 0 {
					notAbove(a.name, "AUC reached", area.Low, auc+off)
				}
			}
			if k == 0 { // it is the best, so it reaches what it can
				notAbove(a.name, "the input is named, reached", first.Low, limit(s.first).High)
				notAbove(a.name, "the person is named, reached", named.Low, limit(s.person).High)
				notAbove(a.name, "one of ten is the input, reached", ten.Low, limit(s.ten).High)
				notAbove(a.name, "the attribute is guessed, reached", alone.Low, limit(s.class).High)
				notAbove(a.name, "the attribute is guessed given the target, reached", given.Low, limit(s.given).High)
				notAbove(a.name, "the floor reached", error.Low, floor.High)
			}
		}
		if compared > comparisons {
			t.Fatalf("%d comparisons", compared)
		}
	}
}
