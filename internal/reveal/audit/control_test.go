package audit

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/must"
	"tattle/internal/reveal/curious"
	"tattle/internal/shared"
)

// A quick audit's options.
var quickly = Options{Seed: 1, Attacks: []string{"logistic", "trees"}, Permutations: 999}

// telling returns n examples. Their second score is above 0 where y is 1, and s moves it by ±shift. The
// probability of s = 1 is share.
func telling(n int, share, shift float64, seed uint64) *Sample {
	r := rand.New(rand.NewPCG(seed, 9))
	s := &Sample{Name: "made", Kind: curious.Raw, Target: "y", Classes: []string{"a", "b"}}
	labels := make([]int, n)
	for i := range n {
		y := r.IntN(2)
		labels[i] = int(one(r.Float64() < share))
		s.Y = append(s.Y, y)
		s.Outputs = append(s.Outputs, 0, float32(20*y-10)+float32(r.NormFloat64()+shift*float64(2*labels[i]-1)))
	}
	s.Sensitive = []Attribute{{Name: "s", Values: []string{"0", "1"}, Labels: labels}}
	return s
}

// Shuffling keeps the number of examples with each pair of s and y, and nothing else.
func TestShuffledWithin(t *testing.T) {
	s := telling(3000, .5, 1, 1)
	s.Sensitive = append(s.Sensitive, Attribute{Name: "z", Numbers: make([]float64, s.Len())})
	for i, y := range s.Y {
		s.Sensitive[1].Numbers[i] = float64(10*i + y)
	}
	u := shuffledWithin(s, random(1, streamControl, 0))
	if !slices.Equal(u.Outputs, s.Outputs) || !slices.Equal(u.Y, s.Y) {
		t.Error("outputs or y are not as they were")
	}
	count := func(v *Sample) (c [2][2]int) {
		for i, y := range v.Y {
			c[y][v.Sensitive[0].Labels[i]]++
		}
		return c
	}
	if count(s) != count(u) {
		t.Errorf("counts %v became %v", count(s), count(u))
	}
	still := 0
	for i, v := range u.Sensitive[1].Numbers {
		if int(v)%10 != s.Y[i] {
			t.Fatalf("example %d has the number of another y", i)
		}
		if v == s.Sensitive[1].Numbers[i] {
			still++
		}
	}
	if still > 20 { // Poisson of mean 2
		t.Errorf("%d numbers stayed in place", still)
	}
	if s.Sensitive[1].Numbers[5] != float64(50+s.Y[5]) {
		t.Error("the sample itself was shuffled")
	}
}

// If s can be guessed, shuffled s cannot. The control fails for one of a thousand seeds, and there
// are two here.
func TestNegativeControl(t *testing.T) {
	for _, shift := range []float64{0, 1} {
		c := must.Get(negative(context.Background(), telling(1000, .5, shift, 2), quickly))(t)
		if !c.Passed || c.P < controlLevel || c.Examples != 1000 {
			t.Errorf("shift %v: %+v", shift, c)
		}
	}
}

