package audit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"tattle/internal/engine/classify"
	"tattle/internal/math/stat"
)

const (
	// defenceExamples is the largest number of examples on which defences are tried.
	// The standard error of an excess is then below a point, and for each defence every
	// attack is fitted again.
	defenceExamples = 5000
	// defenceFolds is the number of folds when attacks are fitted to a defence. Each further
	// fold costs one more fit of every attack, for every defence. A sample of plantedExamples has two folds instead, of
	// defenceFit examples, as many as each attack is fitted on in three.
	defenceFolds = 3
	defenceFit   = defenceExamples * (defenceFolds - 1) / defenceFolds
)

// NoDefence and LabelOnly are the names of the first and the last defence that is tried.
const (
	NoDefence = "none"
	LabelOnly = "label only"
)

// Defence is a change of what is released, the honesty it keeps and the curiosity
// that attacks fitted to it still reach.
type Defence struct {
	Name    string
	Honesty classify.Proportion
	Left    []*Finding // by attribute
	Note    string

	right []float64 // [person], the share of their examples whose released label is right
}

// defend tries defences, which change what is released. Each has the honesty that it keeps, and the excess that attacks still reach when they are
// fitted to what it releases. The attacks are defenceAttacks, and tables for the label alone. It returns an error when ctx ends.
func defend(ctx context.Context, s *Sample, o Options) ([]Defence, error) {
	o = o.withDefaults()
	most := defenceExamples
	if o.Folds, o.Attacks = defenceFolds, defenceAttacks(o.Attacks); s.Len() >= plantedExamples {
		o.Folds, most = 2, 2*defenceFit
	}
	tried := changes(s.some(most, random(o.Seed, streamDefence, 0)), o.Seed) // in parallel: the fits for one do not use all cores
	list, done := make([]Defence, len(tried)), o.counter("defences", len(tried))
	return list, inParallel(len(tried), func(i int) (err error) {
		defer done()
		if list[i], err = try(ctx, tried[i], len(tried), o); err != nil {
			return fmt.Errorf("audit: defence %s: %w", tried[i].name, err)
		}
		return nil
	})
}

// defenceAttacks returns the quick attacks among those that the options name, and all quick
// ones if they name none.
func defenceAttacks(asked []string) []string {
	quick := []string{classify.Logistic{}.Name(), classify.Trees{}.Name(), classify.Threshold{}.Name(), classify.Lookup{}.Name()}
	both := slices.DeleteFunc(slices.Clone(quick), func(name string) bool { return !slices.Contains(asked, name) })
	if len(both) == 0 {
		return quick
	}
	return both
}

// try attacks the outputs of one of several defences.
func try(ctx context.Context, c change, of int, o Options) (Defence, error) {
	if c.name == LabelOnly { // of which a table says all
		o.Attacks = []string{classify.Lookup{}.Name()}
	}
	x, list, err := measured(ctx, c.apply(), o, nil)
	if err != nil {
		return Defence{}, err
	}
	honesty, _ := x.accuracy(x.label, x.Y, random(o.Seed, streamPeople, 1<<17+uint64(of)))
	d := Defence{Name: c.name, Note: c.note, Honesty: *honesty}
	right := make([]float64, x.Len())
	for i, l := range x.label {
		right[i] = one(l == x.Y[i])
	}
	d.right = x.byPerson(right)
	for a, g := range x.guesses {
		if g == nil {
			continue
		}
		f := list[a]
		f.Given.permute(g, o)
		q := stat.Holm([]float64{f.Given.beyond(), f.order().beyond()}) // its own two tests alone
		if f.Given.Adjusted = q[0]; f.order() != nil {
			f.order().Adjusted = q[1]
		}
		f.Excess.highOfAll = f.high((1 - o.Confidence) / float64(of))
		d.Left = append(d.Left, f)
	}
	return d, nil
}

