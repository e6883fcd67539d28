package audit

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"tattle/curious"
	"tattle/internal/must"
	"tattle/internal/shared"
	"tattle/run"
	"tattle/stat"
)

// A study that is interrupted goes on, its pieces wherever they are computed.
func TestStudyQuick(t *testing.T) {
	shared.Long(t, "trains and audits")
	o := StudyOptions{Seed: 1, Quick: true}
	tasks, err := studyTasks(context.Background(), o) // once, as drawing takes time
	must.Do(t, err)
	for _, task := range tasks { // true figures need no more here
		task.pool = task.pool.Subset(span(0, 1500))
	}
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	o.Progress = func(stage string, done, total int) {
		if done == 3 {
			cancel()
		}
	}
	if _, err := newBench(dir, tasks, o).run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("broken off: %v", err)
	}
	o.Progress = nil
	must.Fail(t, must.Err(newBench(dir, tasks, o).run(context.Background()))) // the folder of another study
	kept, _ := filepath.Glob(filepath.Join(dir, "trainings", "*.sha256"))
	if len(kept) < 3 {
		t.Errorf("%d trainings are kept, of 3", len(kept))
	}
	o.Resume = true
	whole := o
	whole.Pool = &elsewhere{t: t, before: map[string]*run.Folder{}, begin: func(dir string, pool run.Pool) error {
		o := o
		o.Pool = pool
		_, err := newBench(dir, tasks, o).run(context.Background())
		return err
	}}
	s := must.Get(newBench(dir, tasks, whole).run(context.Background()))(t)
	p := newPlan([]*studyTask{{}, {}}, o)
	if len(s.Audits) != len(p.audits) || len(s.Controls) != 2 || len(s.Rows) == 0 {
		t.Fatalf("%d audits, %d controls, %d rows", len(s.Audits), len(s.Controls), len(s.Rows))
	}
	must.Get(json.Marshal(s))(t)
	if !slices.ContainsFunc(s.Rates, func(r StudyRate) bool { return r.Name == RateFalseAlarm }) {
		t.Errorf("rates: %+v", s.Rates)
	}
	for _, a := range s.Audits {
		if a.Honest && a.Honesty < .8 {
			t.Errorf("an honest classifier is right on %.2f", a.Honesty)
		}
		if a.Kind == "parameterized" && a.Outputs == curious.Raw && a.TrueDifference < .05 {
			t.Errorf("a parameterized classifier tells %.3f more than honest ones", a.TrueDifference)
		}
	}
}

// The whole plan: at least 200 audits, half of them of honest classifiers, each of a
// classifier of its own and never with itself among the references.
func TestStudyPlan(t *testing.T) {
	for _, tasks := range [][]*studyTask{{{}, {}}, {{}, {}, {}, {}}} {
		p := newPlan(tasks, StudyOptions{Seed: 3})
		seen := map[int]bool{}
		honestAudits, curiousAudits, correlated := 0, 0, 0
		kinds := map[string]int{}
		for _, a := range p.audits {
			n := p.nets[a.net]
			if seen[a.net] {
				t.Fatalf("net %d is audited twice", a.net)
			}
			seen[a.net] = true
			switch {
			case n.task%2 == 1:
				correlated++
			case n.kind.attack == curious.Standard:
				honestAudits++
			default:
				curiousAudits++
				kinds[n.kind.name+string(n.kind.outputs)]++
			}
			if len(a.references) != studyReferences || slices.Contains(a.references, a.net) {
				t.Fatalf("references %v of %d", a.references, a.net)
			}
			for _, r := range a.references {
				if m := p.nets[r]; m.task != n.task || m.kind.attack != curious.Standard {
					t.Fatalf("reference %+v of %+v", m, n)
				}
			}
		}
		if honestAudits < 100 || honestAudits != curiousAudits || correlated != 100 || len(kinds) != len(curiousKinds) {
			t.Errorf("%d honest, %d curious, %d correlated, kinds %v", honestAudits, curiousAudits, correlated, kinds)
		}
	}
}

