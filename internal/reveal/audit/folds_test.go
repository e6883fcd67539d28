package audit

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestDealIsBalanced(t *testing.T) {
	s := made{n: 503, classes: 3, values: []int{4, 2}, lean: .5, seed: 1}.sample()
	const folds = 5
	x := newFolded(s, Options{})
	fold := x.deal(folds, 7)
	count := map[[3]int][folds]int{} // y, and then also s1
	add := func(key [3]int, k int) { c := count[key]; c[k]++; count[key] = c }
	for i, k := range fold {
		add([3]int{-1}, k)
		add([3]int{0, s.Y[i]}, k)
		add([3]int{1, s.Y[i], s.Sensitive[0].Labels[i]}, k)
	}
	for key, c := range count {
		if slices.Max(c[:])-slices.Min(c[:]) > 1 {
			t.Errorf("folds have %v of %v", c, key)
		}
	}
	if !slices.Equal(fold, x.deal(folds, 7)) || slices.Equal(fold, x.deal(folds, 8)) {
		t.Error("folds do not follow the seed")
	}
}

func TestCopiesCountOnce(t *testing.T) {
	s := made{n: 200, classes: 2, values: []int{2}, seed: 2}.sample()
	label := func(i, y, a int) { s.Y[i], s.Sensitive[0].Labels[i] = y, a }
	copyRow := func(to, from int) { copy(s.Outputs[2*to:2*to+2], s.Outputs[2*from:2*from+2]) }
	for _, i := range []int{150, 170, 190} {
		copyRow(i, 3)
		label(i, s.Y[3], s.Sensitive[0].Labels[3])
	}
	label(190, 1-s.Y[3], 0)               // of another y: no copy
	for i := 20; i < 20+copiesMost; i++ { // one too many: where outputs saturate
		copyRow(i, 19)
		label(i, i%2, 0)
	}
	left := func() (out []int) {
		rows := s.firsts()
		return slices.DeleteFunc(span(0, s.Len()), func(i int) bool { return slices.Contains(rows, i) })
	}
	if got := left(); !slices.Equal(got, []int{150, 170}) {
		t.Errorf("copies are %d", got)
	}
	for i := 19; i < 20+copiesMost; i++ { // unless their labels agree: a class filled up with copies
		label(i, 1, 0)
	}
	if got := left(); !slices.Equal(got, append(span(20, 20+copiesMost), 150, 170)) {
		t.Errorf("copies are %d", got)
	}
	s.Group = &Attribute{Name: "person", Labels: make([]int, s.Len())} // who says so has counted them
	if got := left(); len(got) > 0 {
		t.Errorf("%d copies of people who are known", len(got))
	}
	s.Group = nil
	for i := range s.Outputs { // few distinct rows: rounded, not copied
		s.Outputs[i] = float32(int(s.Outputs[i]))
	}
	if got := left(); len(got) > 0 {
		t.Errorf("%d rounded rows count as copies", len(got))
	}
}

// All of 60 examples 20 times over, with labels of chance, which an attack that memorises
// would have right: as copies, and as people.
func TestManyCopiesAreJudgedTogether(t *testing.T) {
	s := made{n: 60, classes: 3, values: []int{2}, seed: 8}.sample()
	rows := make([]int, 1200)
	for i := range rows {
		rows[i] = i % 60
	}
	o := quick
	o.Attacks = []string{"trees"}
	for _, group := range []*Attribute{nil, {Name: "person", Values: make([]string, 60), Labels: rows}} {
		many := s.Subset(rows)
		many.Group = group
		rec, _ := (&Record{Sample: many}).prepared()
		r := examinedRecord(t, rec, o)
		if best := .5 + 4.5*math.Sqrt(.25/60); r.Findings[0].Curiosity.Value > best || r.Findings[0].counted() != 60 {
			t.Errorf("labels of chance of %d are told with %v", r.Findings[0].counted(), r.Findings[0].Curiosity.Value)
		}
	}
}

func TestSplitHoldsBack(t *testing.T) {
	for _, c := range []struct{ n, maxFit, small, large, all, held int }{
		{400, 20000, 300, 300, 400, 100},
		{8000, 20000, 2000, 6000, 8000, 2000},
		{50000, 20000, 2000, 20000, 20000, 5000},
		{400, 100, 100, 100, 100, 100},
	} {
		train := make([]int, c.n)
		for i := range train {
			train[i] = 2 * i
		}
		sp := split{train: train}
		sp.hold(span(0, 2*c.n), c.maxFit, random(1, streamSplit, 0))
		if len(sp.small) != c.small || len(sp.large) != c.large || len(sp.all) != c.all || len(sp.held) != c.held {
			t.Errorf("%d examples: %d, %d, %d and %d held back", c.n, len(sp.small), len(sp.large), len(sp.all), len(sp.held))
		}
		seen := map[int]bool{}
		for _, i := range append(slices.Clone(sp.large), sp.held...) {
			if seen[i] || i%2 != 0 {
				t.Fatalf("example %d is held back and fitted on, or not of the training part", i)
			}
			seen[i] = true
		}
	}
}

// Copies of a row are all held back or none, however they lie: attacks are compared on rows that
// they were not fitted on.
func TestSplitKeepsCopiesTogether(t *testing.T) {
	for _, sizes := range [][]int{{1, 3}, {7}, {1, 1, 900}, {500, 1}} {
		var twin []int
		for i := 0; len(twin) < 1000; i++ {
			for n, first := 0, len(twin); n < sizes[i%len(sizes)]; n++ {
				twin = append(twin, first)
			}
		}
		sp := split{train: span(0, len(twin))}
		sp.hold(twin, 20000, random(1, streamSplit, 0))
		if len(sp.held) == 0 || len(sp.rest) == 0 || len(sp.held)+len(sp.rest) != len(twin) {
			t.Errorf("%v: %d held back and %d not, of %d", sizes, len(sp.held), len(sp.rest), len(twin))
		}
		held := map[int]bool{}
		for _, i := range sp.held {
			held[twin[i]] = true
		}
		for _, i := range sp.rest {
			if held[twin[i]] {
				t.Fatalf("%v: copies of example %d are held back and fitted on", sizes, twin[i])
			}
		}
	}
	if at := between([]int{0, 1, 2}, []int{0, 0, 0}, 2); at != 2 {
		t.Errorf("copies of one row are divided at %d, want 2", at)
	}
}

func TestFoldsFollowWhatIsFitted(t *testing.T) {
	for n, want := range map[int]int{100: 5, 10000: 5, 14600: 5, 14700: 4, 16500: 3, 21990: 3, 22000: 2, 100000: 2} {
		if got := (Options{}).foldsOf(n); got != want {
			t.Errorf("%d folds of %d examples, want %d", got, n, want)
		}
	}
	if got := (Options{Folds: 4}).foldsOf(1e6); got != 4 {
		t.Errorf("%d folds where 4 were asked for", got)
	}
}

// Rows that repeat are counted in a warning if there are few distinct ones.
func TestFewDistinctRows(t *testing.T) {
	s, r := telling(600, .5, 0, 3), rand.New(rand.NewPCG(3, 3))
	for row := range slices.Chunk(s.Outputs, 2) {
		row[0], row[1] = float32(r.IntN(20)), .5
	}
	res := examined(t, s, Options{Seed: 1, Attacks: []string{"logistic"}, Permutations: 199})
	if said := strings.Join(res.Warnings, " "); !strings.Contains(said, "Only 20 of 600 rows of outputs are distinct.") {
		t.Errorf("warnings: %s", said)
	}
}
