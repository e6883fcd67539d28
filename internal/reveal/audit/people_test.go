package audit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/math/stat"
	"tattle/internal/must"
	"tattle/internal/shared"
)

// persons are people with 1 to most examples each, whose outputs are near their own and whose s is the
// person's: drawn without regard to the outputs, which a leak then moves.
type persons struct {
	people, most, classes int
	jitter, leak          float64
	seed                  uint64
}

func (p persons) sample() *Sample {
	r := rand.New(rand.NewPCG(p.seed, 77))
	k := p.classes
	s := &Sample{Name: "people", Kind: "raw", Target: "y", Sensitive: []Attribute{{Name: "s", Values: []string{"a", "b"}}}, Group: &Attribute{Name: "person"}}
	for c := range k {
		s.Classes = append(s.Classes, strconv.Itoa(c))
	}
	for g := range p.people {
		y, a, own := r.IntN(k), r.IntN(2), make([]float64, k)
		for c := range own {
			own[c] = r.NormFloat64()
		}
		own[y] += 3
		own[0] += p.leak * float64(a)
		own[1] -= p.leak * float64(a)
		for range 1 + r.IntN(p.most) {
			for _, v := range own {
				s.Outputs = append(s.Outputs, float32(v+p.jitter*r.NormFloat64()))
			}
			s.Y, s.Sensitive[0].Labels, s.Group.Labels = append(s.Y, y), append(s.Sensitive[0].Labels, a), append(s.Group.Labels, g)
		}
		s.Group.Values = append(s.Group.Values, strconv.Itoa(g))
	}
	return s
}

// What is drawn for each person shows nothing of s, with people known or not; what is moved by it does once they are known.
func TestPeople(t *testing.T) {
	o := Options{Seed: 1, Attacks: []string{"logistic", "trees"}, Permutations: 499}
	run := func(s *Sample) *Result { return must.Get((&Record{Sample: s}).Audit(t.Context(), o))(t) }
	above, near := 0, 0
	const nulls = 6
	for i := range nulls {
		s := persons{people: 150, most: 6, classes: 2 + i%3, jitter: .1, seed: uint64(i)}.sample()
		if v := run(s).Verdict; v != Inconclusive && v != NoEvidence {
			above++
		}
		s.Group = nil
		if f := run(s).Findings[0]; f.Undecided.Why == ByPeople && f.Verdict == Inconclusive {
			near++
		}
	}
	if above > 4 || near < nulls { // five of six at a level of 5 %: 1.8e-6
		t.Errorf("of %d samples without a leak, %d show one, and near-copies are seen in %d", nulls, above, near)
	}
	s := persons{people: 250, most: 6, classes: 3, jitter: .1, leak: 2, seed: 9}.sample()
	r := run(s)
	f := r.Findings[0]
	if !f.Verdict.ExceedsTarget() || f.People != 250 || r.People != 250 || f.Given.Order == nil || f.Shuffling != nil {
		t.Errorf("%q of %d people", f.Verdict, f.People)
	}
	x := r.x // the excess is a mean over people, and its limits and bets count them
	better := make([]float64, x.Len())
	for i, l := range x.Sensitive[0].Labels {
		better[i] = one(x.guesses[0].best[i] == l) - one(x.guesses[0].baselines()[0].guess[i] == l)
	}
	b := f.Baselines[0]
	if mean, sd := stat.MeanStd(x.byPerson(better)); math.Abs(b.Mean-mean) > 1e-12 || math.Abs(b.StandardError-sd/math.Sqrt(250)) > 1e-12 {
		t.Errorf("the excess over %s is %v ± %v of people, want %v ± %v", b.Name, b.Mean, b.StandardError, mean, sd/math.Sqrt(250))
	}
	if c := r.Controls; len(c) != 0 && !c[0].Passed {
		t.Errorf("control %+v", c[0])
	}
}