// recommend says which defence to release. Candidates leave every attribute an excess whose
// upper limit is at most the margin. Gain and AUC react to rare values: where one of them shows a leak,
// the upper limits of both are at most their margins, too; elsewhere they are not shown to be above them.
// Among the candidates it is the least change, the first in the list, of those that are not shown to
// be right less often than the most honest one: a few right labels more or less are chance. The
// limits hold for all defences together: if many defences are tried on the same examples, the best one
// may look good by chance. If there is no candidate, the recommendation is to release the label only, or
// nothing; a defence that would be a candidate by itself is then named as worth another try. There is
// none where nothing is decided, or where only slower attacks find the leak.
func (r *Result) recommend() Recommendation {
	list, margin, alpha := r.Defences, *r.Settings.Margin, 1-r.Settings.Confidence
	if r.Verdict == Inconclusive || len(list) == 0 {
		return Recommendation{}
	}
	if len(list[0].Left) == 0 {
		return Recommendation{Choice: ChooseUntried}
	}
	shown := r.shownByScores(alpha)
	closes := func(alpha float64, high func(*Finding) float64) func(*Finding) bool {
		return func(l *Finding) bool {
			return high(l) <= margin && !l.reveals(1-r.Settings.Confidence) && !(shown[l.Attribute] && l.mayReveal(alpha))
		}
	}
	together := closes(alpha/float64(len(list)), func(l *Finding) float64 { return l.Excess.highOfAll })
	alone := closes(alpha, func(l *Finding) float64 { return l.Excess.High })
	best := leastChange(list, together, r.Settings.Confidence)
	switch {
	case list[0].leaves(together) && r.Verdict.ExceedsTarget():
		return Recommendation{}
	case list[0].leaves(together):
		return Recommendation{Choice: ChooseNone}
	case best >= 0:
		return Recommendation{Choice: ChooseDefence, Defence: list[best].Name}
	}
	x := Recommendation{Choice: ChooseLabel}
	if i := leastChange(list[1:], alone, r.Settings.Confidence); i >= 0 && list[i+1].Name != LabelOnly {
		x.Defence = list[i+1].Name
	}
	return x
}

// Recommendation says what to release.
type Recommendation struct {
	Choice  Choice // "" recommends nothing
	Defence string // of ChooseDefence; of ChooseLabel one that would be enough if it had been tried alone
}

// Choice is what is recommended.
type Choice string

// The choices.
const (
	ChooseNone    Choice = "no defence is needed"
	ChooseDefence Choice = "a defence"
	ChooseLabel   Choice = "the label only, or nothing"
	ChooseUntried Choice = "no attribute could be attacked"
)

// shownByScores returns the attributes whose leak is shown by gain or AUC: in the whole audit, or by
// the attacks on defences when nothing is changed.
func (r *Result) shownByScores(alpha float64) map[string]bool {
	shown := map[string]bool{}
	for _, f := range slices.Concat(r.Findings, r.Defences[0].Left) {
		shown[f.Attribute] = shown[f.Attribute] || f.reveals(alpha)
	}
	return shown
}

// leastChange returns the index of the first defence that leaves enough of every attribute and is
// not shown to be less honest than the most honest of these; −1 if there is none.
func leastChange(list []Defence, enough func(*Finding) bool, confidence float64) int {
	best := -1
	for i := range list {
		if list[i].leaves(enough) && (best < 0 || list[i].Honesty.Value > list[best].Honesty.Value) {
			best = i
		}
	}
	for i := range max(0, best) {
		if list[i].leaves(enough) && !list[i].lessHonest(&list[best], confidence) {
			return i
		}
	}
	return best
}

// lessHonest reports whether d is shown to be right less often than e on the same examples. Where people have several, it
// compares the shares of their right labels.
func (d *Defence) lessHonest(e *Defence, confidence float64) bool {
	onlyD, onlyE, several, more := 0, 0, false, make([]float64, len(d.right))
	for i, right := range d.right {
		more[i] = e.right[i] - right
		several = several || right != math.Trunc(right) || e.right[i] != math.Trunc(e.right[i])
		onlyD, onlyE = onlyD+int(one(more[i] == -1)), onlyE+int(one(more[i] == 1))
	}
	if several {
		return stat.NewPeopleMean(more, -1, random(0, streamPeople, 1<<18)).Limits((1+confidence)/2).Low > 0
	}
	return stat.PairedDifference(onlyE, onlyD, len(d.right), confidence).Low > 0
}

// leaves reports whether what is left of every attribute is enough, and there is any.
func (d *Defence) leaves(enough func(*Finding) bool) bool {
	for _, l := range d.Left {
		left := *l
		if d.Name == LabelOnly {
			left.Given = nil // the label reveals nothing to somebody who knows it
		}
		if !enough(&left) {
			return false
		}
	}
	return len(d.Left) > 0
}

// reveals reports whether the gain or the AUC given y and the label is shown to be above its
// margin.
func (l *Finding) reveals(alpha float64) bool {
	return l.Given != nil && (l.Given.Adjusted <= alpha || l.Given.Order != nil && l.Given.Order.Adjusted <= alpha)
}

// mayReveal reports whether the upper limit of the gain or of an AUC given y and the label, each exceeded
// with probability alpha at most, is above its margin.
func (l *Finding) mayReveal(alpha float64) bool {
	g, z := l.Given, distuv.UnitNormal.Quantile(1-alpha)
	if g == nil {
		return false
	}
	above := func(t Order) bool { return t.Area+z*t.StandardError > t.Margin }
	return g.Mean+z*g.StandardError > g.Margin || g.Order != nil && (above(*g.Order) || slices.ContainsFunc(g.Order.all, above))
}
