package audit

// mostUndecided is the most attributes whose reasons Undecided returns.
const mostUndecided = 3

// Undecided returns why an audit is inconclusive: the control that failed, or a reason for
// each attribute.
func (r *Result) Undecided() []string {
	for _, k := range r.Controls {
		if !k.Passed {
			return r.Reasons
		}
	}
	var reasons []string
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Verdict != Inconclusive {
			continue
		}
		if len(reasons) == mostUndecided {
			return append(reasons, "And so on.")
		}
		why := f.Unusable
		if why == "" && len(f.Reasons) > 0 {
			why = f.Reasons[len(f.Reasons)-1]
		}
		reasons = append(reasons, f.Attribute+": "+why)
	}
	return reasons
}
