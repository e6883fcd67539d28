package audit

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"tattle/classify"
	"tattle/curious"
	"tattle/internal/file"
	"tattle/internal/report"
	"tattle/measure"
)

// Setup is what an audit was asked to do, beside its sample: with the files of the run it decides every claim. It is the
// request in the report of tattle audit.
type Setup struct {
	Settings Settings          `json:"settings"`
	Folds    int               `json:"folds,omitempty"` // zero for the default
	Defences bool              `json:"defences"`
	FailOn   *FailOn           `json:"fail_on,omitempty"`  // nil: beyond or worse fails
	Accepted *Accepted         `json:"accepted,omitempty"` // nil without --baseline
	Sample   string            `json:"sample,omitempty"`   // its name
	Notes    []string          `json:"notes,omitempty"`    // of the sample
	Reading  measure.Reading   `json:"reading,omitzero"`   // of the model
	Asked    map[string]string `json:"asked,omitempty"`    // on the command line
}

// Options returns what an audit was done with, to do it again.
func (s *Setup) Options() (Options, error) {
	x := s.Settings // without the folds, which are fewer with very many examples
	if len(x.Attacks) == 0 || x.Permutations < 1 || x.MaxFit < 1 || x.Confidence == 0 {
		return Options{}, errors.New("settings: attacks, permutations, max_fit and confidence must all be there, and more than zero")
	}
	return Options{Seed: x.Seed, Folds: s.Folds, Permutations: x.Permutations, MaxFit: x.MaxFit, Confidence: x.Confidence, Margin: &x.Margin, Attacks: x.Attacks}, nil
}

// Title is the title of the report of an audit of a sample.
func Title(s *Sample) string {
	names := make([]string, len(s.Sensitive))
	for i, a := range s.Sensitive {
		names[i] = a.Name
	}
	if s.Kind == Vector {
		return fmt.Sprintf("Audit of vectors: do they reveal %s?", strings.Join(names, ", "))
	}
	return fmt.Sprintf("Audit of %s: do the outputs reveal %s?", s.Target, strings.Join(names, ", "))
}

// account makes the claims and findings of an audit.
type account struct {
	*report.Report
	a *Result
	s *Setup
}

// Report returns the claims and findings of the audit. Model, data and files are the caller's.
func (r *Result) Report(s *Setup) *report.Report {
	s.Settings = r.Settings
	x := &account{report.New("", "", r.Settings.Seed), r, s}
	x.Target, x.Data.Examples, x.Data.Name = r.Target, r.Examples, r.Sample
	for i := range r.Findings {
		x.attribute(&r.Findings[i])
	}
	x.wholes()
	x.controls()
	x.defences()
	x.verdicts()
	x.meaning()
	x.advise()
	x.rules()
	for _, w := range r.Warnings {
		x.Warn(w)
	}
	for _, n := range r.Notes {
		x.Note(n)
	}
	x.SetRequest(s)
	return x.Report
}

func (x *account) claim(id, subject, group string, kind report.Kind, v report.Value, n int) {
	x.Add(report.Claim{ID: id, Subject: subject, Group: group, Kind: kind, Value: v, N: n})
}

// limits is a value with one-sided limits, each at the audit's confidence.
func (x *account) limits(v, low, high float64, u report.Unit) report.Value {
	return report.Within(v, low, high, u, x.a.Settings.Confidence)
}

// proportion is an accuracy with its interval.
func proportion(p classify.Proportion) report.Value {
	return report.Within(p.Value, p.Interval[0], p.Interval[1], report.Share, classify.Confidence)
}

// wholes claims what is about all attributes.
func (x *account) wholes() {
	a := x.a
	x.claim("examples", "", "", report.Measured, report.Exactly(float64(a.Examples), report.Count), 0)
	x.claim("margin", "", "", report.Measured, report.Exactly(a.Settings.Margin, report.Points), 0)
	if a.Outputs != Vector {
		x.claim("honesty", "", a.target(), report.Measured, proportion(a.Honesty), a.Honesty.Examples)
	}
	for _, c := range a.Channels {
		if c.Planted != nil {
			x.claim("channel", c.Channel, "", report.Demonstrated, report.Exactly(upward(*c.Planted), report.Points), c.Examples)
		}
	}
}

