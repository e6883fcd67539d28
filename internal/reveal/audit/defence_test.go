package audit

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tattle/internal/engine/classify"
	"tattle/internal/must"
	"tattle/internal/shared"
)

// namely returns the change of that name.
func namely(t *testing.T, s *Sample, name string) *Sample {
	t.Helper()
	for _, c := range changes(s, 1) {
		if c.name == name {
			return c.apply()
		}
	}
	t.Fatalf("no defence is called %q", name)
	return nil
}

// answered returns the labels that scores answer.
func answered(s *Sample) []int { return classify.Guesses(s.Outputs, len(s.Classes)) }

// Defences that are monotone keep every label, and all release what a Sample may hold.
func TestDefencesKeepTheLabel(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 14))
	raw := randomSample(r, 300, 5, 3, 0)
	for _, s := range []*Sample{raw, softened(raw, 1), softened(raw, .05)} { // the last saturates
		hard := answered(s)
		for _, c := range changes(s, 1) {
			d := c.apply()
			if err := d.Check(); err != nil {
				t.Errorf("%s of %s: %v", c.name, s.Kind, err)
			}
			kept := slices.Equal(answered(d), hard)
			if lossy := strings.Contains(c.name, "rounded") || strings.Contains(c.name, "noise"); !kept && !lossy {
				t.Errorf("%s of %s changes labels", c.name, s.Kind)
			}
			if s.Len() != d.Len() || !reflect.DeepEqual(d.Sensitive, s.Sensitive) {
				t.Errorf("%s of %s changes examples", c.name, s.Kind)
			}
		}
	}
	if s := raw.Outputs; slices.Equal(s, namely(t, raw, "noise of 1 standard deviation").Outputs) || !slices.Equal(s, namely(t, raw, NoDefence).Outputs) {
		t.Error("the outputs were changed in place, or not at all")
	}
}

func TestRounded(t *testing.T) {
	s := &Sample{Kind: "raw", Classes: []string{"a", "b"}, Y: []int{0, 1, 1}, Outputs: []float32{1.04, 1.06, .449, .451, -3.25, 0}}
	if got, want := rounded(s, 1).Outputs, []float32{1, 1.1, .4, .5, -3.2, 0}; !slices.Equal(got, want) {
		t.Errorf("scores %v, want %v", got, want)
	}
	soft := &Sample{Kind: "soft", Classes: []string{"a", "b", "c"}, Y: []int{1, 2}, Outputs: []float32{.33, .34, .33, .04, .03, .93}}
	got := rounded(soft, 1)
	if want := []float32{.3, .3, .3, 0, 0, .9}; !slices.Equal(got.Outputs, want) {
		t.Errorf("probabilities %v, want %v", got.Outputs, want)
	}
	if h := answered(got); h[0] != 0 || h[1] != 2 { // the tie's first class: the label is lost
		t.Errorf("labels %v", h)
	}
	even := &Sample{Kind: "soft", Classes: make([]string, 40), Y: []int{0}, Outputs: slices.Repeat([]float32{.025}, 40)}
	even.Sensitive = []Attribute{{Name: "s", Values: []string{"a"}, Labels: []int{0}}}
	got = rounded(even, 1)
	if got.Outputs[0] = .9; got.Check() != nil || got.Outputs[1] != 0 {
		t.Errorf("a row of which little is left: %v, %v", got.Outputs, got.Check())
	}
}

// What is left out of a top-k row follows from what is kept.
func TestTop(t *testing.T) {
	s := &Sample{Kind: "soft", Classes: make([]string, 5), Y: []int{0}, Outputs: []float32{.1, .4, .3, .15, .05}}
	if got, want := top(s, 1).Outputs, []float32{.15, .4, .15, .15, .15}; !nearly(got, want) {
		t.Errorf("top 1: %v, want %v", got, want)
	}
	if got, want := top(s, 3).Outputs, []float32{.075, .4, .3, .15, .075}; !nearly(got, want) {
		t.Errorf("top 3: %v, want %v", got, want)
	}
	for _, c := range changes(&Sample{Kind: "soft", Classes: make([]string, 2)}, 1) {
		if strings.HasPrefix(c.name, "top") {
			t.Errorf("%s of two classes is no defence", c.name)
		}
	}
}

func nearly(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Abs(float64(x-y)) < 1e-6 })
}

