package audit

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tattle/internal/engine/classify"
	"tattle/internal/math/stat"
)

// folded is a sample that was divided into folds. Attacks, baselines and tests read all that they need to know
// of the sample from it, so that it is computed once, and crossFit adds the guesses.
type folded struct {
	*Sample
	label            []int      // [example], the answered label; 0 of vectors, which have none
	twin             []int      // [example], the first example that it is a copy of
	copies, distinct int        // examples that are copies of earlier ones, and rows that differ
	fold             []int      // [example]
	splits           []split    // by fold
	strata           [][]int    // the examples of each y and fold
	alike            [][]int    // the examples of each y, answered label and fold, or of similar numeric y
	guesses          []*guesses // by attribute, nil of one that cannot be guessed
	unusable         []string   // by attribute, why it cannot be guessed, a sentence
}

// smallestFold is the number of examples that a fold needs.
const smallestFold = 10

// newFolded divides a sample into folds, with room for the guesses of each attribute that can be guessed.
func newFolded(s *Sample, o Options) *folded {
	folds := o.foldsOf(s.Len())
	x := &folded{Sample: s, label: make([]int, s.Len()), guesses: make([]*guesses, len(s.Sensitive)), unusable: make([]string, len(s.Sensitive))}
	for a := range s.Sensitive {
		g, none := goalOf(s, a)
		if s.Len() < folds*smallestFold {
			none = fmt.Sprintf("Fitting attacks on some examples and judging them on others requires %d examples; there are %d.", folds*smallestFold, s.Len())
		}
		if x.unusable[a] = none; none == "" {
			x.guesses[a] = newGuesses(x, g)
		}
	}
	if s.Kind != Vector {
		x.label = classify.Guesses(s.Outputs, len(s.Classes))
	}
	x.twins()
	x.divide(x.deal(folds, o.Seed), folds, o)
	return x
}

// foldsOf returns the number of folds. With DefaultFolds there are fewer if the other folds
// have MaxFit examples all the same, because each fold costs its fits.
func (o Options) foldsOf(n int) int {
	if o.Folds > 0 {
		return o.Folds
	}
	for k := 2; k < DefaultFolds; k++ {
		if n-n/k >= o.maxFit() {
			return k
		}
	}
	return DefaultFolds
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
	g := &guesses{in: x, goal: goal, given: make([]float64, n*w), base: make([]float64, n)}
	if goal.at.Numeric() {
		g.bestValue = make([]float64, n)
	} else {
		g.best = make([]int, n)
	}
	if g.added = g.given; x.YNumbers != nil {
		g.added, g.fromNumber = make([]float64, n*w), baselineGuess{FromTarget, make([]int, n), make([]float64, n)}
	}
	return g
}

// twinsMost is the largest group of equal rows that counts as copies of an example whatever
// their labels. Larger groups arise when outputs saturate, unless all labels agree, too, as
// in a class that was filled up with copies.
const twinsMost = 10

// twinsDistinct is the share of distinct rows from which equal ones count as
// copies: outputs that are rounded have fewer.
const twinsDistinct = 1. / 3

// twinsRows is the number of distinct rows, each repeated and always with the same labels,
// from which on they count as copies: fewer may be a code for the labels.
const twinsRows = 50

// twins finds for each example the first one that it is a copy of, itself as a rule.
func (x *folded) twins() {
	n, w := x.Len(), x.RowWidth()
	first, size := make([]int, n), make([]int, n)
	seen := make(map[[sha256.Size]byte]int, n)
	row := make([]byte, 4*w)
	for i := range n {
		for j, v := range x.Outputs[i*w : (i+1)*w] {
			binary.LittleEndian.PutUint32(row[4*j:], math.Float32bits(v))
		}
		key := sha256.Sum256(row)
		if _, ok := seen[key]; !ok {
			seen[key] = i
		}
		first[i] = seen[key]
		size[first[i]]++
	}
	pure := x.pure(first)
	few := float64(len(seen)) < twinsDistinct*float64(n)
	all := len(seen) >= twinsRows // rows that are there more than once, with equal labels
	for _, t := range first {
		all = all && size[t] > 1 && pure[t]
	}
	for i, t := range first {
		if copied := all || !few && (size[t] <= twinsMost || pure[t]); !copied {
			first[i] = i
		} else if t != i {
			x.copies++
		}
	}
	x.twin, x.distinct = first, len(seen)
}