// attribute claims the figures about a sensitive attribute.
func (x *account) attribute(f *Finding) {
	b, name := f.BestBaseline(), f.Attribute
	if b == nil { // it has a row all the same
		x.claim("guessed", name, "", report.Demonstrated, report.Exactly(math.NaN(), report.Share), 0)
		return
	}
	unitOf := excessUnit(f.Numeric)
	add := func(c report.Claim) { c.Subject = name; x.Add(c) }
	guessed, without := x.guessed(f), baselineValue(b)
	add(report.Claim{ID: "guessed", Kind: report.Demonstrated, Value: guessed, N: f.Examples, Beside: []report.Beside{{Name: "without", Value: without}}})
	x.Find("chosen", name, inFolds(f.Chosen))
	if strings.Contains(name, "*") {
		x.Find("classes", name, showNames(f.Classes))
	}
	add(report.Claim{ID: "without", Kind: report.Measured, Value: without, N: f.Examples})
	add(report.Claim{ID: "excess", Kind: report.Demonstrated, Value: x.limits(f.Excess.Value, f.Excess.Low, f.Excess.High, unitOf), N: f.Examples, P: &f.ExcessAdjusted})
	unit := report.Bits
	if f.Numeric {
		unit = report.Share
	}
	if g := f.Given; g != nil {
		add(report.Claim{ID: "gain", Kind: report.Demonstrated, Value: x.limits(g.Gain, g.Low, g.High, unit), N: f.Examples, P: &g.Adjusted, Beside: []report.Beside{{Name: "left open", Value: report.Exactly(g.Baseline, unit)}, {Name: "margin", Value: report.Exactly(g.Margin, unit)}}})
		if t := g.Order; t != nil {
			add(report.Claim{ID: "auc", Kind: report.Demonstrated, N: f.Examples, P: &t.Adjusted,
				Value:  report.Within(t.Area, max(0, t.Area-1.96*t.StandardError), min(1, t.Area+1.96*t.StandardError), report.Share, .95),
				Beside: []report.Beside{{Name: "margin", Value: report.Exactly(t.Margin, report.Share)}}})
		}
	}
	add(report.Claim{ID: "p", Kind: report.Demonstrated, Value: report.Exactly(f.Adjusted, report.Chance), P: &f.Adjusted})
	if s := f.Power.Smallest; s != nil {
		add(report.Claim{ID: "detectable", Kind: report.Estimated, Value: report.Exactly(upward(*s), unitOf), N: f.Examples})
	}
	if t := f.Reference; t != nil {
		u := report.Share
		if t.Unpaired {
			u = unitOf
		}
		add(report.Claim{ID: "honest", Kind: report.Measured, Value: report.Within(t.Mean, t.Mean-t.SD, t.Mean+t.SD, u, 0), N: len(t.Figures)})
		add(report.Claim{ID: "above_honest", Kind: report.Demonstrated, Value: x.limits(t.Difference, t.Low, t.High, unitOf), P: &t.P, N: len(t.Figures)})
	}
	if s := f.Shuffling; s != nil {
		add(report.Claim{ID: "movable", Kind: report.Measured, Value: report.Exactly(float64(s.Movable), report.Count), N: f.Examples})
	}
	for i := range f.Baselines {
		b := &f.Baselines[i]
		x.claim("baseline", name, baselineName(b.Name, f.Numeric), report.Measured, baselineValue(b), f.Examples)
		x.Add(report.Claim{ID: "baseline.excess", Subject: name, Group: baselineName(b.Name, f.Numeric), Kind: report.Demonstrated, Value: x.limits(b.Difference, b.Low, b.High, unitOf), P: &b.P})
	}
	for i, c := range f.Power.Channels {
		if c.Smallest != nil {
			x.claim("detectable.channel", name, f.Power.Channels[i].Channel, report.Estimated, report.Exactly(upward(*c.Smallest), unitOf), f.Examples)
		}
	}
}

// excessUnit is the unit of an excess: numbers are guessed by a share of their variance.
func excessUnit(numeric bool) report.Unit {
	if numeric {
		return report.Variance
	}
	return report.Points
}

// inFolds lists each name once, with the number of folds that have it.
func inFolds(names []string) string {
	times := map[string]int{}
	for _, n := range names {
		times[n]++
	}
	var said []string
	for _, n := range slices.Sorted(maps.Keys(times)) {
		said = append(said, n+" in "+report.Many(times[n], "fold"))
	}
	return report.List(said)
}

