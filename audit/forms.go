package audit

// The forms of the outputs that attacks see.
const (
	FormRaw  = "raw"  // scores; of probabilities their floored logarithms less the row's mean
	FormSoft = "soft" // probabilities; of scores their softmax
	FormTop1 = "top1" // the hard label one-hot, its probability and, where scores are released, its score
)

// attackName is a learner on a form of the outputs.
type attackName struct{ learner, form string }

// String returns "learner on form".
func (a attackName) String() string { return a.learner + " on " + a.form }