// pure reports of each first example of equal rows whether y and all attributes of the
// others are equal to its own.
func (x *folded) pure(first []int) []bool {
	same := make([]bool, len(first))
	for i, t := range first {
		if same[i] = t == i; t == i {
			continue
		}
		ok := x.Y[i] == x.Y[t]
		for a := range x.Sensitive {
			if at := &x.Sensitive[a]; at.Numeric() {
				ok = ok && at.Numbers[i] == at.Numbers[t]
			} else {
				ok = ok && at.Labels[i] == at.Labels[t]
			}
		}
		if !ok {
			same[t] = false
		}
	}
	return same
}

// deal divides the examples into folds: sorted by y, then by each attribute, in
// random order among equals, they are dealt round, so that folds have their share
// of every class. Examples with the same twin, copies of a row, stay together.
func (x *folded) deal(folds int, seed uint64) []int {
	r := random(seed, streamFolds, 0)
	type card struct {
		first int
		lot   uint64
	}
	cards := make([]card, 0, x.Len())
	for i, t := range x.twin {
		if t == i {
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
	fold := make([]int, x.Len())
	for i, c := range cards {
		fold[c.first] = i % folds
	}
	for i, t := range x.twin {
		fold[i] = fold[t]
	}
	return fold
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
		x.splits[k].hold(x.twin, o.maxFit(), random(o.Seed, streamSplit, uint64(k)))
	}
	x.strata = groupsOf(fold, x.Y)
	if x.YNumbers == nil {
		x.alike = groupsOf(fold, jointly(x.Y, x.label, len(x.Classes)))
		return
	}
	for _, sp := range x.splits {
		rows := slices.Clone(sp.test)
		slices.SortStableFunc(rows, func(i, j int) int { return cmp.Compare(x.YNumbers[i], x.YNumbers[j]) })
		x.alike = slices.AppendSeq(x.alike, slices.Chunk(rows, together))
	}
}

// together is how many examples of adjacent y are judged together.
const together = 8

// hold holds back a quarter of the training part, but judgeMost at most. Copies of a row stay together, up to
// which the sizes hold: an attack that recognises rows would seem better than it is.
func (sp *split) hold(twin []int, maxFit int, r *rand.Rand) {
	copies := make(map[int][]int, len(sp.train))
	var firsts []int
	for _, i := range sp.train {
		if copies[twin[i]] == nil {
			firsts = append(firsts, twin[i])
		}
		copies[twin[i]] = append(copies[twin[i]], i)
	}
	rows := make([]int, 0, len(sp.train))
	for _, j := range r.Perm(len(firsts)) {
		rows = append(rows, copies[firsts[j]]...)
	}
	rest := between(rows, twin, len(rows)-min((len(rows)+3)/4, judgeMost))
	large := min(rest, maxFit)
	sp.small, sp.large, sp.all = rows[:min(large, firstFit)], rows[:large], rows[:min(len(rows), maxFit)]
	sp.held, sp.rest = rows[rest:], rows[:rest]
}

// between returns the place next to at where rows can be divided without dividing the copies of
// a row, which lie together; at itself if all rows are copies of one.
func between(rows, twin []int, at int) int {
	low, high := at, at
	for low > 0 && twin[rows[low-1]] == twin[rows[at]] {
		low--
	}
	for high < len(rows) && twin[rows[high]] == twin[rows[at]] {
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
	var found [][]int
	place := map[[2]int]int{}
	for i, f := range fold {
		key := [2]int{class[i], f}
		at, ok := place[key]
		if !ok {
			at = len(found)
			place[key] = at
			found = append(found, nil)
		}
		found[at] = append(found[at], i)
	}
	return found
}