// guessed is how often attacks guess right, or the share of the variance that they explain.
func (x *account) guessed(f *Finding) report.Value {
	if f.Numeric {
		return report.Within(*f.R2, f.Interval[0], f.Interval[1], report.Share, classify.Confidence)
	}
	return proportion(*f.Curiosity)
}

func baselineValue(b *Baseline) report.Value {
	if b.Accuracy != nil {
		return report.Exactly(b.Accuracy.Value, report.Share)
	}
	return report.Exactly(*b.R2, report.Share)
}

// baselineName names a baseline in a table.
func baselineName(name string, numeric bool) string {
	switch {
	case name == Majority && numeric:
		return "mean"
	case name == FromTarget:
		return "from the true target"
	case name == FromLabel:
		return "from the predicted target"
	case name == FromBoth:
		return "from both"
	}
	return name
}

// upward rounds a smallest detectable excess up, so that the stated one is never smaller than the computed one.
func upward(x float64) float64 { return math.Ceil(1000*x-1e-6) / 1000 }

// controls claims what the audit found where the result is known.
func (x *account) controls() {
	for _, c := range x.a.Controls {
		x.claim("control.excess", c.Name, "", report.Demonstrated, x.limits(c.Excess.Value, c.Excess.Low, c.Excess.High, report.Points), c.Examples)
		if c.TrueExcess != nil {
			x.claim("control.planted", c.Name, "", report.Measured, report.Exactly(*c.TrueExcess, report.Points), c.Examples)
		}
		kind := "positive"
		switch {
		case c.Name == NegativeControl:
			kind = "negative"
		case x.a.Outputs == Vector:
			kind = "vector"
		}
		outcome := ".failed"
		if c.Passed && kind != "negative" && c.Excess.Low <= 0 {
			outcome = ".scores"
		} else if c.Passed {
			outcome = ".passed"
		}
		x.Find("control."+kind+outcome, c.Name, c.Where, c.Note)
	}
	if len(x.a.Controls) == 0 {
		x.Find("uncontrolled", "")
	}
}

// defences claims what each defence leaves.
func (x *account) defences() {
	for _, d := range x.a.Defences {
		name := d.Name
		if name == NoDefence {
			name = "none, by these quicker attacks"
		}
		for _, l := range d.Left {
			add := func(id string, v report.Value) {
				x.claim(id, name, l.Attribute, report.Demonstrated, v, d.Honesty.Examples)
			}
			add("defence.excess", x.limits(l.Excess.Value, l.Excess.Low, l.Excess.High, excessUnit(l.R2 != nil)))
			add("defence.honesty", proportion(d.Honesty))
			if g := l.Given; g != nil {
				u := report.Bits
				if l.R2 != nil {
					u = report.Share
				}
				add("defence.gain", x.limits(g.Gain, g.Low, g.High, u))
				if g.Order != nil {
					add("defence.auc", report.Exactly(g.Order.Area, report.Share))
				}
			}
		}
		if d.Note != "" {
			x.Find("defence.note", name, d.Note)
		}
	}
}

// The kinds of evidence on an attribute.
const (
	byExcess = "excess" // guesses are right more often
	byAUC    = "auc"    // pairs of examples are ranked right
	byGain   = "gain"   // scores predict the attribute better
)

// evidence returns the figure with the least p-value, which is that of the finding; of equal ones the plainest.
func (f *Finding) evidence() string {
	switch g := f.Given; {
	case g == nil || f.ExcessAdjusted <= f.Adjusted:
		return byExcess
	case g.Order != nil && g.Order.Adjusted <= f.Adjusted:
		return byAUC
	}
	return byGain
}

// strongest returns the attribute that is named first: of those with the audit's verdict, one whose guesses are shown to
// be right more often, with the largest excess; else the one whose pairs are ranked best. It is nil if there is none.
func (r *Result) strongest() *Finding {
	var best *Finding
	rank := func(f *Finding) (int, float64) {
		kind := slices.Index([]string{byExcess, byAUC, byGain}, f.evidence())
		if kind == 1 {
			return kind, f.Given.Order.Area
		}
		return kind, f.Excess.Value
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Verdict != r.Verdict {
			continue
		}
		if best != nil {
			kind, size := rank(f)
			if k, s := rank(best); kind > k || kind == k && size <= s {
				continue
			}
		}
		best = f
	}
	return best
}