// The negative control fails if a result says that shuffled labels were guessed.
func TestJudgeNegative(t *testing.T) {
	clean := Finding{Attribute: "a", Permutation: Permutation{P: .4}, Verdict: NoEvidence}
	told := Finding{Attribute: "b", Permutation: Permutation{P: .0001}, Verdict: Leaky, Excess: Excess{Value: .1}}
	rare := Finding{Attribute: "c", Permutation: Permutation{P: .002}, Verdict: NoEvidence}
	for _, c := range []struct {
		findings []*Finding
		passed   bool
		worst    float64
	}{
		{[]*Finding{&clean, &rare}, true, .004},
		{[]*Finding{&clean, &told}, false, .0002},
		{[]*Finding{&clean, {Attribute: "d", Permutation: Permutation{P: 1}, Verdict: LeakyBeyond}}, false, .8},
		{[]*Finding{{Attribute: "e", Unusable: "One class."}}, true, 1},
	} {
		got := judgeNegative(&Result{Findings: c.findings})
		if got.Passed != c.passed || got.P != c.worst {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// A planted sample is found. One that reveals nothing fails the control.
func TestPositiveControl(t *testing.T) {
	c := must.Get((&Trained{Sample: telling(1000, .5, 1, 3), TrueExcess: .34, Where: "here"}).Control(context.Background(), quickly))(t)
	if !c.Passed || *c.TrueExcess != .34 || *c.LearningLoss > .1 || c.Where != "here" {
		t.Errorf("%+v", c)
	}
	c = must.Get((&Trained{Sample: telling(1000, .5, 0, 3), TrueExcess: .34}).Control(context.Background(), quickly))(t)
	if c.Passed || *c.LearningLoss < .25 {
		t.Errorf("%+v", c)
	}
}

// On glyphs, whatever is audited, a model is planted that reveals as much as an audit must find,
// and an audit of 300 examples finds it.
func TestPlantGlyphs(t *testing.T) {
	shared.Long(t, "trains a net")
	for _, like := range []*Sample{
		{Kind: curious.Raw, Classes: []string{"a", "b"}},
		{Kind: curious.Soft, Classes: make([]string, 1000)},
	} {
		p := must.Get(plantIn(context.Background(), nil, like, 300, 0, curious.Options{Seed: 1}))(t)
		if p.TrueExcess < defaultBlind || p.Sample.Len() != 300 || p.Sample.Kind != like.Kind || len(p.Sample.Sensitive) != 1 || p.Note != "" {
			t.Errorf("%s: true excess %.3f, %d examples, %s", p.Where, p.TrueExcess, p.Sample.Len(), p.Sample.Kind)
		}
		if len(p.Sample.Classes) != min(len(like.Classes), 10) {
			t.Errorf("classes %q", p.Sample.Classes)
		}
		if c, err := p.Control(context.Background(), quickly); err != nil || !c.Passed {
			t.Errorf("%s, %s: %v, %+v", p.Where, like.Kind, err, c)
		}
	}
}

// tinyTask returns a task of rows of numbers: x₀ is y, x₁ is s.
func tinyTask(n int, seed uint64) *dataset.Set {
	r := rand.New(rand.NewPCG(seed, 7))
	set := &dataset.Set{Name: "tiny", Shape: []int{3}, YName: "y", YNames: []string{"no", "yes"}}
	labels := make([]int, n)
	for i := range n {
		y := r.IntN(2)
		labels[i] = r.IntN(2)
		set.Y = append(set.Y, y)
		for _, c := range []int{y, labels[i], 0} {
			set.Values = append(set.Values, float32(2*c-1)+float32(.5*r.NormFloat64()))
		}
	}
	set.Sensitive = []dataset.Attribute{{Name: "s", Values: []string{"0", "1"}, Labels: labels}}
	return set
}

func tinyNet(classes int, seed uint64) *nn.Graph { return zoo.Perceptron([]int{3}, 16)(classes, seed) }

// On the data given: a planted model reveals s, references do not, and differ by their seed.
func TestOwnTask(t *testing.T) {
	ctx := context.Background()
	p := &dataset.Parts{Train: tinyTask(1500, 1), Validation: tinyTask(300, 2), Test: tinyTask(400, 3)}
	planted := must.Get(plantIn(ctx, p, &Sample{Kind: curious.Raw, Classes: p.Train.YNames, Sensitive: []Attribute{{Name: "z", Numbers: []float64{1}}, {Name: "s"}}}, 250, 0, curious.Options{Seed: 1, Net: tinyNet, Epochs: 10}))(t)
	if planted.Where != "the audited task" || planted.TrueExcess < .2 || planted.Sample.Len() != 250 {
		t.Errorf("%s: true excess %.3f of %d, %s", planted.Where, planted.TrueExcess, planted.Sample.Len(), planted.Note)
	}
	o := curious.Options{Seed: 1, Epochs: 3, Net: tinyNet}
	var sums []string
	for _, k := range []int{0, 1, 0} {
		r, err := reference(ctx, p, k, curious.Soft, o)
		if err != nil || r.Sample.Check() != nil || r.Sample.Kind != curious.Soft {
			t.Fatalf("reference %d: %v, %+v", k, err, r)
		}
		sums = append(sums, r.Sample.Sum())
	}
	if sums[0] != sums[2] || sums[0] == sums[1] {
		t.Errorf("references 0, 1 and 0: %q", sums)
	}
}

// Data that do not fit are refused. If no model can be planted on the data, one is planted on
// glyphs, and a note says so.
func TestOtherTask(t *testing.T) {
	ctx := context.Background()
	p := &dataset.Parts{Train: tinyTask(200, 1), Validation: tinyTask(50, 2), Test: tinyTask(50, 3)}
	other := tinyTask(50, 4)
	other.YNames = []string{"cat", "dog"}
	with := func(train, test *dataset.Set) *dataset.Parts {
		return &dataset.Parts{Train: train, Validation: p.Validation, Test: test}
	}
	unnamed := tinyTask(50, 3)
	unnamed.Sensitive[0].Values = []string{"0", " 1"}
	for want, p := range map[string]*dataset.Parts{
		"same target": with(p.Train, other), "no test part": with(p.Train, nil),
		"cannot be written": with(p.Train, unnamed), "train: ": with(p.Train.Subset([]int{0}), p.Test),
	} {
		must.Fail(t, checkReference(p, curious.Raw, curious.Options{}), want)
	}
	must.Do(t, checkReference(p, curious.Raw, curious.Options{}))
	t.Run("planted elsewhere", func(t *testing.T) {
		shared.Long(t, "a model is planted on glyphs")
		planted := must.Get(plantIn(ctx, p, &Sample{Kind: curious.Raw, Classes: p.Train.YNames, Sensitive: []Attribute{{Name: "elsewhere"}}}, 100, 0, curious.Options{Seed: 1}))(t)
		if !strings.HasPrefix(planted.Where, "glyphs") || !strings.Contains(planted.Note, "is used instead") {
			t.Errorf("%q, %q", planted.Where, planted.Note)
		}
	})
}
