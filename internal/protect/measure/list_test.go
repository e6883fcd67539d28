package measure

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/must"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/release"
	"tattle/internal/shared"
)

// identity releases the inputs themselves.
type identity struct {
	nn.Model
	p int
}

func (m identity) Dims() (p, n int)           { return m.p, m.p }
func (m identity) Forward64(dst, x []float64) { copy(dst, x) }

// spread is a set of single numbers, n draws of the uniform distribution on −1 to 1.
func spread(n int, seed uint64) *dataset.Set {
	set := &dataset.Set{Shape: []int{1}, YName: "sign", YNames: []string{"below", "above"},
		Sensitive: []dataset.Attribute{{Name: "half", Values: []string{"in", "out"}}}}
	for i := range n {
		x := 2*(float64(i)+.5)/float64(n) - 1
		set.Values = append(set.Values, float32(x))
		set.Y = append(set.Y, b2i(x > 0))
		set.Sensitive[0].Labels = append(set.Sensitive[0].Labels, b2i(math.Abs(x) > .5))
	}
	return set
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// For a number uniform on −1 to 1 and little Gaussian noise, the Bayes error is nearly the
// noise's, σ² (edges apart): the limits hold it from both sides, and what is limited for
// adversaries without a list grows with the sample and stays below it.
func TestListFigures(t *testing.T) {
	shared.Long(t, "limits from lists")
	const sigma = .1
	noise := must.Get(release.NewGaussian(sigma))(t)
	set := spread(20000, 1)
	list := List{Name: "numbers", Set: set}
	target := Target{Front: identity{p: 1}, Noise: noise, Coordinates: bound.Pixels(1), Legal: bound.Domain{Low: []float64{-1}, High: []float64{1}}}
	found := must.Get(ListOptions{Candidates: &list, Sample: &list, Attributes: []string{"half"}, Seed: 1}.Run(context.Background(), target))(t)
	truth := sigma * sigma * (1 - .2*sigma) // about: less near the edges
	h := found.Holder
	if f := h.Floors[0].MeanSquare; f.Low > truth*1.01 || f.High < truth*.95 {
		t.Errorf("floor %v, the Bayes error is about %.4g", f, truth)
	}
	last := 0.
	for k, p := range found.Anybody { // of a hundredth of the sample, a tenth, and all
		if want := len(set.Y) / samplingSteps[k]; p.List.Inputs != want {
			t.Errorf("part %d of the sample has %d inputs, want %d", k, p.List.Inputs, want)
		}
		if a := p.Floors[0].Anybody; a < last || a > truth {
			t.Errorf("%d inputs: anybody errs by %.4g or more, after %.4g; the Bayes error is %.4g", p.List.Inputs, a, last, truth)
		} else {
			last = a
		}
	}
	if last < truth/3 {
		t.Errorf("anybody: at least %.4g of %.4g", last, truth)
	}
	// The entropy of the sum less that of the noise.
	bits := -math.Log2(sigma * math.Sqrt(2*math.Pi*math.E))
	const step = 1e-4
	for y := -2.; y < 2; y += step {
		f := (math.Erf((y+1)/sigma/math.Sqrt2) - math.Erf((y-1)/sigma/math.Sqrt2)) / 4
		if f > 0 {
			bits -= step * f * math.Log2(f)
		}
	}
	if h.Bits.Low > bits || h.Bits.High < bits || *h.BitsMost < bits {
		t.Errorf("bits %v, at most %.3f; they are %.3f", h.Bits, *h.BitsMost, bits)
	}
	// An error is likely within about σ of the two edges of "half": each σ/√(2π) of its
	// neighbourhood on either side.
	wrong := 2 * sigma * 2 / math.Sqrt(2*math.Pi) / 2
	in := h.Inferred[0]
	if in.Majority != .5 || in.Right.Low > 1-wrong || in.Right.High < 1-wrong {
		t.Errorf("half: majority %v, right %v; it is %.4f", in.Majority, in.Right, 1-wrong)
	}
	if in.AUC.Low > .995 || in.AUC.High < .97 || in.Given.Majority != .5 || in.Bits.High > 1 || in.Bits.Low < .6 {
		t.Errorf("half: %+v, AUC %v, given %+v", in, *in.AUC, *in.Given)
	}
	if a := found.Anybody[len(found.Anybody)-1].Inferred[0].Anybody; a < in.Right.Mean {
		t.Errorf("anybody is right in %.4f at most, and a list holder in %.4f", a, in.Right.Mean)
	}
}

// Of a label without noise all is known by counting.
func TestListOfLabels(t *testing.T) {
	set := spread(1000, 1)
	list := List{Name: "numbers", Set: set, Most: 500}
	target := Target{Front: twoScores{}, Noise: release.None{}, Label: true, Coordinates: bound.Pixels(1), Legal: bound.Domain{Low: []float64{-1}, High: []float64{1}}}
	found := must.Get(ListOptions{Candidates: &list, Seed: 1}.Run(context.Background(), target))(t)
	h := found.Holder
	if h.List.Inputs != 500 || h.List.Of != 1000 || h.BitsMost != nil {
		t.Errorf("%+v", h.List)
	}
	if math.Abs(h.First.Mean-2./500) > 1e-4 || math.Abs(h.Ten.Mean-20./500) > 1e-3 || math.Abs(h.Bits.Mean-1) > .02 {
		t.Errorf("named %v, among ten %v, bits %v", h.First, h.Ten, h.Bits)
	}
	if f := h.Floors[0].MeanSquare; f.Low > 1./12 || f.High < 1./12 {
		t.Errorf("floor %v, the variance of half the numbers is %.4f", f, 1./12)
	}
}

// TestLabelsOfEachRelease: attacks on labels read a label of each release, and not one of their mean.
func TestLabelsOfEachRelease(t *testing.T) {
	set := spread(100, 1)
	target := Target{Front: twoScores{}, Label: true, Queries: 4, Coordinates: bound.Pixels(1), Legal: bound.Domain{Low: []float64{-1}, High: []float64{1}}}
	target.Noise, _ = release.NewGaussian(1)
	l := newLists(ListOptions{Seed: 1}, target)
	y := must.Get(l.released(context.Background(), &List{Name: "numbers", Set: set}, nn.Indices(100), 1))(t)
	between := 0
	for i := 0; i < len(y); i += 2 {
		if y[i]+y[i+1] != 1 || 4*y[i] != math.Trunc(4*y[i]) {
			t.Fatalf("example %d: %v", i/2, y[i:i+2])
		}
		if y[i] > 0 && y[i] < 1 {
			between++
		}
	}
	if between < 30 { // about half of them are
		t.Errorf("the labels of %d examples differ", between)
	}
}

// twoScores gives the number and its negative.
type twoScores struct{ nn.Model }

func (twoScores) Dims() (p, n int) { return 1, 2 }
func (twoScores) Forward64(dst, x []float64) {
	for i, v := range x {
		dst[2*i], dst[2*i+1] = -v, v
	}
}

// Equal inputs are merged; a list of one input is refused; noise without a density and no
// noise at all are left out, with the reason.
func TestListsThatSayNothing(t *testing.T) {
	set := &dataset.Set{Shape: []int{1}, Values: []float32{1, 2, 1, 1}}
	target := Target{Front: identity{p: 1}, Coordinates: bound.Pixels(1), Legal: bound.Domain{Low: []float64{0}, High: []float64{2}}}
	target.Noise, _ = release.NewGaussian(1)
	found, err := ListOptions{Candidates: &List{Name: "list", Set: set}, Seed: 1}.Run(context.Background(), target)
	if err != nil || found.Holder.List.Inputs != 2 || found.Holder.List.Merged != 2 {
		t.Errorf("%+v, %v", found, err)
	}
	must.Fail(t, must.Err((ListOptions{Candidates: &List{Name: "list", Set: set.Subset([]int{0, 2})}}).Run(context.Background(), target))) // a list of one input
	target.Noise = release.None{}
	found, err = ListOptions{Candidates: &List{Name: "list", Set: set}}.Run(context.Background(), target)
	if err != nil || found.Holder != nil || len(found.LeftOut) != 1 {
		t.Errorf("%+v, %v", found, err)
	}
}

// Lists without two different inputs, attributes with one class, inputs without range and noise
// that is too small have no limits, or trivial ones.
func TestListsWithoutRange(t *testing.T) {
	equal := &dataset.Set{Shape: []int{1}, Values: slices.Repeat([]float32{1}, 200), Sensitive: []dataset.Attribute{{Name: "one", Values: []string{"a"}, Labels: make([]int, 200)}}}
	noise, _ := release.NewGaussian(1)
	target := Target{Front: identity{p: 1}, Noise: noise, Coordinates: bound.Pixels(1), Legal: bound.Domain{Low: []float64{1}, High: []float64{1}}}
	list := &List{Name: "list", Set: spread(100, 1)}
	found, err := ListOptions{Candidates: list, Sample: &List{Name: "equal", Set: equal}, Attributes: []string{"one"}, Draws: 100, SkipAttacks: true}.Run(context.Background(), target)
	must.Do(t, err)
	p := found.EverySample()
	if p.Floors[0].Anybody != 0 || p.Inferred[0].Anybody != 1 || p.Inferred[0].Bits.High != 0 {
		t.Errorf("equal inputs: %+v", p)
	}
	// The candidates are outside the range of the sample: limits for adversaries with the
	// list still hold on both sides.
	if f := found.Holder.Floors[0].MeanSquare; f.High < f.Mean || f.Low > f.Mean {
		t.Errorf("candidates beyond the range: floor %v", f)
	}
	target.Noise, _ = release.NewGaussian(1e-12)
	found, err = ListOptions{Candidates: list, Sample: list}.Run(context.Background(), target)
	if err != nil || found.Holder != nil || found.Anybody != nil || len(found.LeftOut) != 2 {
		t.Errorf("noise too small: %+v, %v", found, err)
	}
	for _, draws := range []int{-5, 1, leastDraws - 1} {
		if _, err := (ListOptions{Candidates: list, Draws: draws}).Run(context.Background(), target); err == nil {
			t.Errorf("%d draws are accepted", draws)
		}
	}
	target.Noise, target.Front, target.Label = release.None{}, twoScores{}, true
	var wrong *OptionError
	if err := (ListOptions{Candidates: list, Draws: 1 << 40}).Check(target); !errors.As(err, &wrong) || wrong.Option != "ListDraws" {
		t.Errorf("2^40 draws: %v", err)
	}
	if _, err = (ListOptions{Candidates: list, Draws: 1 << 40}).Run(context.Background(), target); !errors.As(err, &wrong) {
		t.Errorf("2^40 draws: %v", err)
	}
}

// Candidates that are all equal are an error if they were chosen, and are otherwise not used.
func TestEqualCandidates(t *testing.T) {
	equal := &dataset.Set{Shape: []int{1}, Values: slices.Repeat([]float32{1}, 200)}
	in := Inputs{Path: "data", Part: "test"}
	open := func(Inputs) (*dataset.Set, error) { return equal, nil }
	if o, err := in.Lists("", equal, "data", spread(200, 1), open); err != nil || o.Candidates != nil || o.Sample == nil {
		t.Errorf("by default: %+v, %v", o, err)
	}
	for _, choice := range []string{"all", "5", "path"} {
		if _, err := in.Lists(choice, equal, "data", spread(200, 1), open); err == nil {
			t.Errorf("%s: equal candidates are accepted", choice)
		}
	}
	// Of two different inputs, 99 of the first and one of the second, most draws of two are equal.
	nearly := &dataset.Set{Shape: []int{1}, Values: append(slices.Repeat([]float32{1}, 99), 2)}
	must.Fail(t, must.Err(in.Lists("2", nearly, "data", spread(200, 1), open))) // 2 candidates that are drawn equal
	if _, err := in.Lists("100", nearly, "data", spread(200, 1), open); err != nil {
		t.Errorf("100 candidates, one of them different: %v", err)
	}
	if o, err := in.Lists("", spread(200, 1), "data", spread(1, 1), open); err != nil || o.Candidates == nil || o.Sample != nil {
		t.Errorf("a sample of one input: %+v, %v", o, err)
	}
}

// Only floors and upper limits hold for values that are processed after the noise: of a
// noisy label, the best adversary with a list can identify at most as many inputs as there are
// labels.
func TestListsOfProcessedReleases(t *testing.T) {
	set := spread(400, 1)
	noise, _ := release.NewGaussian(1e-4)
	list := &List{Name: "numbers", Set: set}
	target := Target{Front: twoScores{}, Noise: noise, Label: true, Coordinates: bound.Pixels(1), Legal: bound.Domain{Low: []float64{-1}, High: []float64{1}}}
	found := must.Get(ListOptions{Candidates: list, Sample: list, Attributes: []string{"half"}, Seed: 1}.Run(context.Background(), target))(t)
	h := found.Holder
	if h.First.Low > 2./400 || h.First.High < 2./400 || h.Bits.Low > 1 || h.Rank.High < 200 {
		t.Errorf("a noisy label identifies %v, reveals %v bits, rank %v", h.First, h.Bits, h.Rank)
	}
	if f := h.Floors[0].MeanSquare; f.Low > 1./12 || f.High < 1./12 {
		t.Errorf("a noisy label: floor %v, want 1/12 within the limits", f)
	}
	if in := h.Inferred[0]; in.Right.Low > .51 || in.Bits.Low > 0 || in.AUC.Low > .5 || in.Given.Right.Low > .51 {
		t.Errorf("a noisy label: %+v", in)
	}
}

// Attacks on attributes leave out inputs that are candidates, and attributes whose values differ
// between the lists.
func TestAttacksOnAttributes(t *testing.T) {
	noise, _ := release.NewGaussian(.5)
	target := Target{Front: identity{p: 1}, Noise: noise, Coordinates: bound.Pixels(1), Legal: bound.Domain{Low: []float64{-1}, High: []float64{1}}}
	attacks := func(known, sample *dataset.Set) (*ListFigures, int) {
		found := must.Get(ListOptions{Candidates: &List{Name: "known", Set: known}, Sample: &List{Name: "sample", Set: sample}, Attributes: []string{"half"}, Draws: 100, Seed: 1}.Run(context.Background(), target))(t)
		n := 0
		for _, a := range found.EverySample().Inferred[0].Attacks {
			n = a.Right.Examples
		}
		return found, n
	}
	found, n := attacks(spread(500, 1), spread(400, 1))
	if n != 400 || len(found.LeftOut) > 0 {
		t.Errorf("other inputs: %d of 400 attacked, left out %q", n, found.LeftOut)
	}
	var names []string
	for _, a := range found.EverySample().Inferred[0].Attacks {
		names = append(names, a.Name)
	}
	if want := []string{"network", "threshold", "logistic", "trees", "lookup", "posterior"}; !slices.Equal(names, want) {
		t.Errorf("attacks %q, want %q", names, want)
	}
	third, unknown := spread(500, 1), spread(400, 1)
	for i := 0; i < 500; i += 5 {
		third.Sensitive[0].Labels[i] = 2
	}
	third.Sensitive[0].Values = []string{"in", "out", "far"}
	unknown.Sensitive[0].Values = third.Sensitive[0].Values
	if found, _ = attacks(third, unknown); len(found.EverySample().Inferred[0].Attacks) != len(names)-1 { // a threshold guesses two classes
		t.Errorf("attacks on three classes: %+v", found.EverySample().Inferred[0].Attacks)
	}
	same := spread(400, 1)
	if found, n := attacks(same, same); n != 0 || len(found.LeftOut) != 1 {
		t.Errorf("the same list: %d attacked, left out %q", n, found.LeftOut)
	}
	// 400 = 5·80: one number in five of the longer list is in the shorter one.
	if found, n := attacks(spread(80, 1), spread(400, 1)); n != 320 || len(found.LeftOut) != 1 {
		t.Errorf("80 candidates among 400 inputs: %d attacked, left out %q", n, found.LeftOut)
	}
	other := spread(500, 1)
	other.Sensitive[0].Values = []string{"out", "in"}
	if found, n := attacks(other, same); n != 0 || len(found.LeftOut) != 1 {
		t.Errorf("other values: %d attacked, left out %q", n, found.LeftOut)
	}
	other.Sensitive = nil
	if found, n := attacks(other, same); n != 0 || len(found.LeftOut) != 1 || len(found.Holder.Inferred) > 0 {
		t.Errorf("candidates without the attribute: %d attacked, left out %q, limits %+v", n, found.LeftOut, found.Holder.Inferred)
	}
}

// Who knows all that a release answers learns from it what is not in the answers: nothing about
// an attribute that follows from the answers together, much about it if only one of them is known.
func TestLimitsBeyondSeveralTasks(t *testing.T) {
	noise, _ := release.NewGaussian(.05)
	target := Target{Front: identity{p: 1}, Noise: noise, Coordinates: bound.Pixels(1), Legal: bound.Domain{Low: []float64{-1}, High: []float64{1}}}
	set := spread(400, 1)
	differ := dataset.Attribute{Name: "differ", Values: []string{"no", "yes"}}
	for i, y := range set.Y {
		differ.Labels = append(differ.Labels, y^set.Sensitive[0].Labels[i])
	}
	set.Sensitive = append(set.Sensitive, differ)
	limits := func(tasks ...string) map[string]*GivenLimit {
		list := &List{Name: "numbers", Set: set}
		found := must.Get(ListOptions{Candidates: list, Sample: list, Attributes: []string{"half", "differ"}, Tasks: tasks, Draws: 500, SkipAttacks: true, Seed: 1}.Run(context.Background(), target))(t)
		given := map[string]*GivenLimit{}
		for _, in := range found.Holder.Inferred {
			given[in.Name] = in.Given
		}
		return given
	}
	one, both, without := limits(), limits("half"), limits("town")
	if g := one["differ"]; g.Target != "sign" || g.Majority > .6 || g.Bits.Low < .5 {
		t.Errorf("beyond the sign: %+v", g)
	}
	if g := both["differ"]; g.Target != "sign and half" || g.Majority != 1 || g.Bits.High != 0 || both["half"] != nil {
		t.Errorf("beyond the sign and the half: %+v, of the half %+v", g, both["half"])
	}
	if without["differ"] != nil {
		t.Errorf("beyond an attribute that the list lacks: %+v", without["differ"])
	}
}