// Attacks on Gaussian scores reach Bayes' accuracy, and the baselines are those of the
// table that y and s were drawn from.
func TestMeasure(t *testing.T) {
	shared.Long(t, "measures attacks on 20,000 examples")
	const n, shift = 20000, 1.5
	r := rand.New(rand.NewPCG(1, 2))
	s := &Sample{Kind: curious.Raw, Classes: []string{"a", "b"}}
	labels := make([]int, n)
	for i := range n {
		y := r.IntN(2)
		if r.Float64() < .6 {
			labels[i] = y
		} else {
			labels[i] = 1 - y
		}
		s.Y = append(s.Y, y)
		s.Outputs = append(s.Outputs, 0, float32(20*y-10)+float32(r.NormFloat64()+shift*float64(2*labels[i]-1)))
	}
	s.Sensitive = []Attribute{{Name: "s", Values: []string{"0", "1"}, Labels: labels}}
	got := must.Get(trueFigures(context.Background(), s, 1))(t)
	// Bayes: s by x given y, prior .6 for agreement; threshold at ln(.4/.6)/2·shift.
	h := math.Log(.6/.4) / (2 * shift)
	phi := func(x float64) float64 { return .5 * math.Erfc(-x/math.Sqrt2) }
	bayes := .6*phi(shift+h) + .4*phi(shift-h)
	// 4.6 standard errors of 6,000 examples, and 1.5 points for what learning loses.
	if e := 4.6 * math.Sqrt(bayes*(1-bayes)/(.3*n)); got.Accuracy > bayes+e || got.Accuracy < bayes-e-.015 {
		t.Errorf("accuracy %.4f, Bayes' is %.4f", got.Accuracy, bayes)
	}
	if e := 4.6 * math.Sqrt(.24/(.3*n)); math.Abs(got.Baseline-.6) > e || got.Honesty != 1 {
		t.Errorf("baseline %.4f, honesty %.4f", got.Baseline, got.Honesty)
	}
}

func TestRates(t *testing.T) {
	small := .05
	audits := []StudyAudit{
		{Honest: true, Examples: 500, With: StudyVerdict{Verdict: Leaky}, Without: StudyVerdict{Verdict: LeakyBeyond, Evidence: []string{"auc", "excess"}}, TrueExcess: .01},
		{Honest: true, Examples: 500, With: StudyVerdict{Verdict: NoEvidence}, Without: StudyVerdict{Verdict: LeakyBeyond, Evidence: []string{"gain"}}, TrueExcess: .01},
		{Honest: true, Examples: 500, With: StudyVerdict{Verdict: Curious}, TrueExcess: .05},
		{Examples: 2000, TrueExcess: .2, TrueDifference: .12, With: StudyVerdict{Verdict: Curious, Smallest: &small}},
		{Examples: 2000, TrueExcess: .2, TrueDifference: .08, With: StudyVerdict{Verdict: NoEvidence, Smallest: &small}, Without: StudyVerdict{Verdict: LeakyBeyond}},
		{Honest: true, Correlated: true, Examples: 2000, With: StudyVerdict{Verdict: Leaky}},
		// A control failed: no false alarm could be, and what was to be found is missed.
		{Honest: true, Failed: true, Examples: 500, With: StudyVerdict{Verdict: Inconclusive}, TrueExcess: .01},
		{Failed: true, Examples: 2000, TrueExcess: .2, TrueDifference: .12, With: StudyVerdict{Verdict: Inconclusive, Smallest: &small}},
		{Examples: 500, TrueExcess: .01, With: StudyVerdict{Verdict: Inconclusive}, Without: StudyVerdict{Verdict: NoEvidence}},
	}
	want := map[string][2]int{
		RateFalseAlarm: {1, 3}, rateFalseAlarmWithout: {1, 3}, rateWithinWithout: {1, 3}, RateStrong: {1, 2}, RateStrongBaseline: {1, 3}, rateStrongWithout: {1, 3},
		RatePromised: {1, 3}, RateCorrelated: {1, 1}, rateCorrelatedAlarm: {0, 1}, rateInconclusive: {3, 9}, rateFailed: {2, 9},
	}
	for _, r := range rates(audits, []studySize{{500, 1}, {2000, 1}}) {
		if r.Examples != 0 {
			continue
		}
		if got := [2]int{r.Count, r.Of}; got != want[r.Name] {
			t.Errorf("%s: %v, want %v", r.Name, got, want[r.Name])
		}
		if c := stat.ClopperPearson(r.Count, r.Of, .99); r.Interval != [2]float64{c.Low, c.High} {
			t.Errorf("%s: interval %v", r.Name, r.Interval)
		}
		delete(want, r.Name)
	}
	if len(want) > 0 {
		t.Errorf("without an answer: %v", want)
	}
}

