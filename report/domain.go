package report

import "tattle/bound"

// What stored inputs are, as Experiment.Held says it.
const (
	HeldBytes   = "8-bit pixels"
	HeldResized = "8-bit pixels, as resizing left them"
	HeldColumns = "values that the table's columns can hold"
	HeldFloat32 = "float32 numbers"
)

// among says in words which inputs a domain has, as in "among inputs as 8-bit pixels".
func (r *Report) among(domain string) string {
	switch domain {
	case bound.DomainStored:
		if x := r.Experiment; x != nil && x.Held != "" {
			return "inputs as " + x.Held
		}
		return "inputs as the data can hold them"
	case bound.DomainLegal:
		return "real numbers within the data's range"
	case bound.DomainFree:
		return "any real numbers"
	}
	return ""
}
