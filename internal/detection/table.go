package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"tattle/internal/math/stat"
	"tattle/internal/reveal/audit"
)

// strong is the true excess that an audit of 2,000 examples must not miss.
const strong = .10

// confidence is that of the study's own intervals.
const confidence = .99

// A question asks how many of some audits were called something. With references a classifier is
// detected if the verdict is curious, without them if it is leaky beyond the target, never if the
// audit is inconclusive. A false alarm is that of an honest one, among the audits whose controls
// passed. Without references it is one by the excess: the true gain and AUC of honest classifiers
// are not known.
type question struct {
	name           string
	among, counted func(c *check) bool
	wanted         string            // of the rate; empty if nothing is wanted
	met            func(r rate) bool // nil if nothing is wanted
}

// rate is the answer for audits of one size, or for all (0), with the interval of Clopper and
// Pearson, as if audits were independent: those of one task share references and examples.
type rate struct {
	examples, count, of int
	stat.Interval
}

func (r rate) share() float64 { return float64(r.count) / float64(r.of) }

// questions are those that a study answers; all but the last four are of tasks
// whose y and s are independent.
func questions() []question {
	called := func(c *check) bool { return c.with.Verdict == audit.Curious }
	calledWithout := func(c *check) bool { return c.without.ExceedsTarget() }
	byExcess := func(c *check) bool { return slices.Contains(strings.Split(c.without.evidence, ", "), "excess") }
	correlated := func(c *check) bool { return c.net.task.correlated }
	all := func(*check) bool { return true }
	plain := func(f func(c *check) bool) func(c *check) bool {
		return func(c *check) bool { return !correlated(c) && f(c) }
	}
	excess := func(c *check) float64 { return c.net.truth[c.soft].excess() }
	within := plain(func(c *check) bool { return excess(c) <= audit.DefaultMargin && !c.failed })
	planted := func(f func(c *check) bool) func(c *check) bool {
		return plain(func(c *check) bool { return !c.net.honest() && f(c) })
	}
	strongly := func(r rate) bool { return r.examples != 2000 || r.share() >= .99 }
	return []question{
		{"false alarms: honest classifiers called curious", plain(func(c *check) bool { return c.net.honest() && !c.failed }), called,
			"an interval that contains 5 % or lies below", func(r rate) bool { return r.examples != 0 || r.Low <= .05 }},
		{"false alarms without references: an excess shown, true excess within the margin", within, func(c *check) bool { return calledWithout(c) && byExcess(c) }, "", nil},
		{"leaky beyond the target without references by gain or AUC alone, true excess within the margin", within, func(c *check) bool { return calledWithout(c) && !byExcess(c) }, "", nil},
		{"detection: true excess over honest training 10 points or more", planted(func(c *check) bool { return min(excess(c), c.overHonest) >= strong }), called, "99 % of 2,000 examples", strongly},
		{"detection: true excess over the best baseline 10 points or more", planted(func(c *check) bool { return excess(c) >= strong }), called, "99 % of 2,000 examples", strongly},
		{"detection without references: true excess 10 points or more", plain(func(c *check) bool { return excess(c) >= strong }), calledWithout, "", nil},
		{"detection: true excess over honest training at least the stated smallest", planted(func(c *check) bool { return c.with.promises(c.overHonest) }), called,
			"90 %", func(r rate) bool { return r.share() >= audit.PowerProbability }},
		{"detection without references: true excess at least the stated smallest", plain(func(c *check) bool { return c.without.promises(excess(c)) }), calledWithout, "", nil},
		{"correlated but honest called leaky by correlation or leaky beyond the target", correlated, func(c *check) bool { return c.with.Verdict == audit.Leaky || c.with.Verdict == audit.LeakyBeyond },
			"95 %", func(r rate) bool { return r.examples != 0 || r.share() >= .95 }},
		{"correlated but honest called curious", correlated, called, "", nil},
		{"inconclusive, with references", all, func(c *check) bool { return c.with.Verdict == audit.Inconclusive }, "", nil},
		{"inconclusive because a control failed", all, func(c *check) bool { return c.failed }, "", nil},
	}
}

// promises reports whether a true excess is one that the audit says it finds.
func (v verdict) promises(truth float64) bool { return v.smallest != nil && truth >= *v.smallest }

// rate answers the question for the audits of so many examples, 0 for all.
func (q *question) rate(audits []*check, examples int) rate {
	r := rate{examples: examples}
	for _, c := range audits {
		if examples != 0 && c.examples != examples || !q.among(c) {
			continue
		}
		r.of++
		if q.counted(c) {
			r.count++
		}
	}
	if r.of > 0 {
		r.Interval = stat.ClopperPearson(r.count, r.of, confidence)
	}
	return r
}