// verdicts adds the verdict on each attribute, the one that is named first before all other findings, then the worst.
func (x *account) verdicts() {
	var all []report.Finding
	first := x.a.strongest()
	if first != nil {
		all = append(all, x.verdict(first))
	}
	for _, v := range Verdicts() {
		for i := range x.a.Findings {
			if f := &x.a.Findings[i]; f.Verdict == v && f != first {
				all = append(all, x.verdict(f))
			}
		}
	}
	if len(all) == 0 {
		all = []report.Finding{{Code: "inconclusive.nothing"}}
	}
	x.Findings = append(all, x.Findings...)
}

// verdict is the finding on an attribute. Its arguments are the attributes with the same verdict, what was audited, the
// best guess without it, and what the adversary knows.
func (x *account) verdict(f *Finding) report.Finding {
	a := x.a
	same := []string{file.Name(f.Attribute)}
	for i := range a.Findings {
		if g := &a.Findings[i]; g.Verdict == f.Verdict && g != f {
			same = append(same, file.Name(g.Attribute))
		}
	}
	out := report.Finding{Subject: f.Attribute, Args: []string{report.List(same), a.outputs(), "", a.known()}}
	number := ""
	if f.Numeric {
		number = ".number"
	}
	if f.BestBaseline() != nil {
		out.Args[2] = f.bestGuess(a.target())
	}
	switch f.Verdict {
	case Curious, LeakyBeyond:
		kind := f.evidence()
		out.Code = map[Verdict]string{Curious: "curious.", LeakyBeyond: "beyond."}[f.Verdict] + kind
		if kind == byAUC {
			t := f.Given.Order
			out.Args = append(out.Args, valueOf(file.Name(f.Attribute), file.Name(t.Class)), a.equal(), strengthOf(t.Area))
		} else {
			out.Code += number
		}
	case Leaky:
		out.Code = "leaky.depends" + number
		if f.Excess.Low > 0 {
			out.Code = "leaky.guessed" + number
		}
	case NoEvidence:
		out.Code = "no_evidence"
		if f.Power.Smallest != nil && slices.ContainsFunc(f.Power.Channels, func(c ChannelPower) bool { return c.Found }) {
			out.Code = "no_evidence.power"
		}
	default:
		out.Code, out.Args = why(f, out.Args)
	}
	return out
}

// undecidedCodes are the codes of the reasons for no verdict.
var undecidedCodes = map[Why]string{
	ByControl: "inconclusive.control", ByExamples: "inconclusive.unusable", ByMargin: "inconclusive.possible", ByShuffling: "inconclusive.shuffling",
	ByPower: "inconclusive.power", ByPossible: "inconclusive.power", ByChannel: "inconclusive.missed", ByUnknown: "inconclusive.unknown",
}

// why returns the finding that explains why an attribute has no verdict.
func why(f *Finding, args []string) (code string, with []string) {
	code = undecidedCodes[f.Undecided.Why]
	switch {
	case code == "inconclusive.unusable":
		args = append(args, strings.TrimSuffix(f.Unusable, "."))
	case f.Undecided.Enough > 0:
		code, args = code+".enough", append(args, report.Grouped(f.Undecided.Enough))
	}
	return code, args
}

// valueOf names a value of an attribute, such as "sex = Male" or "age >=40".
func valueOf(name, value string) string {
	if strings.HasPrefix(value, "<") || strings.HasPrefix(value, ">") {
		return name + " " + value
	}
	return name + " = " + value
}

// strengthOf says in words how much an AUC is.
func strengthOf(area float64) string {
	switch {
	case area < .6:
		return "weak"
	case area < .7:
		return "moderate"
	case area < .9:
		return "strong"
	}
	return "nearly complete"
}

// outputWords name the kinds of outputs.
var outputWords = map[curious.Outputs]string{curious.Raw: "raw outputs (logits)", curious.Soft: "soft outputs (probabilities)", Vector: "vectors"}

func (r *Result) outputs() string {
	if r.Binary {
		return "hard labels"
	}
	if w, ok := outputWords[r.Outputs]; ok {
		return w
	}
	return "outputs"
}

// target is the target in words: where its numbers were cut into classes, the class is known, and not the number.
func (r *Result) target() string {
	name := file.Name(r.Target)
	if !r.Numeric && slices.ContainsFunc(r.Classes, func(c string) bool {
		return strings.HasPrefix(c, "<") || strings.HasPrefix(c, ">") || strings.Contains(c, "..")
	}) {
		return "class of " + name
	}
	return name
}

