package audit

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"tattle/internal/engine/classify"
	"tattle/internal/math/stat"
)

// folded is a sample that was divided into folds. Attacks, baselines and tests read all that they need to know
// of the sample from it, so that it is computed once, and crossFit adds the guesses.
type folded struct {
	*Sample
	label    []int // [example], the answered label; 0 of vectors, which have none
	cell     []int // [example], its pair of y and label, 0 … cells−1: those that examples have
	cells    int
	person   []int                      // [example], its person, 0 … people−1
	people   int                        // those who have examples
	fold     []int                      // [example]
	splits   []split                    // by fold
	strata   [][]int                    // the examples of each y and fold
	alike    [][]int                    // the examples of each y, answered label and fold, or of similar numeric y
	guesses  []*guesses                 // by attribute, nil of one that cannot be guessed
	unusable []string                   // by attribute, why it cannot be guessed, a sentence
	made     map[string]*classify.Table // by form that is small enough to keep: that of all examples
}

// smallestFold is the number of examples that a fold needs.
const smallestFold = 10

// newFolded divides a sample into folds, with room for the guesses of each attribute that can be guessed.
func newFolded(s *Sample, o Options) *folded {
	folds := o.foldsOf(s.Len())
	x := &folded{Sample: s, label: make([]int, s.Len()), guesses: make([]*guesses, len(s.Sensitive)), unusable: make([]string, len(s.Sensitive))}
	x.person, x.people = s.people()
	for a := range s.Sensitive {
		g, none := goalOf(s, a)
		if x.people < folds*smallestFold {
			none = fmt.Sprintf("Fitting attacks on some examples and judging them on others requires %d %s; there are %d.", folds*smallestFold, s.counted(), x.people)
		}
		if x.unusable[a] = none; none == "" {
			x.guesses[a] = newGuesses(x, g)
		}
	}
	if s.Kind != Vector {
		x.label = classify.Guesses(s.Outputs, len(s.Classes))
	}
	x.cell, x.cells = stat.Numbered(jointly(x.Y, x.label, len(x.Classes)))
	x.divide(x.deal(folds, o.Seed), folds, o)
	return x
}

// foldsOf returns the number of folds. With DefaultFolds there are fewer if the other folds
// have MaxFit examples all the same, beside those that are held back, because each fold costs its fits.
func (o Options) foldsOf(n int) int {
	if o.Folds > 0 {
		return o.Folds
	}
	return foldsWith(n, o.maxFit()*besideHeld/8)
}

// besideHeld is in eighths. If a quarter of besideHeld/8·m examples is held back, more than m are left. The rest is room for people,
// who are not divided.
const besideHeld = 11

// foldsWith returns the smallest number of folds for which all folds but one have at least others of n examples; at most DefaultFolds.
func foldsWith(n, others int) int {
	k := 2
	for k < DefaultFolds && n-n/k < others {
		k++
	}
	return k
}

func (o Options) maxFit() int { return cmp.Or(o.MaxFit, DefaultMaxFit) }

// goal is an attribute as attacks are given it: classes in the order of their first
// example, so that nothing depends on what they are called, and numbers
// standardised.
type goal struct {
	at           *Attribute
	attribute    int // its index
	target       classify.Target
	back         []int // from the target's classes to the attribute's
	mean, spread float64
}

// goalOf returns the goal of attribute a, or why there is none.
func goalOf(s *Sample, a int) (*goal, string) {
	g := &goal{at: &s.Sensitive[a], attribute: a}
	if g.at.Numeric() {
		g.mean, g.spread = stat.MeanStd(g.at.Numbers)
		if slices.Min(g.at.Numbers) == slices.Max(g.at.Numbers) || g.spread == 0 {
			return nil, "All examples have the same number, so there is nothing to guess."
		}
		g.target.Values = make([]float64, s.Len())
		for i, v := range g.at.Numbers {
			g.target.Values[i] = (v - g.mean) / g.spread
		}
		return g, ""
	}
	place := make([]int, len(g.at.Values)) // of each class, from 1 on
	g.target.Labels = make([]int, s.Len())
	for i, l := range g.at.Labels {
		if place[l] == 0 {
			g.back = append(g.back, l)
			place[l] = len(g.back)
		}
		g.target.Labels[i] = place[l] - 1
	}
	if g.target.Classes = len(g.back); g.target.Classes < 2 {
		return nil, "All examples are of one class, so there is nothing to guess."
	}
	return g, ""
}

// newGuesses returns the guesses of a goal, with room for those of all examples.
func newGuesses(x *folded, goal *goal) *guesses {
	n, w := x.Len(), goal.target.Width()
	g := &guesses{in: x, goal: goal, best: make([]int, n), bestValue: make([]float64, n), given: make([]float64, n*w), base: make([]float64, n)}
	if g.added = g.given; x.YNumbers != nil {
		g.added, g.fromNumber = make([]float64, n*w), baselineGuess{FromTarget, make([]int, n), make([]float64, n)}
	}
	return g
}