// Temperatures of scores and of the probabilities they make are the same, and the noise
// has the spread it names: 6 standard errors.
func TestSoftenedAndNoisy(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 15))
	s := randomSample(r, 400, 4, 2, 0)
	if a, b := softened(s, 2), softened(softened(s, 1), 2); !slices.EqualFunc(a.Outputs, b.Outputs, func(x, y float32) bool { return math.Abs(float64(x-y)) < 1e-5 }) {
		t.Error("the temperature of probabilities is not that of their scores")
	}
	noise, sum := namely(t, s, "noise of 0.3 standard deviations"), 0.0
	sd := .3 * spreadWithin(s.Outputs, 4, s.Y)
	for i, v := range noise.Outputs {
		d := float64(v-s.Outputs[i]) / sd
		sum += d * d
	}
	if n := float64(len(noise.Outputs)); math.Abs(sum/n-1) > 6*math.Sqrt(2/n) {
		t.Errorf("the noise's variance is %v times what it should be", sum/n)
	}
	if math.Abs(sd/.3-1) > .1 { // the scores' own is 1 within y: 1,600 of them, 5 standard errors
		t.Errorf("spread within y %v", sd/.3)
	}
}

func TestRecommend(t *testing.T) {
	tried := func(name string, correct int, highs ...float64) Defence {
		d := Defence{Name: name, Honesty: classify.ProportionOf(correct, 100), right: make([]float64, 100)}
		for i := range correct {
			d.right[i] = 1
		}
		for _, h := range highs {
			d.Left = append(d.Left, &Finding{Excess: Excess{High: h / 2, highOfAll: h}})
		}
		return d
	}
	ranked := func(d Defence, adjusted, area float64) Defence { // scores of a rare value, which the excess does not see
		d.Left[0].Given = &Given{Adjusted: 1, Order: &Order{Adjusted: adjusted, Area: area, StandardError: .02, Margin: .52}}
		return d
	}
	telling := func(d Defence) Defence { return ranked(d, .001, .8) }
	for _, c := range []struct {
		list []Defence
		says Recommendation
	}{
		{[]Defence{telling(tried(NoDefence, 90, .01)), ranked(tried("rounded", 90, .01), .3, .55), ranked(tried("noise", 85, .01), 1, .46), tried(LabelOnly, 80, 0)}, Recommendation{Choice: ChooseDefence, Defence: "noise"}},
		{[]Defence{telling(tried(NoDefence, 90, .01)), ranked(tried("rounded", 90, .01), .3, .55), ranked(tried(LabelOnly, 80, 0), 1, .5)}, Recommendation{Choice: ChooseDefence, Defence: LabelOnly}},
		{[]Defence{telling(tried(NoDefence, 90, .01)), ranked(tried("rounded", 90, .01), .3, .55), tried(LabelOnly, 80, .03)}, Recommendation{Choice: ChooseLabel}},
		{[]Defence{tried(NoDefence, 90, .01), tried("soft", 90, 0), tried(LabelOnly, 90, 0)}, Recommendation{Choice: ChooseNone}},
		{[]Defence{telling(tried(NoDefence, 90, .01)), telling(tried("soft", 90, .01)), tried("noise", 85, .01), tried(LabelOnly, 80, 0)}, Recommendation{Choice: ChooseDefence, Defence: "noise"}},
		{[]Defence{tried(NoDefence, 90, .5), tried("soft", 90, .3), tried("top 1", 88, .01), tried(LabelOnly, 88, 0)}, Recommendation{Choice: ChooseDefence, Defence: "top 1"}},
		{[]Defence{tried(NoDefence, 90, .5, 0), tried("soft", 90, .01, .3), tried("noise", 80, .01, .01), tried(LabelOnly, 90, 0, 0)}, Recommendation{Choice: ChooseDefence, Defence: LabelOnly}},
		{[]Defence{tried(NoDefence, 90, .5), tried("soft", 90, .4), tried(LabelOnly, 90, .05)}, Recommendation{Choice: ChooseLabel}},
		{[]Defence{tried(NoDefence, 90, .5), tried("soft", 90, .03), tried(LabelOnly, 90, .05)}, Recommendation{Choice: ChooseLabel, Defence: "soft"}},
		{[]Defence{tried(NoDefence, 90)}, Recommendation{Choice: ChooseUntried}},
		{[]Defence{tried(NoDefence, 90, .5), tried("rounded", 89, .01), tried("noise", 91, .01), tried(LabelOnly, 91, 0)}, Recommendation{Choice: ChooseDefence, Defence: "rounded"}},
		{[]Defence{tried(NoDefence, 90, .5), tried("rounded", 80, .01), tried("noise", 91, .01), tried(LabelOnly, 91, 0)}, Recommendation{Choice: ChooseDefence, Defence: "noise"}},
		{[]Defence{tried(NoDefence, 90, .5), tried("rounded", 89, .5), tried("top 1", 80, .01), tried("noise", 89, .01), tried(LabelOnly, 91, 0)}, Recommendation{Choice: ChooseDefence, Defence: "noise"}},
	} {
		r := &Result{Defences: c.list, Verdict: Leaky, Settings: settingsOf(.95, .02)}
		if says := r.recommend(); says != c.says {
			t.Errorf("recommended %+v, want %+v", says, c.says)
		}
	}
	// A defence is shown to be less honest by people: 3 of 100 with half of their labels wrong show nothing, 6 % of everybody's do.
	rare, common := make([]float64, 100), make([]float64, 100)
	for i := range common {
		rare[i], common[i] = one(i >= 3)/2+.5, .94
	}
	if always := slices.Repeat([]float64{1}, 100); (&Defence{right: rare}).lessHonest(&Defence{right: always}, .95) || !(&Defence{right: common}).lessHonest(&Defence{right: always}, .95) {
		t.Error("people are counted as examples")
	}
	// Nothing is recommended where nothing is decided, nor no defence where there is a leak.
	for _, v := range []Verdict{Inconclusive, LeakyBeyond} {
		r := &Result{Defences: []Defence{tried(NoDefence, 90, .01), tried(LabelOnly, 90, 0)}, Verdict: v, Settings: settingsOf(.95, .02)}
		if says := r.recommend(); says != (Recommendation{}) {
			t.Errorf("%s: %+v", v, says)
		}
	}
	// What the whole audit shows by scores must be closed, though the quicker attacks do not see it.
	r := &Result{Defences: []Defence{ranked(tried(NoDefence, 90, .5), .3, .53), ranked(tried("rounded", 90, .01), .4, .52), ranked(tried(LabelOnly, 90, 0), 1, .4)},
		Findings: []*Finding{{Attribute: "s", Given: &Given{Adjusted: .01}}}, Verdict: LeakyBeyond, Settings: settingsOf(.95, .02)}
	for i := range r.Defences {
		r.Defences[i].Left[0].Attribute = "s"
	}
	if says := r.recommend(); says != (Recommendation{Choice: ChooseDefence, Defence: LabelOnly}) {
		t.Errorf("a defence that may leave what the audit shows: %+v", says)
	}
}

