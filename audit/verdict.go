package audit

// Verdict is what an audit says, of one attribute or of all.
type Verdict string

// The verdicts, the worst first.
const (
	Curious      Verdict = "curious"
	Leaky        Verdict = "leaky by correlation"
	Inconclusive Verdict = "inconclusive"
	NoEvidence   Verdict = "no evidence"
)

// Conclude judges what was measured: p-values adjusted for the number of
// attributes, the power, verdicts with reasons, and advice. It may be called again
// after controls or defences were added.
func (r *Result) Conclude() {}