// known says in words what the baselines know, beside how often values of an attribute are.
func (r *Result) known() string {
	switch {
	case r.Outputs != Vector:
		return "the true and the predicted " + r.target()
	case r.Target != "":
		return "the true " + r.target()
	}
	return "the frequencies of its values"
}

// equal says in words what examples have in common that are compared with one another; "" if it is nothing.
func (r *Result) equal() string {
	switch {
	case r.Outputs != Vector:
		return " with equal true and predicted " + r.target()
	case r.Target != "" && r.Numeric:
		return " with similar true " + r.target()
	case r.Target != "":
		return " with equal true " + r.target()
	}
	return ""
}

// bestGuess says in words what the best baseline is.
func (f *Finding) bestGuess(target string) string {
	switch {
	case f.Best == Majority && f.Numeric:
		return "always guessing the mean"
	case f.Best == Majority:
		return "always guessing the most frequent value"
	case f.Best == FromTarget:
		return "guessing from the true " + target
	case f.Best == FromBoth:
		return "guessing from the true and the predicted " + target
	}
	return "guessing from the predicted " + target
}

// meaning says what the verdict means, and how far it reaches.
func (x *account) meaning() {
	a := x.a
	var names []string
	for _, f := range a.Findings {
		if f.Verdict == a.Verdict {
			names = append(names, file.Name(f.Attribute))
		}
	}
	of := report.List(names)
	switch a.Verdict {
	case Curious, LeakyBeyond:
		x.Find("learns.beyond", "", of, a.known())
		x.honest()
	case Leaky:
		x.Find("learns", "", of)
		if a.Outputs != Vector {
			x.Find("learns.honest", "", a.target())
		}
	case NoEvidence:
		x.Find("hidden_leaks", "")
	}
	for i := range a.Findings {
		f := &a.Findings[i]
		if f.Shuffling != nil && 2*f.Shuffling.Movable < f.Examples {
			x.Find("few_movable", f.Attribute, a.equal())
		}
		if t := f.Reference; t != nil {
			code := "references"
			if t.Unpaired {
				code = "references.unpaired"
			}
			x.Find(code, f.Attribute, report.Grouped(len(t.Figures)))
		}
		if a.Outputs != Vector && f.Correlation.Measured && f.Correlation.LabelQ <= 1-a.Settings.Confidence {
			x.Find("label_depends", f.Attribute, a.target())
		}
	}
	switch some := a.Settings.Attacks; {
	case !slices.ContainsFunc(a.Findings, func(f Finding) bool { return f.BestBaseline() != nil }):
		x.Find("no_attack", "")
	case len(some) > 0 && len(some) < len(classify.Learners()):
		x.Find("some_attacks", "", strings.Join(some, ", "))
		fallthrough
	default:
		x.Find("attacks_that_ran", "")
	}
}

// honest says what is known of honest training.
func (x *account) honest() {
	a := x.a
	switch {
	case a.Settings.References > 0 && a.Settings.Recipe == RecipeUnknown:
		x.Find("intent.recipe", "")
	case a.Verdict == Curious && a.Settings.Recipe == RecipeStated:
		x.Find("intent.stated", a.strongest().Attribute)
	case a.Verdict == Curious:
		x.Find("intent.curious", a.strongest().Attribute)
	case a.Outputs == Vector:
		x.Find("intent.vectors", "")
	case a.Settings.References > 0:
		x.Find("intent.references", "")
	default:
		x.Find("intent.unmeasured", "")
	}
}