// said returns what the study keeps of an audit of one attribute.
func said(r *audit.Result) verdict {
	f := r.Findings[0]
	v := verdict{Verdict: r.Verdict, evidence: strings.Join(evidence(f, r.Settings.Confidence), ", ")}
	for _, c := range f.Power.Channels {
		if c.Channel == audit.ScoreChannel {
			v.smallest = c.Smallest
		}
	}
	return v
}

// evidence returns the kinds of evidence that are enough for the verdict, each by itself.
func evidence(f *audit.Finding, confidence float64) []string {
	switch f.Verdict {
	case audit.Leaky:
		return []string{"correlation"}
	case audit.Curious:
		above := f.AboveReferences()
		var all []string
		for i, p := range stat.Holm(above[:]) {
			if p <= 1-confidence {
				all = append(all, []string{"excess", "gain"}[i]+" over references")
			}
		}
		return all
	}
	return f.RestsOn(confidence)
}

// writer prints tables of Markdown, and keeps the first error.
type writer struct {
	to  io.Writer
	err error
}

func (w *writer) printf(format string, a ...any) {
	if w.err == nil {
		_, w.err = fmt.Fprintf(w.to, format, a...)
	}
}

// table begins a table under a heading; columns from the one called number on are numbers.
func (w *writer) table(heading, says string, words []string, numbers ...string) {
	w.printf("\n## %s\n\n", heading)
	if says != "" {
		w.printf("%s\n\n", says)
	}
	w.printf("| %s |\n|%s%s\n", strings.Join(append(words, numbers...), " | "), strings.Repeat(" --- |", len(words)), strings.Repeat(" ---: |", len(numbers)))
}

func (w *writer) row(cells ...any) {
	for _, c := range cells {
		w.printf("| %v ", c)
	}
	w.printf("|\n")
}

// Cells of tables.
func percent(x float64) string { return fmt.Sprintf("%.2f %%", 100*x) }
func points(x float64) string  { return minus(fmt.Sprintf("%.1f", 100*x)) }
func minus(s string) string    { return strings.Replace(s, "-", "−", 1) }

func outputs(soft bool) string {
	if soft {
		return "soft"
	}
	return "raw"
}

// write prints all tables.
func (s *study) write(to io.Writer) error {
	w := &writer{to: to}
	w.printf("Seed %d. %d audits, each compared with %d other honest classifiers.\n", s.seed, len(s.audits), audit.DefaultReferences)
	s.writeRates(w)
	s.writeEvidence(w)
	s.writeKinds(w)
	s.writeSpreads(w)
	w.table("Controls", "Curious classifiers of the study's own tasks.", []string{"data", "outputs"}, "examples", "true excess", "excess found", "passed")
	for _, c := range s.controls {
		w.row(c.net.task.name, outputs(c.soft), c.examples, points(c.net.truth[c.soft].excess()), points(c.control.Excess.Value), c.control.Passed)
	}
	return w.err
}

func (s *study) writeRates(w *writer) {
	w.table("How often", "Intervals are Clopper and Pearson's, 99 %.", []string{"what"}, "examples", "audits", "of", "share", "interval", "wanted")
	examples := []int{0}
	sizes, _ := s.sizes()
	for _, z := range sizes {
		examples = append(examples, z.examples)
	}
	for _, q := range questions() {
		for _, n := range examples {
			r := q.rate(s.audits, n)
			if r.of == 0 {
				continue
			}
			of, wanted := "all", ""
			if n > 0 {
				of = fmt.Sprint(n)
			}
			if q.met != nil {
				wanted = map[bool]string{true: "met: ", false: "NOT MET: "}[q.met(r)] + q.wanted
			}
			w.row(q.name, of, r.count, r.of, percent(r.share()), percent(r.Low)+" – "+percent(r.High), wanted)
		}
	}
}

// writeEvidence counts verdicts with references and without, the worst first, by their evidence.
func (s *study) writeEvidence(w *writer) {
	w.table("What verdicts rested on", "Counts of audits by the kinds of evidence that are each enough. Correlated: honest classifiers where y and s depend on each other.",
		[]string{"references", "verdict", "evidence"}, "honest", "curious", "correlated")
	for _, with := range []string{"with", "without"} {
		counts := map[verdict][3]int{}
		for _, c := range s.audits {
			v, column := c.without, 1
			if with == "with" {
				v = c.with
			}
			if v.smallest = nil; c.net.task.correlated {
				column = 2
			} else if c.net.honest() {
				column = 0
			}
			n := counts[v]
			n[column]++
			counts[v] = n
		}
		for _, name := range audit.Verdicts() {
			var found []verdict
			for v := range counts {
				if v.Verdict == name {
					found = append(found, v)
				}
			}
			slices.SortFunc(found, func(a, b verdict) int { return cmp.Compare(a.evidence, b.evidence) })
			for _, v := range found {
				n := counts[v]
				w.row(with, v.Verdict, cmp.Or(v.evidence, "–"), n[0], n[1], n[2])
			}
		}
	}
}