// Copies of the examples of 60 people, whom scores tell apart without an error: each draw of one example of each has the least
// p-value there is, so twice the mean is twice that.
func TestAreaOfPeople(t *testing.T) {
	x := &folded{Sample: &Sample{}, people: 60}
	var score []float64
	var positive []bool
	for p := range 60 {
		for range 1 + p%3 {
			x.person, score, positive = append(x.person, p), append(score, float64(p)), append(positive, p >= 30)
		}
	}
	x.alike = [][]int{span(0, len(score))}
	x.Y = make([]int, len(score))
	if got := x.permuteArea(score, positive, 99, rand.New(rand.NewPCG(1, 1))); math.Abs(got.P-.02) > 1e-12 || got.Draws != 99*areaDraws {
		t.Errorf("%+v, want P = .02 of %d draws", got, 99*areaDraws)
	}
}

// Near-copies are found among few examples, too: 40 pairs. Chance is how often two random examples disagree.
func TestNearCopiesOfPairs(t *testing.T) {
	for jitter, want := range map[float64]bool{.001: true, 50: false} {
		s := persons{people: 40, most: 1, classes: 3, seed: 4}.sample()
		r := rand.New(rand.NewPCG(4, 4))
		for i := range 40 {
			for _, v := range s.Outputs[3*i : 3*i+3] {
				s.Outputs = append(s.Outputs, v+float32(jitter*r.NormFloat64()))
			}
			s.Y, s.Sensitive[0].Labels = append(s.Y, s.Y[i]), append(s.Sensitive[0].Labels, s.Sensitive[0].Labels[i])
		}
		s.Group = nil
		if got := s.nearCopies(0, 1); got != want {
			t.Errorf("copies that are off by %v: %t", jitter, got)
		}
	}
	few := persons{people: 48, most: 1, classes: 3, seed: 4}.sample() // too few for farther neighbours of each
	few.Group = nil
	for i := range 24 {
		copy(few.Outputs[3*(24+i):][:3], few.Outputs[3*i:][:3])
		few.Sensitive[0].Labels[24+i] = few.Sensitive[0].Labels[i]
	}
	if few.nearCopies(0, 1) {
		t.Error("near-copies show in 48 examples")
	}
	agree, chance := agreement(&Attribute{Values: []string{"a", "b"}, Labels: []int{0, 0, 1}})
	if math.Abs(chance-4./9) > 1e-12 || agree(0, 1) != 1 || agree(0, 2) != 0 {
		t.Errorf("one of three examples differs, and two of them disagree with probability %v", chance)
	}
	agree, chance = agreement(&Attribute{Numbers: []float64{1, 2, 3}})
	if chance != 1 || agree(0, 0) != 1 || agree(0, 2) != -1 {
		t.Errorf("numbers disagree by %v, and those that are two deviations apart agree by %v", chance, agree(0, 2))
	}
	s := &Sample{Kind: "raw", Classes: []string{"a", "b"}, Outputs: []float32{1, 7, 2, 7, 3, 7}, Y: make([]int, 3)}
	if got := s.spread(); !slices.Equal(got, []float32{-1, 0, 0, 0, 1, 0}) {
		t.Errorf("spread to %v", got)
	}
}

