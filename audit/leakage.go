package audit

// leakage returns what the finding's counts say; nil of a numeric attribute.
func leakage(f *Finding, confidence float64) *Leakage { panic("to be written") }
