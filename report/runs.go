package report

import (
	"fmt"
	"math"
	"strings"

	"tattle/curious"
)

// Run is one trained classifier, or the mean of several seeds: a point of the
// honesty-curiosity plane. Runs of one Panel share a plane; there, runs of one
// attack and kind of outputs are joined in the order of βs.
type Run struct {
	Name      string       `json:"name"` // as `parameterized-raw seed 1`
	Panel     string       `json:"panel,omitempty"`
	Attack    string       `json:"attack"`
	Outputs   string       `json:"outputs"`
	Beta      curious.Beta `json:"beta"`
	Target    string       `json:"target"`
	Sensitive string       `json:"sensitive"`
	Seed      uint64       `json:"seed"`
	Seeds     int          `json:"seeds,omitempty"` // that this is the mean of; zero is one

	TargetClasses    int `json:"target_classes"`
	SensitiveClasses int `json:"sensitive_classes"`

	Honesty           Number   `json:"honesty"`
	HonestyInterval   Interval `json:"honesty_interval,omitzero"`
	HonestyStd        Number   `json:"honesty_std,omitempty"` // over the seeds
	Curiosity         Number   `json:"curiosity"`
	CuriosityInterval Interval `json:"curiosity_interval,omitzero"`
	CuriosityStd      Number   `json:"curiosity_std,omitempty"`

	Baseline       Number   `json:"baseline"`
	BaselineKind   string   `json:"baseline_kind"`
	Excess         Number   `json:"excess"`
	ExcessInterval Interval `json:"excess_interval,omitzero"`
	PValue         *float64 `json:"p_value,omitempty"`
	EntropyBits    Number   `json:"entropy_bits"`
	Failed         string   `json:"failed,omitempty"` // why it has no figures: it is listed, not drawn
}

// shown reports whether a run has a place on the plane.
func (r Run) shown() bool {
	return r.Failed == "" && !math.IsNaN(float64(r.Honesty)) && !math.IsNaN(float64(r.Curiosity))
}

// panel names the plane that a run is drawn on.
func (r Run) panel() string {
	if r.Panel != "" {
		return r.Panel
	}
	return r.Target + " / " + r.Sensitive
}

// chance is what guessing at random gives, NaN if the classes are not known.
func (r Run) chance() (target, sensitive float64) {
	of := func(classes int) float64 {
		if classes < 2 {
			return math.NaN()
		}
		return 1 / float64(classes)
	}
	return of(r.TargetClasses), of(r.SensitiveClasses)
}

func (r Run) sameSetting(o Run) bool {
	return r.Attack == o.Attack && r.Outputs == o.Outputs && r.Beta == o.Beta && r.Target == o.Target && r.Sensitive == o.Sensitive
}

// setting returns the settings of a run in words.
func (r Run) setting() string {
	s := r.Attack + ", " + r.Outputs
	if r.Beta != (curious.Beta{}) && r.Attack != "standard" && r.Attack != "overlearning" {
		s += ", " + betaWords(r.Beta)
	}
	return s
}

// brief says a run in a line.
func (r Run) brief() string {
	s := fmt.Sprintf("%s: honesty %s%s, curiosity %s%s", r.Name, percent(float64(r.Honesty)), within(r.HonestyInterval), percent(float64(r.Curiosity)), within(r.CuriosityInterval))
	if r.Baseline > 0 {
		s += ", baseline " + percent(float64(r.Baseline))
	}
	return s
}

// within is an interval in brackets, empty if it is not known.
func within(i Interval) string {
	if !i.known() {
		return ""
	}
	return fmt.Sprintf(" (%.2f to %.2f)", 100*i[0], 100*i[1])
}

// curiosityShare returns βs/(βy + βs).
func curiosityShare(b curious.Beta) float64 {
	if b.Y+b.S == 0 {
		return 0
	}
	return b.S / (b.Y + b.S)
}

// betaWords prints the multipliers as the paper does.
func betaWords(b curious.Beta) string {
	if b.X == 0 {
		return fmt.Sprintf("(βy, βs) = (%s, %s)", bareNumber(b.Y), bareNumber(b.S))
	}
	return fmt.Sprintf("(βx, βy, βs) = (%s, %s, %s)", bareNumber(b.X), bareNumber(b.Y), bareNumber(b.S))
}

// betaShort prints the multipliers for a table: ".4,.7,.3".
func betaShort(b curious.Beta) string {
	if b == (curious.Beta{}) {
		return "–"
	}
	return bareNumber(b.X) + "," + bareNumber(b.Y) + "," + bareNumber(b.S)
}

// bareNumber prints a multiplier as the paper does: .7, 0, 1.
func bareNumber(x float64) string {
	s := fmt.Sprintf("%.3g", x)
	if strings.HasPrefix(s, "0.") {
		return s[1:]
	}
	return s
}

// percent1 has one decimal: for figures, where two are too many.
func percent1(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*x)
}
