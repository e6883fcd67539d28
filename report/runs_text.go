package report

import (
	"fmt"
	"math"

	"tattle/classify"
)

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
		percent1(positive(r.Baseline)), signed(r.Excess), hundredths(float64(r.EntropyBits)),
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