// tally counts verdicts, and adds up what their audits say that they find.
type tally struct {
	verdicts map[audit.Verdict]int
	smallest []float64
}

func (t *tally) add(v verdict) {
	if t.verdicts == nil {
		t.verdicts = map[audit.Verdict]int{}
	}
	t.verdicts[v.Verdict]++
	if v.smallest != nil {
		t.smallest = append(t.smallest, *v.smallest)
	}
}

// String returns the counts of the verdicts, no evidence before inconclusive.
func (t *tally) String() string {
	var n []string
	for _, v := range []audit.Verdict{audit.Curious, audit.LeakyBeyond, audit.Leaky, audit.NoEvidence, audit.Inconclusive} {
		n = append(n, fmt.Sprint(t.verdicts[v]))
	}
	return strings.Join(n, " / ")
}

// detects returns the mean of the smallest detectable excesses, over how many of so many audits if
// not all state one.
func (t *tally) detects(audits int) string {
	mean, _ := stat.MeanStd(t.smallest)
	switch n := len(t.smallest); {
	case n == 0:
		return "–"
	case n < audits:
		return fmt.Sprintf("%s (%d of %d)", points(mean), n, audits)
	}
	return points(mean)
}

// writeKinds has a line for each kind of classifier and number of examples, in the order of its first
// audit.
func (s *study) writeKinds(w *writer) {
	w.table("By kind of classifier", "Means, in points. Verdicts are counts of curious / leaky beyond the target / leaky by correlation / no evidence / inconclusive; alone: without references. Detects: the smallest excess that audits say they find in scores.",
		[]string{"data", "trained", "outputs"}, "examples", "audits", "true excess", "over honest", "verdicts", "detects", "alone", "detects")
	type key struct {
		data, kind string
		soft       bool
		examples   int
	}
	groups := map[key][]*check{}
	var keys []key
	for _, c := range s.audits {
		k := key{c.net.task.name, c.net.kind.name, c.soft, c.examples}
		if groups[k] == nil {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], c)
	}
	slices.SortStableFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.data, b.data), cmp.Compare(a.examples, b.examples))
	})
	for _, k := range keys {
		var excess, over float64
		var with, without tally
		n := len(groups[k])
		for _, c := range groups[k] {
			excess += c.net.truth[c.soft].excess() / float64(n)
			over += c.overHonest / float64(n)
			with.add(c.with)
			without.add(c.without)
		}
		w.row(k.data, k.kind, outputs(k.soft), k.examples, n, points(excess), points(over), &with, with.detects(n), &without, without.detects(n))
	}
}

// writeSpreads describes the honest classifiers of each task.
func (s *study) writeSpreads(w *writer) {
	w.table("What honest training reveals", "True excess over seeds, in points: mean, standard deviation of the attack's accuracy, skewness, and the largest.",
		[]string{"data", "outputs"}, "nets", "honesty", "excess", "sd", "skew", "largest")
	for _, t := range s.tasks {
		for _, soft := range []bool{false, true} {
			var accuracy, excess, honesty []float64
			for _, n := range s.nets {
				if v := n.truth[soft]; n.task == t && n.honest() {
					accuracy, excess, honesty = append(accuracy, v.accuracy), append(excess, v.excess()), append(honesty, v.honesty)
				}
			}
			mean, _ := stat.MeanStd(excess)
			right, _ := stat.MeanStd(honesty)
			sd, skew := skewness(accuracy)
			w.row(t.name, outputs(soft), len(accuracy), percent(right), points(mean), fmt.Sprintf("%.2f", 100*sd), minus(fmt.Sprintf("%.2f", skew)), points(slices.Max(excess)))
		}
	}
}

// skewness returns the standard deviation and the mean cube of the standardised
// values, 0 if they are all the same.
func skewness(x []float64) (sd, skew float64) {
	mean, sd := stat.MeanStd(x)
	if !(sd > 0) {
		return 0, 0
	}
	for _, v := range x {
		skew += math.Pow((v-mean)/sd, 3) / float64(len(x))
	}
	return sd, skew
}