// Outputs with people are read back with the same people, whatever they are called, and the sum of the sample depends on them.
func TestPeopleAreKept(t *testing.T) {
	s := persons{people: 60, most: 3, classes: 2, seed: 3}.sample()
	path := filepath.Join(t.TempDir(), "outputs.npz")
	must.Do(t, s.write(nil, path))
	back := must.Get(OpenOutputs(t.Context(), path, OpenOptions{}))(t)
	if back.Sum() != s.Sum() || back.Group.Name != "person" {
		t.Error("the people are others")
	}
	alone := must.Get(OpenOutputs(t.Context(), path, OpenOptions{Group: dataset.NoGroup}))(t)
	if alone.Group != nil || alone.Sum() == s.Sum() {
		t.Error("the people are not left out")
	}
	var text strings.Builder
	text.WriteString("y,s1,score:0,score:1,who\n")
	for i, g := range s.Group.Labels {
		who := "p" + strconv.Itoa(g)
		if i == 5 {
			who = "NA"
		}
		fmt.Fprintf(&text, "%d,%s,%g,%g,%s\n", s.Y[i], s.Sensitive[0].Values[s.Sensitive[0].Labels[i]], s.Outputs[2*i], s.Outputs[2*i+1], who)
	}
	read := func(group string) (*Sample, error) {
		return ReadOutputs(t.Context(), "a.csv", []byte(text.String()), OpenOptions{Group: group})
	}
	from := must.Get(read("who"))(t)
	if _, n := from.people(); n != 60 || from.Len() != s.Len()-1 || !strings.Contains(strings.Join(from.Notes, " "), "1 of "+strconv.Itoa(s.Len())+" examples left out: they have no who") {
		t.Errorf("%d people of %d rows, %q", n, from.Len(), from.Notes)
	}
	must.Fail(t, must.Err(read("whom")), "has no column whom")
}

// R² of numbers of people is that of one example each, however many copies of it a person has, and so is its interval.
func TestRSquaredOfPeople(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 6))
	var truth, value, copied, guessed []float64
	x := &folded{Sample: &Sample{}, people: 200}
	for p := range 200 {
		s := r.NormFloat64()
		truth, value = append(truth, s), append(value, .5*s+.3*r.NormFloat64())
		for range 1 + p%5 {
			copied, guessed, x.person, x.Y = append(copied, s), append(guessed, value[p]), append(x.person, p), append(x.Y, 0)
		}
	}
	want, in := guessedNumbers(truth, value).in.rSquared(truth, value)
	if got, of := x.rSquared(copied, guessed); math.Abs(got-want) > 1e-12 || math.Abs(of[0]-in[0]) > 1e-12 || math.Abs(of[1]-in[1]) > 1e-12 {
		t.Errorf("R² %v in %v, want %v in %v", got, of, want, in)
	}
}

// Of 300 samples that show nothing of s, with people of one to eight examples that are more or less alike, at most 27 have a verdict
// above inconclusive, people known or not: at a level of 5 %, more come with a probability of .1 %. Leaks of five to ten points are found with 1,000
// people as they are in 1,000 examples of one person each.
func TestPeopleFalseAlarms(t *testing.T) {
	shared.Full(t, "640 audits, ten minutes")
	o := Options{Seed: 1, Attacks: []string{"logistic", "trees"}, Permutations: 999}
	above := func(s *Sample) int {
		v := must.Get((&Record{Sample: s}).Audit(t.Context(), o))(t).Verdict
		return int(one(v != Inconclusive && v != NoEvidence))
	}
	known, unknown := 0, 0
	for i := range 300 {
		s := persons{people: 120 + i%7*40, most: 8, classes: 2 + i%3, jitter: .05 * float64(i%5), seed: uint64(1000 + i)}.sample()
		known += above(s)
		s.Group = nil
		unknown += above(s)
	}
	t.Logf("of 300 without a leak: %d and, people unknown, %d", known, unknown)
	if known > 27 || unknown > 27 {
		t.Errorf("of 300 samples without a leak, %d show one with people, %d without", known, unknown)
	}
	people, examples := 0, 0
	for i := range 20 {
		p := persons{people: 1000, most: 8, classes: 3, jitter: .1, leak: .6 + .3*float64(i%2), seed: uint64(i)}
		people += above(p.sample())
		p.most, p.jitter = 1, 0
		s := p.sample()
		s.Group = nil
		examples += above(s)
	}
	t.Logf("of 20 leaks: %d of people, %d of examples", people, examples)
	if people < 19 || examples < 19 {
		t.Errorf("of 20 leaks, %d are found by people, and %d by examples", people, examples)
	}
}