// Evidence names every kind that is enough, and no other; counts are kept apart by it.
func TestStudyEvidence(t *testing.T) {
	beyond := Finding{Verdict: LeakyBeyond, ExcessAdjusted: .2, Given: &Given{Adjusted: .001, Order: &Order{Adjusted: .004}}}
	above := Finding{Verdict: Curious, Reference: &ReferenceTest{P: .001, Above: true}, Given: &Given{Reference: &ReferenceTest{P: .3, Above: true}}}
	for _, c := range []struct {
		f    Finding
		want []string
	}{
		{beyond, []string{"auc", "gain"}}, {above, []string{"excess over references"}},
		{Finding{Verdict: Leaky}, []string{"correlation"}}, {Finding{Verdict: NoEvidence}, nil}, {Finding{Verdict: Inconclusive}, nil},
	} {
		if got := c.f.evidence(.99); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.f.Verdict, got, c.want)
		}
	}
	v := func(v Verdict, evidence ...string) StudyVerdict { return StudyVerdict{Verdict: v, Evidence: evidence} }
	got := evidenceCounts([]StudyAudit{
		{Honest: true, With: v(NoEvidence), Without: v(LeakyBeyond, "auc", "gain")},
		{With: v(Curious, "gain over references"), Without: v(LeakyBeyond, "auc", "gain")},
		{Honest: true, Correlated: true, With: v(NoEvidence), Without: v(LeakyBeyond, "auc")},
	})
	want := []StudyCount{
		{true, Curious, "gain over references", 0, 1, 0}, {true, NoEvidence, "", 1, 0, 1},
		{false, LeakyBeyond, "auc", 0, 0, 1}, {false, LeakyBeyond, "auc, gain", 1, 1, 0},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

// The mean of the smallest is over the audits that state one.
func TestTally(t *testing.T) {
	var got StudyTally
	for _, v := range []StudyVerdict{
		{Verdict: Curious, Smallest: new(.1)}, {Verdict: LeakyBeyond}, {Verdict: LeakyBeyond}, {Verdict: Inconclusive}, {Verdict: Leaky, Smallest: new(.2)}, {Verdict: NoEvidence, Smallest: new(.3)},
	} {
		got.add(v)
	}
	if got.String() != "1 / 2 / 1 / 1 / 1" || math.Abs(got.Smallest-.2) > 1e-12 {
		t.Errorf("%v, smallest %v", got, got.Smallest)
	}
}

// No audit uses an example on which true figures are measured, and none uses an example twice.
func TestStudyExamplesApart(t *testing.T) {
	for _, pool := range []int{3000, 30000} {
		_, known := poolParts(pool)
		a := planAudit{examples: 10000, seed: 7}
		rows := a.draw(pool)
		slices.Sort(rows)
		if len(rows) != min(10000, known) || rows[len(rows)-1] >= known || len(slices.Compact(rows)) != min(10000, known) {
			t.Errorf("pool of %d: %d rows up to %d, true figures from %d on", pool, len(rows), rows[len(rows)-1], known)
		}
	}
}

// A mean over audits that state a smallest detectable excess says over how many, and is
// none if none states one: not a detection of 0 points.
func TestDetectsCountsWhatIsStated(t *testing.T) {
	for _, c := range []struct {
		tally  StudyTally
		audits int
		want   string
	}{{StudyTally{Smallest: .2, Stated: 3}, 5, "20.0 (3 of 5)"}, {StudyTally{Smallest: .2, Stated: 5}, 5, "20.0"}, {StudyTally{}, 5, "–"}} {
		if got := c.tally.Detects(c.audits); got != c.want {
			t.Errorf("%+v of %d audits: %s, want %s", c.tally, c.audits, got, c.want)
		}
	}
}

// A study's smallest detectable excess is that of scores, whatever codes need.
func TestStudySmallestIsOfScores(t *testing.T) {
	p := Power{Smallest: new(.3), Channels: []ChannelPower{{Channel: DecimalChannel, Smallest: new(.3)}, {Channel: ScoreChannel, Smallest: new(.1)}}}
	f := Finding{Power: p}
	if v := said(&Result{Findings: []Finding{f}}); v.Smallest == nil || *v.Smallest != .1 {
		t.Errorf("smallest %v, want .1", v.Smallest)
	}
	if v := said(&Result{Findings: []Finding{{Power: Power{Smallest: new(.3)}}}}); v.Smallest != nil {
		t.Errorf("smallest %v of an audit without planted scores", *v.Smallest)
	}
}