// advise says what to do.
func (x *account) advise() {
	a := x.a
	for _, c := range a.Controls {
		if !c.Passed && c.Name == NegativeControl {
			x.Find("advice.copies", "")
		} else if !c.Passed {
			x.Find("advice.planted", "", report.Many(c.Examples, "example"))
		}
	}
	if a.failed() != nil {
		return
	}
	closeLeak := func() {
		if a.Outputs == Vector {
			x.Find("advice.less_vectors", "")
			return
		}
		switch d := a.Recommendation; d.Choice {
		case ChooseNone:
			x.Find("defence.none", "")
		case ChooseDefence:
			kept := ""
			for _, y := range a.Defences {
				if y.Name == d.Defence {
					kept = report.Exactly(y.Honesty.Value, report.Share).String()
				}
			}
			x.Find("defence.release", "", d.Defence, kept)
		case ChooseLabel:
			if d.Defence != "" {
				x.Find("defence.alone", "", d.Defence)
			} else {
				x.Find("defence.label", "")
			}
		case ChooseUntried:
			x.Find("defence.impossible", "")
		default:
			x.Find("advice.less", "")
		}
	}
	switch a.Verdict {
	case Curious:
		closeLeak()
		x.Find("advice.ask", "")
	case LeakyBeyond:
		closeLeak()
		if a.Settings.References > 0 && a.Settings.Recipe == RecipeUnknown {
			x.Find("advice.recipe", "")
		} else if a.Settings.References == 0 && a.Outputs != Vector {
			x.Find("advice.reference", "")
		}
	case Leaky:
		if a.Outputs != Vector {
			x.Find("advice.decide", "")
		}
		closeLeak()
	case Inconclusive:
		x.Find("advice.examples", "")
	case NoEvidence:
		x.Find("advice.repeat", "")
	}
}

// rules says which rules of --fail-on are broken, and which findings are accepted.
func (x *account) rules() {
	a, never := x.a, x.s.FailOn != nil && x.s.FailOn.String() == FailOn{}.String()
	broken := map[string]bool{}
	if x.s.FailOn != nil {
		for _, b := range x.s.FailOn.Judge(a, x.s.Accepted) {
			code := report.Broken
			if b.Attribute != "" && b.Verdict != "" {
				code = report.BrokenVerdict
			}
			x.Find(code, b.Attribute, strings.TrimSuffix(b.String(), "."))
			broken[b.Attribute] = true
		}
	}
	for i := range a.Findings {
		f := &a.Findings[i]
		for _, y := range x.s.Accepted.Verdict(f, a.Settings.Confidence) {
			x.Find(report.Accepted, f.Attribute, strings.TrimSuffix(fmt.Sprintf("%s accepts %s up to %g until %s: %s", y.Owner, y.Figure, y.Limit, y.Expiry, y.Reason), "."))
		}
		switch {
		case x.s.FailOn == nil && f.Verdict.ExceedsTarget():
			x.Find(report.BrokenVerdict, f.Attribute, file.Name(f.Attribute)+" is "+string(f.Verdict))
		case f.Verdict == Inconclusive && !never && !broken[f.Attribute]:
			x.Find(report.Undecided, f.Attribute)
		}
	}
	for _, c := range a.Controls {
		if !c.Passed && !never {
			x.Find(report.Failed, c.Name)
		}
	}
}

// Setup returns what was asked for; folds is 0 for the default.
func (s *Subject) Setup(q *Request, rules *FailOn, accepted *Accepted, folds int) *Setup {
	x := &Setup{Folds: folds, Defences: s.Defences, FailOn: rules, Accepted: accepted, Sample: s.Sample.Name, Notes: s.Sample.Notes, Asked: map[string]string{}}
	note := func(key, value string) {
		if value != "" {
			x.Asked[key] = value
		}
	}
	note("target", q.Target)
	note("sensitive", strings.Join(q.Sensitive, " | "))
	note("reference", q.Reference)
	if s.Training != nil {
		note("references", strconv.Itoa(len(s.References)))
		note("reference sha256", s.Training.Train.Sum())
		note("reference epochs", strconv.Itoa(s.Epochs))
	}
	if e := s.Examples; e != nil {
		note("part", e.Part)
		note("examples", q.Examples)
		note("data seed", strconv.FormatUint(e.Source.Seed, 10))
	}
	if s.Model != nil {
		x.Reading = measure.ReadingOf(s.Model, measure.Inputs{})
	}
	return x
}

// Describe says in the report what was audited.
func (s *Subject) Describe(r *report.Report) {
	r.Title = Title(s.Sample)
	if m := s.Model; m != nil {
		r.Model = report.Model{Path: measure.Absolute(m.Path), SHA256: m.SHA256}
	} else if s.URL != "" {
		r.Model = report.Model{Path: s.URL}
	}
	n := r.Data.Examples
	if e := s.Examples; e != nil {
		r.Data = measure.DataOf(e.Set, e.Source.Path, e.Part)
	} else {
		r.Data = report.Data{Name: s.Sample.Name, Path: s.File, SHA256: s.SHA256}
	}
	r.Data.Examples = n
}