// Scores that hold s in the order of what is not the label: soft outputs keep the leak,
// the label alone does not.
func TestDefend(t *testing.T) {
	shared.Long(t, "fits attacks to every defence")
	r := rand.New(rand.NewPCG(16, 16))
	s := randomSample(r, 400, 4, 2, 0)
	s.Sensitive = s.Sensitive[:1]
	for i, y := range s.Y {
		s.Outputs[i*4+y] += 8
		s.Outputs[i*4+(y+1)%4] += 4 * float32(s.Sensitive[0].Labels[i])
	}
	o := Options{Seed: 3, Attacks: []string{"logistic", "network"}}
	list := must.Get(defend(context.Background(), s, o))(t)
	by := map[string]Defence{}
	for _, d := range list {
		by[d.Name] = d
	}
	if e := by[NoDefence].Left[0].Excess; e.Low < .2 {
		t.Errorf("without defence the excess is %+v", e)
	}
	// By the label alone nothing is known: the excess is 0 but for what is learned by
	// chance. Its lower limit exceeds 0 with probability 1e-5 at most, once a standard
	// error of 4.3 deviations is taken from the value.
	if e := by[LabelOnly].Left[0].Excess; by[LabelOnly].Honesty != by[NoDefence].Honesty || e.Value > 4.3*math.Sqrt(.5/400) {
		t.Errorf("%+v", by[LabelOnly])
	}
	if list[len(list)-1].Name != LabelOnly || list[0].Name != NoDefence {
		t.Errorf("%d defences", len(list))
	}
	again, err := defend(context.Background(), s, o)
	if err != nil || !reflect.DeepEqual(list, again) {
		t.Errorf("again: %v, equal %v", err, reflect.DeepEqual(list, again))
	}
}
