package report

import (
	"cmp"
	"strings"

	"tattle/bound"
)

// What inputs can be stored as.
const (
	heldBytes   = "8-bit pixels"
	heldResized = "8-bit pixels, as resizing left them"
	heldColumns = "values that the table's columns can hold"
	heldFloat32 = "float32 numbers within the data's range"
)

// domains are the inputs for which an estimator must be unbiased, in words.
var domains = map[string]string{bound.DomainLegal: "real numbers within the data's range", bound.DomainFree: "any real numbers"}

// Among says in words which inputs a domain has: those that an estimator is held to be
// unbiased for. It is empty of what is about no domain.
func (r *Report) Among(domain string) string {
	if domain != bound.DomainStored {
		return domains[domain]
	}
	return "inputs as " + cmp.Or(r.Data.Held(), "the data can hold them")
}

// among is Among after a comma, for the end of a clause.
func (r *Report) among(domain string) string {
	return when(r.Among(domain) != "", ", among "+r.Among(domain))
}

// domains says what the names of the domains stand for that rows are about.
func (r *Report) domains() string {
	var said []string
	for _, b := range r.unbiased() {
		if s := r.Among(b.Domain); s != "" {
			said = append(said, b.Domain+", "+s)
		}
	}
	return when(len(said) > 0, "the inputs for which an estimator must be unbiased: "+strings.Join(unique(said), "; ")+".")
}

// computed says how far released features may lie from those of real arithmetic, and
// for which bounds that is allowed for: empty if nothing was bounded.
func (r *Report) computed() string {
	x := r.Experiment
	if x == nil || x.Runtime.From == "" {
		return ""
	}
	said := "Runtime: " + x.Runtime.Describe() + "."
	switch {
	case x.Runtime.Error == 0:
		return said
	case r.Release.Noise.Family == "lattice":
		return said + " Such a feature may be rounded to another multiple; all bounds allow for this."
	}
	return said + " Bounds by far witnesses and twins allow for this, and so do bounds by witnesses that change the features by no more than rounding. The other bounds are for features in real arithmetic."
}
