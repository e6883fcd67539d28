package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tattle/internal/engine/classify"
	"tattle/internal/file"
	"tattle/internal/report"
	"tattle/internal/reveal/curious"
)

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
	list := slices.DeleteFunc(slices.Clone(r.Findings), func(f *Finding) bool { return f.Verdict != r.Verdict })
	if len(list) == 0 {
		return nil
	}
	rank := func(f *Finding) (kind int, size float64) {
		if kind = slices.Index([]string{byExcess, byAUC, byGain}, f.evidence()); kind == 1 {
			return kind, f.Given.Order.Area
		}
		return kind, f.Excess.Value
	}
	return slices.MinFunc(list, func(a, b *Finding) int {
		kind, size := rank(a)
		k, s := rank(b)
		return cmp.Or(cmp.Compare(kind, k), cmp.Compare(s, size))
	})
}

// verdicts adds the verdict on each attribute, the one that is named first before all other findings, then the worst.
func (x *account) verdicts() {
	var all []report.Finding
	first := x.a.strongest()
	if first != nil {
		all = append(all, x.verdict(first))
	}
	for _, v := range Verdicts() {
		for _, f := range x.a.Findings {
			if f.Verdict == v && f != first {
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
	for _, g := range a.Findings {
		if g.Verdict == f.Verdict && g != f {
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
		if f.Power.Smallest != nil && slices.ContainsFunc(f.Power.Channels, func(c ChannelPower) bool { return c.Smallest != nil }) {
			out.Code = "no_evidence.power"
		}
	default:
		if out.Code = "inconclusive." + string(f.Undecided.Why); f.Undecided.Why == ByExamples {
			out.Args = append(out.Args, strings.TrimSuffix(f.Unusable, "."))
		} else if f.Undecided.Enough > 0 {
			out.Code, out.Args = out.Code+".enough", append(out.Args, report.Grouped(f.Undecided.Enough))
		}
	}
	return out
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

// outputs names the kind of outputs.
func (r *Result) outputs() string {
	switch {
	case r.Binary:
		return "hard labels"
	case r.Outputs == Vector:
		return "vectors"
	}
	return cmp.Or(curious.OutputWords[r.Outputs], "outputs")
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
	case f.Best != Majority:
		return "guessing from the " + knows[f.Best] + " " + target
	case f.Numeric:
		return "always guessing the mean"
	}
	return "always guessing the most frequent value"
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
	if a.People > 0 && a.People < a.Examples {
		x.Find("people", "", report.Grouped(a.People), file.Name(a.Group))
	}
	for _, f := range a.Findings {
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
	case !slices.ContainsFunc(a.Findings, func(f *Finding) bool { return f.BestBaseline() != nil }):
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
			y := find(a.Defences, func(y *Defence) bool { return y.Name == d.Defence })
			x.Find("defence.release", "", d.Defence, report.Exactly(y.Honesty.Value, report.Share).String())
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
		if slices.ContainsFunc(a.Findings, func(f *Finding) bool { return f.Near }) {
			x.Find("advice.people", "")
			return
		}
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
	for _, f := range a.Findings {
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
