package report

import (
	"math"

	"tattle/curious"
)

// An Interval is a 95 % confidence interval; the zero value is one that is not
// known.
type Interval [2]Number

// Between is the interval from lo to hi as the reports' own type.
func Between(i [2]float64) Interval { return Interval{Number(i[0]), Number(i[1])} }

func (i Interval) known() bool {
	return i != Interval{} && !math.IsNaN(float64(i[0])) && !math.IsNaN(float64(i[1]))
}

// Curiosity is the headline of a report on a curious classifier: the evaluation of one, and
// what it was trained for. Its curves and histograms are in Curious, with those of the
// other runs.
type Curiosity struct {
	Attack string       `json:"attack"` // a curious.Kind, or student
	Beta   curious.Beta `json:"beta"`
	Taus   []float64    `json:"taus,omitempty"` // of the attacks, in nats; 0 for an attack that is not a threshold
	curious.Evaluation
}

// An attackResult is the result of one of the headline's attacks.
type attackResult struct {
	*curious.Curiosity
	tau float64 // of a threshold, in nats; 0 if it is not known
}

// results returns the results of the attacks, one for each sensitive attribute.
func (c *Curiosity) results() []attackResult {
	all := make([]attackResult, len(c.Sensitive))
	for i := range c.Sensitive {
		all[i] = attackResult{Curiosity: &c.Sensitive[i]}
		if i < len(c.Taus) {
			all[i].tau = c.Taus[i]
		}
	}
	return all
}
