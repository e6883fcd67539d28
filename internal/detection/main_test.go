package main

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tattle/internal/must"
	"tattle/internal/reveal/audit"
	"tattle/internal/reveal/curious"
	"tattle/internal/shared"
)

// A quick study runs, and its honest classifiers are honest and its curious ones curious.
func TestQuick(t *testing.T) {
	shared.Long(t, "trains and audits")
	s := must.Get(measure(context.Background(), options{seed: 1, quick: true}))(t)
	for _, c := range s.audits {
		truth := c.net.truth[c.soft]
		if c.net.honest() && truth.honesty < .8 {
			t.Errorf("an honest classifier is right on %.2f", truth.honesty)
		}
		if c.net.kind.name == "parameterized" && !c.soft && c.overHonest < .05 {
			t.Errorf("a parameterized classifier reveals %.3f more than honest ones", c.overHonest)
		}
	}
	var b bytes.Buffer
	must.Do(t, s.write(&b))
	for _, want := range []string{"| false alarms: honest classifiers called curious | all | ", "| glyphs | parameterized | raw | 400 | 1 |", "## Controls"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the tables lack %q", want)
		}
	}
}

// At least 200 audits, half of them of honest classifiers, each of a
// classifier of its own and never with itself among the references.
func TestPlan(t *testing.T) {
	for _, tasks := range [][]*task{{{}, {correlated: true}}, {{}, {correlated: true}, {}, {correlated: true}}} {
		seen, counts := map[*net]bool{}, map[string]int{}
		for _, c := range newStudy(tasks, options{seed: 3}).audits {
			if seen[c.net] {
				t.Fatal("a net is audited twice")
			}
			seen[c.net] = true
			counts[map[bool]string{true: "correlated", false: c.net.kind.name}[c.net.task.correlated]]++
			if len(c.references) != audit.DefaultReferences || slices.Contains(c.references, c.net) {
				t.Fatal("wrong references")
			}
			for _, r := range c.references {
				if r.task != c.net.task || !r.honest() {
					t.Fatalf("reference %+v", r)
				}
			}
		}
		curious := 0
		for _, k := range []string{"parameterized", "parameterized, βx .4", "mixture, hard", "mixture, normal", "regularized", "regularized, βx .4"} {
			if counts[k] == 0 {
				t.Errorf("no %s", k)
			}
			curious += counts[k]
		}
		if counts["standard"] < 100 || curious != counts["standard"] || counts["correlated"] != 100 {
			t.Error(counts)
		}
	}
}

// Attacks on Gaussian scores reach Bayes' accuracy, and the baselines are those of the
// table that y and s were drawn from.
func TestTrueFigures(t *testing.T) {
	shared.Long(t, "measures attacks on 20,000 examples")
	const n, shift = 20000, 1.5
	r := rand.New(rand.NewPCG(1, 2))
	s := &audit.Sample{Kind: curious.Raw, Classes: []string{"a", "b"}}
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
	s.Sensitive = []audit.Attribute{{Name: "s", Values: []string{"0", "1"}, Labels: labels}}
	got := must.Get(trueFigures(context.Background(), s, 1))(t)
	// Bayes: s by x given y, prior .6 for agreement; threshold at ln(.4/.6)/2·shift.
	h := math.Log(.6/.4) / (2 * shift)
	phi := func(x float64) float64 { return .5 * math.Erfc(-x/math.Sqrt2) }
	bayes := .6*phi(shift+h) + .4*phi(shift-h)
	// 4.6 standard errors of 6,000 examples, and 1.5 points for what learning loses.
	if e := 4.6 * math.Sqrt(bayes*(1-bayes)/(.3*n)); got.accuracy > bayes+e || got.accuracy < bayes-e-.015 {
		t.Errorf("accuracy %.4f, Bayes' is %.4f", got.accuracy, bayes)
	}
	if e := 4.6 * math.Sqrt(.24/(.3*n)); math.Abs(got.baseline-.6) > e || got.honesty != 1 {
		t.Errorf("baseline %.4f, honesty %.4f", got.baseline, got.honesty)
	}
}

// No audit uses an example on which true figures are measured, and none uses an example twice.
func TestExamplesApart(t *testing.T) {
	for _, pool := range []int{3000, 30000} {
		_, known := poolParts(pool)
		rows := (&check{examples: 10000, seed: 7}).draw(pool)
		slices.Sort(rows)
		if len(rows) != min(10000, known) || rows[len(rows)-1] >= known || len(slices.Compact(rows)) != min(10000, known) {
			t.Errorf("pool of %d: %d rows up to %d, true figures from %d on", pool, len(rows), rows[len(rows)-1], known)
		}
	}
}

