package measure

import (
	"context"
	"math"
	"slices"
	"strconv"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/release"
	"tattle/internal/report"

	"gonum.org/v1/gonum/stat/distuv"
)

// centres are people, evenly spaced, of whom every second one has one number and the others nine near-copies of theirs.
func centres(people int, spacing float64) *dataset.Set {
	set := &dataset.Set{Shape: []int{1}, Group: &dataset.Attribute{Name: "person"}, Sensitive: []dataset.Attribute{{Name: "side", Values: []string{"left", "right"}}}}
	for p := range people {
		set.Group.Values = append(set.Group.Values, "p"+strconv.Itoa(p))
		for k := range 1 + 8*(p%2) {
			set.Values = append(set.Values, float32(spacing*(float64(p)-float64(people-1)/2)+1e-4*float64(k)))
			set.Group.Labels = append(set.Group.Labels, p)
			set.Sensitive[0].Labels = append(set.Sensitive[0].Labels, b2i(2*p >= people))
		}
	}
	return set
}

// What a sample holds of people does not depend on how many inputs they have: all people are in it, or as many as
// there are places, each with no more inputs than another one who has them.
func TestSampleOfPeople(t *testing.T) {
	set := centres(40, 1) // with one input, or nine
	l := List{Set: set}
	for most, want := range map[int][2]int{-1: {20, 180}, 200: {20, 180}, 199: {20, 160}, 100: {20, 80}, 40: {20, 20}, 39: {}} {
		rows := l.sample(most, 5)
		in, people := PeopledOf(l.Set, rows), map[int]int{}
		for _, i := range rows {
			people[set.Group.Labels[i]]++
		}
		sums := [2]int{}
		for p, n := range people {
			sums[p%2] += n
		}
		if want != [2]int{} && sums != want || in.Count != min(40, max(most, -40*most)) || len(in.Indices) != sums[0]+sums[1] {
			t.Errorf("at most %d: %v inputs of %d people, want %v", most, sums, in.Count, want)
		}
		if few := in.first(10); in.People[few-1] != 9 || few < len(in.People) && in.People[few] != 10 {
			t.Errorf("at most %d: the first ten people are to %d", most, in.People[few-1])
		}
	}
	if seen := l.sample(40, 5); slices.Equal(seen, l.sample(40, 6)) {
		t.Error("the seed draws nothing")
	}
}

