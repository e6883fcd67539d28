package audit

// FailOn is what makes an audit fail a build.
type FailOn struct{ rules []rule }

type rule struct {
	attribute  string // "" is every one
	figure     string // a verdict's word, or excess, curiosity, leakage or information
	threshold  float64
	confidence float64
}

// ParseFailOn reads rules separated by commas: "curious", "leaky", "inconclusive",
// "never", or a figure whose one-sided lower confidence limit must not exceed a
// threshold, as in "excess>5%@95%", "curiosity>60%@99%", "leakage>1.5",
// "information>0.2@90%"; "NAME: excess>5%" is about the attribute NAME alone. No
// confidence is 95 %.
func ParseFailOn(text string) (FailOn, error) { panic("to be written") }

// Breaches returns a sentence for each rule that the audit breaks.
func (f FailOn) Breaches(r *Result) []string { panic("to be written") }