// deal divides the examples into folds: sorted by y, then by each attribute, in
// random order among equals, they are dealt round, so that folds have their share
// of every class. The examples of a person stay together; the first one decides where.
func (x *folded) deal(folds int, seed uint64) []int {
	r := random(seed, streamFolds, 0)
	type card struct {
		first int
		lot   uint64
	}
	cards := make([]card, 0, x.people)
	for i, p := range x.person {
		if p == len(cards) {
			cards = append(cards, card{i, r.Uint64()})
		}
	}
	slices.SortFunc(cards, func(a, b card) int {
		c := cmp.Compare(x.Y[a.first], x.Y[b.first])
		for k := 0; c == 0 && k < len(x.guesses); k++ {
			if g := x.guesses[k]; g != nil && g.target.Labels != nil {
				c = cmp.Compare(g.target.Labels[a.first], g.target.Labels[b.first])
			}
		}
		return cmp.Or(c, cmp.Compare(a.lot, b.lot), cmp.Compare(a.first, b.first))
	})
	of := make([]int, x.people)
	for i, c := range cards {
		of[x.person[c.first]] = i % folds
	}
	return pick(of, x.person)
}

const (
	// firstFit is enough to distinguish attacks that learn something from those that do not.
	firstFit = 2000
	// judgeMost is the most examples held back: accuracies on them differ by a point.
	judgeMost = 5000
)

// split is a fold: the examples that are judged, and the others, in random order.
type split struct {
	test, train       []int // in the order of the sample
	small, large, all []int // what attacks are fitted on, each the first of the next
	held              []int // what small and large attacks are compared on
	rest              []int // all that is not held
}

// divide sets the folds, holds examples back in each, and groups those that tests permute among one another.
func (x *folded) divide(fold []int, folds int, o Options) {
	x.fold, x.splits = fold, make([]split, folds)
	for i, f := range fold {
		for k := range x.splits {
			if sp := &x.splits[k]; k == f {
				sp.test = append(sp.test, i)
			} else {
				sp.train = append(sp.train, i)
			}
		}
	}
	for k := range x.splits {
		x.splits[k].hold(x.person, o.maxFit(), random(o.Seed, streamSplit, uint64(k)))
	}
	x.strata = groupsOf(fold, x.Y)
	if x.YNumbers == nil {
		x.alike = groupsOf(fold, x.cell)
		return
	}
	for _, sp := range x.splits {
		rows := slices.Clone(sp.test)
		slices.SortStableFunc(rows, func(i, j int) int { return cmp.Compare(x.YNumbers[i], x.YNumbers[j]) })
		x.alike = slices.AppendSeq(x.alike, slices.Chunk(rows, together*x.Len()/x.people))
	}
}

// together is how many people of adjacent y are judged together, on average.
const together = 8

// hold holds back a quarter of the training part, but judgeMost at most. The examples of a person stay together, up
// to whom the sizes hold: an attack that recognises people would seem better than it is.
func (sp *split) hold(person []int, maxFit int, r *rand.Rand) {
	of := byLabel(stat.Numbered(pick(person, sp.train)))
	rows := make([]int, 0, len(sp.train))
	for _, j := range r.Perm(len(of)) {
		rows = append(rows, pick(sp.train, of[j])...)
	}
	rest := between(rows, person, len(rows)-min((len(rows)+3)/4, judgeMost))
	large := min(rest, maxFit)
	sp.small, sp.large, sp.all = rows[:min(large, firstFit)], rows[:large], rows[:min(len(rows), maxFit)]
	sp.held, sp.rest = rows[rest:], rows[:rest]
}

// between returns the place next to at where rows can be divided without dividing a person's, which
// lie together; at itself if all rows are of one person.
func between(rows, person []int, at int) int {
	low, high := at, at
	for low > 0 && person[rows[low-1]] == person[rows[at]] {
		low--
	}
	for high < len(rows) && person[rows[high]] == person[rows[at]] {
		high++
	}
	switch {
	case low == at || low == 0 && high == len(rows):
		return at
	case low == 0 || high < len(rows) && high-at < at-low:
		return high
	}
	return low
}

// jointly numbers the pairs of y and label.
func jointly(y, label []int, classes int) []int {
	both := make([]int, len(y))
	for i, c := range y {
		both[i] = c*classes + label[i]
	}
	return both
}

// groupsOf returns the examples of each pair of a fold and a class that has examples.
func groupsOf(fold, class []int) [][]int {
	return byLabel(stat.Numbered(jointly(class, fold, slices.Max(fold)+1)))
}