func TestRates(t *testing.T) {
	honest, honestCorrelated := kind{attack: curious.Standard}, &task{correlated: true}
	of := func(k kind, on *task, excess, over float64, failed bool, examples int, with, without verdict) *check {
		if on == nil {
			on = &task{}
		}
		return &check{net: &net{task: on, kind: k, truth: map[bool]truth{false: {accuracy: excess}}}, examples: examples, with: with, without: without, failed: failed, overHonest: over}
	}
	small, planted := new(.05), kind{attack: curious.Parameterized}
	audits := []*check{
		of(honest, nil, .01, 0, false, 500, verdict{Verdict: audit.Leaky}, verdict{Verdict: audit.LeakyBeyond, evidence: "auc, excess"}),
		of(honest, nil, .01, 0, false, 500, verdict{Verdict: audit.NoEvidence}, verdict{Verdict: audit.LeakyBeyond, evidence: "gain"}),
		of(honest, nil, .05, 0, false, 500, verdict{Verdict: audit.Curious}, verdict{}),
		of(planted, nil, .2, .12, false, 2000, verdict{Verdict: audit.Curious, smallest: small}, verdict{}),
		of(planted, nil, .2, .08, false, 2000, verdict{Verdict: audit.NoEvidence, smallest: small}, verdict{Verdict: audit.LeakyBeyond}),
		of(honest, honestCorrelated, 0, 0, false, 2000, verdict{Verdict: audit.Leaky}, verdict{}),
		// A control failed: no false alarm could be, and what was to be found is missed.
		of(honest, nil, .01, 0, true, 500, verdict{Verdict: audit.Inconclusive}, verdict{}),
		of(planted, nil, .2, .12, true, 2000, verdict{Verdict: audit.Inconclusive, smallest: small}, verdict{}),
		of(planted, nil, .01, 0, false, 500, verdict{Verdict: audit.Inconclusive}, verdict{Verdict: audit.NoEvidence}),
	}
	want := [][2]int{{1, 3}, {1, 3}, {1, 3}, {1, 2}, {1, 3}, {1, 3}, {1, 3}, {0, 0}, {1, 1}, {0, 1}, {3, 9}, {2, 9}}
	for i, q := range questions() {
		if r := q.rate(audits, 0); [2]int{r.count, r.of} != want[i] {
			t.Errorf("%s: %d of %d, want %v", q.name, r.count, r.of, want[i])
		}
	}
}

// Evidence names every kind that is enough, and no other.
func TestEvidence(t *testing.T) {
	beyond := audit.Finding{Verdict: audit.LeakyBeyond, ExcessAdjusted: .2, Given: &audit.Given{Adjusted: .001, Order: &audit.Order{Adjusted: .004}}}
	above := audit.Finding{Verdict: audit.Curious, Reference: &audit.ReferenceTest{P: .001, Above: true}, Given: &audit.Given{Reference: &audit.ReferenceTest{P: .3, Above: true}}}
	for _, c := range []struct {
		f    audit.Finding
		want []string
	}{
		{beyond, []string{"auc", "gain"}}, {above, []string{"excess over references"}},
		{audit.Finding{Verdict: audit.Leaky}, []string{"correlation"}}, {audit.Finding{Verdict: audit.NoEvidence}, nil}, {audit.Finding{Verdict: audit.Inconclusive}, nil},
	} {
		if got := evidence(&c.f, .99); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.f.Verdict, got, c.want)
		}
	}
}

// The mean of the smallest is over the audits that state one; a study's is that of scores, whatever
// codes need.
func TestTally(t *testing.T) {
	var got tally
	for _, v := range []verdict{{Verdict: audit.Curious, smallest: new(.1)}, {Verdict: audit.LeakyBeyond}, {Verdict: audit.LeakyBeyond}, {Verdict: audit.Inconclusive}, {Verdict: audit.Leaky, smallest: new(.3)}, {Verdict: audit.NoEvidence}} {
		got.add(v)
	}
	if got.String() != "1 / 2 / 1 / 1 / 1" || got.detects(6) != "20.0 (2 of 6)" || got.detects(2) != "20.0" || new(tally).detects(3) != "–" {
		t.Errorf("%v, detects %s", &got, got.detects(6))
	}
	f := audit.Finding{Power: audit.Power{Smallest: new(.3), Channels: []audit.ChannelPower{{Channel: audit.DecimalChannel, Smallest: new(.3)}, {Channel: audit.ScoreChannel, Smallest: new(.1)}}}}
	if v := said(&audit.Result{Findings: []*audit.Finding{&f}}); v.smallest == nil || *v.smallest != .1 {
		t.Errorf("smallest %v, want .1", v.smallest)
	}
}
