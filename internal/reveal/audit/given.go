package audit

import (
	"math"

	"tattle/internal/math/stat"
)

// Given is what attacks reveal of an attribute to somebody who knows the true y
// and the answered label ŷ, by a proper score: the mean over the examples of
//
//	log₂ p(s | outputs, y) − log₂ q(s | y, ŷ), in bits,
//
// where q is the table of the other folds and p a calibration of the attack's scores that
// was fitted on the other folds, too. Accuracy misses what is revealed about a rare
// class; this does not. Of a numeric attribute it is the mean of
//
//	((s − mean(y, ŷ))² − (s − prediction)²)/variance left by mean(y, ŷ),
//
// the R² given y and ŷ.
type Given struct {
	Baseline      float64 `json:"baseline"` // what q leaves: bits an example, or a share of the variance
	Gain          float64 `json:"gain"`
	StandardError float64 `json:"standard_error"`
	Low           float64 `json:"low"`    // one-sided limits, each at the audit's confidence
	High          float64 `json:"high"`   //
	Margin        float64 `json:"margin"` // in the units of Gain
	P             float64 `json:"p"`      // of "the gain is at most the margin", one-sided, by Student's t
	// Permutation is the test of "given y and ŷ, scores and s have nothing to do with each
	// other", by permuting s within the examples of one y, ŷ and fold. It is also valid
	// if s is independent of the outputs given y. Where people have several examples, it is the bet against their mean.
	Permutation Permutation    `json:"permutation"`
	Reference   *ReferenceTest `json:"reference,omitempty"` // of the gain
	Order       *Order         `json:"order,omitempty"`     // of a categorical attribute: the AUC given y and ŷ
	Adjusted    float64        `json:"adjusted_p"`          // the larger of P and the permutation's, by Holm's method over all tests that can raise the verdict
}

// beyond returns the p-value for the verdict LeakyBeyond.
func (g *Given) beyond() float64 {
	if g == nil {
		return 1
	}
	return max(g.P, g.Permutation.P)
}

// marginBits returns the information in bits that a guess of an even binary attribute
// has at least if it is right with probability ½ + margin: 1 − h(½ + margin), what a
// binary symmetric channel has.
func marginBits(margin float64) float64 {
	p := .5 + min(margin, .5)
	bits := 1 + p*math.Log2(p)
	if p < 1 {
		bits += (1 - p) * math.Log2(1-p)
	}
	return max(0, bits)
}

// given measures an attribute given y and the answered label.
func given(g *guesses, o Options) *Given {
	gain, left := g.gains()
	x := &Given{Baseline: left, Margin: *o.Margin}
	if !g.at.Numeric() {
		x.Margin = marginBits(*o.Margin)
	}
	var m stat.MeanEstimate
	if g.in.grouped() {
		m, _, x.Permutation.P = testPeople(g.in.byPerson(gain), x.Margin, mostGain, o, random(o.Seed, streamPeople, uint64(len(g.in.Sensitive)+g.attribute)))
	} else {
		m = stat.MeanTest(gain, x.Margin, o.Confidence)
	}
	x.Gain, x.StandardError, x.Low, x.High, x.P = m.Mean, m.StandardError, m.Low, m.High, m.P
	return x
}

// gains returns the gain of every example, and what the baseline leaves.
func (g *guesses) gains() (gain []float64, baseline float64) {
	n := len(g.base)
	gain = make([]float64, n)
	if g.at.Numeric() {
		left := 0.0
		for i, s := range g.at.Numbers {
			b, p := s-g.base[i], s-g.given[i]
			gain[i] = b*b - p*p
			left += b * b / float64(n)
		}
		for i := range gain {
			if left > 0 {
				gain[i] /= left
			}
		}
		return gain, left / (g.spread * g.spread)
	}
	for i, s := range g.target.Labels {
		gain[i] = (g.given[i*len(g.back)+s] - g.base[i]) / math.Ln2
		baseline -= g.base[i] / math.Ln2 / float64(n)
	}
	return gain, baseline
}
