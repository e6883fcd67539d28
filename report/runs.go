package report

import (
	"fmt"
	"math"
	"strings"

	"tattle/classify"
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
	return when(i.known(), fmt.Sprintf(" (%.2f to %.2f)", 100*i[0], 100*i[1]))
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

// runsSentence counts what ran and names the most curious run.
func (r *Curious) runsSentence() string {
	var best *Run
	ran := 0
	for i := range r.Runs {
		x := &r.Runs[i]
		if !x.shown() {
			continue
		}
		ran++
		if x.exceeds() && (best == nil || x.Excess > best.Excess) {
			best = x
		}
	}
	if ran == 0 {
		return fmt.Sprintf("None of %s has figures.", Count(len(r.Runs), "run"))
	}
	counted := Count(ran, "run")
	if n := len(r.Runs); ran < n {
		counted = fmt.Sprintf("the %d of %s that have figures", ran, Count(n, "run"))
	}
	if best == nil {
		return fmt.Sprintf("None of the attacks of %s shows an excess over its baseline. This does not show that there is none.", counted)
	}
	s := fmt.Sprintf("Demonstrated by attacks that ran: of %s, the one with the largest excess over its baseline is %s, with honesty %s and curiosity %s", counted, best.Name, percent(float64(best.Honesty)), percent(float64(best.Curiosity)))
	if best.Baseline > 0 {
		s += ", where the baseline is " + percent(float64(best.Baseline))
		if w := kindWords[best.BaselineKind]; w != "" {
			s += ", always guessing " + w
		}
	}
	return s + "."
}

// exceeds reports whether a run's attack shows an excess over its baseline: by interval and
// p-value or, for a mean over seeds, by two standard deviations.
func (r Run) exceeds() bool {
	if r.Excess <= 2*r.CuriosityStd { // which may not be known
		return false
	}
	return r.Excess > 0 && (!r.ExcessInterval.known() || r.ExcessInterval[0] > 0) && (r.PValue == nil || *r.PValue <= classify.Level)
}

// overSeeds says what several seeds of one setting gave together.
func (r *Report) overSeeds() []string {
	var said []string
	for _, p := range r.runPlanes() {
		for _, s := range p.spots {
			if s.runs > 1 {
				said = append(said, fmt.Sprintf("Over %d seeds (the figures above are for seed %d; %s; %s): honesty %s and curiosity %s, mean ± standard deviation. The attack shows an excess with %d of them.", s.runs, r.Seed, p.title, s.setting(),
					meanWords(s.honesty, s.honestySpan), meanWords(s.curiosity, s.curiousSpan), p.exceeding(s)))
			}
		}
	}
	return said
}

// exceeding counts the runs of a setting whose attack shows an excess.
func (p *runPlane) exceeding(s spot) (n int) {
	for _, r := range p.runs {
		if r.sameSetting(s.Run) && r.exceeds() {
			n++
		}
	}
	return n
}

func meanWords(mean float64, s span) string {
	return fmt.Sprintf("%.2f ± %.2f %%", 100*mean, 50*(s.hi-s.lo))
}

// cells are a run in words, its name and setting aside.
func (r Run) cells() []string {
	if !r.shown() {
		return []string{"–", "–", "–", "–", "–"}
	}
	return []string{
		accuracyCell(r.Honesty, r.HonestyStd, r.HonestyInterval), accuracyCell(r.Curiosity, r.CuriosityStd, r.CuriosityInterval),
		percent1(positive(r.Baseline)), change(float64(r.Excess), 2), hundredths(float64(r.EntropyBits)),
	}
}

// accuracyCell is a share in percent with its standard deviation over seeds, or
// half of its interval.
func accuracyCell(mean, std Number, i Interval) string {
	s := fmt.Sprintf("%.2f", 100*float64(mean))
	switch {
	case math.IsNaN(float64(mean)):
		return "–"
	case std > 0:
		return s + fmt.Sprintf(" ±%.2f", 100*float64(std))
	case i.known():
		return s + fmt.Sprintf(" (%.1f–%.1f)", 100*float64(i[0]), 100*float64(i[1]))
	}
	return s
}

// brand is an attack and its outputs as a terminal has room for: "param. raw".
func (r Run) brand() string {
	name := r.Attack
	if r.Attack == "parameterized" || r.Attack == "regularized" || r.Attack == "overlearning" {
		name = name[:5] + "."
	}
	return cut(name, 8) + " " + cut(r.Outputs, 4)
}

func (r Run) seedWords() string {
	if r.Seeds > 1 {
		return fmt.Sprintf("%d×", r.Seeds)
	}
	return fmt.Sprint(r.Seed)
}

// hundredths prints a figure of a column.
func hundredths(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return fmt.Sprintf("%.2f", x)
}
