package audit

import "fmt"

// gained says what the scores reveal given y and the answered label, by the proper score.
func (r *Result) gained(f *Finding) string {
	g := f.Given
	if g == nil {
		return ""
	}
	left := fmt.Sprintf("of the %s of %s that these leave open", inBits(g.Baseline), f.Attribute)
	if f.Numeric {
		left = fmt.Sprintf("of %s, of which these leave %s open", f.Attribute, percent(g.Baseline))
	}
	s := fmt.Sprintf("To somebody who knows %s, the attacks' scores reveal %s %s, and at least %s at %s confidence",
		r.Known(), f.gain(g.Gain), left, f.gain(g.Low), percent(r.Settings.Confidence))
	how := fmt.Sprintf("the margin of %s (p %s; with labels shuffled among examples%s, scores reveal as much with probability %s, in %d draws).", f.gain(g.Margin), probability(g.P), r.equally(), probabilityAlone(g.Permutation.P), g.Permutation.Draws)
	if g.P <= 1-r.Settings.Confidence {
		return s + ": above " + how
	}
	return s + ": not shown to be above " + how
}

// paired says how well the scores rank pairs with equal y and equal answered label, and
// whether that is above the margin.
func (r *Result) paired(f *Finding) string {
	t := f.order()
	if t == nil {
		return ""
	}
	of := ""
	if t.Compared > 1 {
		of = fmt.Sprintf(", the best of %d values,", t.Compared)
	}
	shown, p := "not shown to be above", min(1, float64(t.Compared)*t.P)
	if p <= 1-r.Settings.Confidence {
		shown = "above"
	}
	return fmt.Sprintf("Of pairs%s%s one with %s = %s%s the attacks' scores rank %s right: %s the margin of %s (p %s; with labels shuffled among such examples, they rank as many right with probability %s, in %d draws).",
		r.equally(), r.and(), f.Attribute, t.Class, of, percent(t.Area), shown, percent(t.Margin), probability(p), probabilityAlone(t.dependent()), t.Permutation.Draws)
}

// gain writes a figure of Given with its unit.
func (f *Finding) gain(x float64) string {
	if f.Numeric {
		return tenths(100*x) + " % of the variance left"
	}
	return inBits(x)
}

// equally is Equal after both labels were named.
func (r *Result) equally() string {
	if r.Outputs != Vector {
		return " with both equal"
	}
	return r.Equal()
}

// and joins what follows Equal.
func (r *Result) and() string {
	if r.Equal() == "" {
		return ","
	}
	return " and"
}

// inBits writes an information.
func inBits(x float64) string {
	if x > -.00005 && x <= 0 {
		x = 0
	}
	return minusSign(fmt.Sprintf("%.4f bits", x))
}