// Of people who are δ apart, with noise σ, each but the first and the last is named with probability 2Φ(δ/2σ) − 1, however
// many inputs each has; inputs are named less often. Figures of attributes and limits count people.
func TestListsOfPeople(t *testing.T) {
	const people, spacing, sigma = 40, .05, .02
	named := 2*distuv.UnitNormal.CDF(spacing/2/sigma) - 1
	mean := (people*named + 1 - named) / people // the first and the last have one neighbour
	set := centres(people, spacing)
	list := List{Name: "people", Set: set}
	target := Target{Front: identity{p: 1}, Noise: must.Get(release.NewGaussian(sigma))(t), Coordinates: bound.Pixels(1), Legal: bound.Domain{Low: []float64{-1}, High: []float64{1}}}
	o := ListOptions{Candidates: &list, Sample: &list, Attributes: []string{"side"}, Subjects: people, Than: []float64{.3}, Draws: 4000, Seed: 1}
	found := must.Get(o.Run(context.Background(), target))(t)
	h := found.Holder
	if h.Person == nil || h.List.People != people || h.Person.Low > mean || h.Person.High < mean || h.Person.High-h.Person.Low > .1 {
		t.Fatalf("person %+v, want %v", h.Person, mean)
	}
	if first := mean * (1 + 1./9) / 2; h.First.High < first || h.First.Low > mean*2/3 { // more, as the only input of a neighbour is a better guess than one of nine
		t.Errorf("input %+v, want above %v", h.First, first)
	}
	if side := h.Inferred[0]; math.Abs(side.Majority-.5) > 1e-9 {
		t.Errorf("without the release, half of the people are on either side: %v", side.Majority)
	}
	x := h.Exposed
	if x.People != people || len(x.Above) != len(exposedShares)+1 || len(x.Groups) != 2 || x.Groups[0].People != people/2 {
		t.Fatalf("exposure %+v", x)
	}
	for _, a := range x.Above {
		if want := b2i(a.Than <= .5); a.Share.Low > float64(want) || a.Share.High < float64(want) {
			t.Errorf("named in more than %v: %+v, want %d", a.Than, a.Share, want)
		}
	}
	if g := x.Groups[0]; g.Named.Low > mean || g.Named.High < mean {
		t.Errorf("left: %+v, want %v", g.Named, mean)
	}
	// What holds whatever the data is said of people, who are named more often than as many equally likely inputs could be.
	c := &account{Report: report.New("", "", 0), lists: found, q: &Request{Release: Release{Spec: release.Spec{ClipNorm: .001}}, Experiment: bound.Experiment{Noise: target.Noise}}}
	if c.worst(); c.Claim("worst.own", "").Value.High < 1./people {
		t.Errorf("whatever the data: %v", c.Claim("worst.own", "").Value)
	}
	p := found.EverySample() // 40 people limit nothing much, and 200 inputs would seem to
	if in := p.Inferred[0]; p.List.People != people || in.Anybody < 1-math.Log(1000)/people || in.AnybodyAUC == nil {
		t.Errorf("anybody %+v of %d people", in.GuessLimit, p.List.People)
	}
	if w := p.Weaker; w == nil || w.People != people-SetApart(people) || w.Rows < p.Floors[0].Anybody || w.Enough <= people {
		t.Errorf("counted by rows %+v, by people %v", w, p.Floors[0].Anybody)
	}
	if c := x.Compared; len(c) != 1 || c[0].Shown {
		t.Errorf("either side is as exposed as the other: %+v", c)
	}
	// Of an attribute that differs between the inputs of a person, nobody has a value.
	mixed := *set
	mixed.Sensitive = []dataset.Attribute{{Name: "side", Values: set.Sensitive[0].Values, Labels: slices.Clone(set.Sensitive[0].Labels)}}
	mixed.Sensitive[0].Labels[3]++
	few := ListOptions{Candidates: &List{Name: "people", Set: &mixed}, Attributes: []string{"side"}, Subjects: people, Draws: 100, Seed: 1}
	if found := must.Get(few.Run(context.Background(), target))(t); found.Holder.Exposed.Groups != nil || found.Holder.Exposed.Compared != nil || !slices.Contains(found.LeftOut, "exposure of people by side: some have several values of it") {
		t.Errorf("a person on both sides: %+v, left out %q", found.Holder.Exposed.Groups, found.LeftOut)
	}
	other := *set
	other.Values = append([]float32{}, set.Values...)
	other.Values[0], other.SHA256 = .9, "another"
	sample := List{Name: "the test part", Set: &other}
	o.Sample = &sample
	must.Fail(t, must.Err(o.Run(context.Background(), target)), "40 people are in people and in the test part")
	// New people at the places of the old ones share them with those, of whom one is missing.
	others := *set.Group
	others.Values = slices.Clone(others.Values)
	for i := range others.Values {
		others.Values[i] = "new " + others.Values[i]
	}
	other.Group, other.Values[0] = &others, set.Values[0]
	if hidden := must.Get(o.Run(context.Background(), target))(t).Hidden; hidden.List.People != people || hidden.First.Low > mean/2+.02 || hidden.First.High < mean/2 {
		t.Errorf("new people %+v, want %v", hidden, mean/2)
	}
}

// On a list of one person, or of nobody because each has more inputs than it takes, nobody is said to be named.
func TestListOfOnePerson(t *testing.T) {
	set := centres(2, 1) // of one input, and of nine
	target := Target{Front: identity{p: 1}, Noise: must.Get(release.NewGaussian(.5))(t), Coordinates: bound.Pixels(1), Legal: bound.Domain{Low: []float64{-1}, High: []float64{1}}}
	for _, rows := range [][]int{nn.Indices(10)[1:], {0}} {
		list := &List{Name: "the list", Set: set.Subset(rows), Most: len(rows)}
		found := must.Get(ListOptions{Candidates: list, Draws: 100, Seed: 1}.Run(t.Context(), target))(t)
		if found.Holder != nil || !slices.Equal(found.LeftOut, []string{"limits for adversaries with a list: it holds fewer than two people of the list"}) {
			t.Errorf("%d inputs of one person: %+v, left out %q", len(rows), found.Holder, found.LeftOut)
		}
	}
	_, err := Inputs{Seed: 1}.Lists("9", set, "", set, nil)
	must.Fail(t, err, "9: that is too few for two people of the training part with all their inputs")
}
