package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"tattle/curious"
)

// Entropy counts the test examples of one run by the entropy of its outputs
// (B Figure 8).
type Entropy struct {
	Run string  `json:"run"`
	Max float64 `json:"max_bits"` // log2 Y
	curious.Entropy
}

// symptom is the note below the histograms of entropies.
const symptom = "A classifier that hides s in its outputs is less certain: the entropy of its outputs rises on average. High entropy is only a symptom: training with βx > 0 suppresses it, and a hard task raises it without any curiosity."

// valid reports whether there is one more edge than counts.
func (e Entropy) valid() bool { return len(e.Counts) > 0 && len(e.Edges) == len(e.Counts)+1 }

// histogramTotals returns the number of examples and the largest fraction in one bin.
func histogramTotals(counts []int) (total int, highest float64) {
	most := 0
	for _, k := range counts {
		total, most = total+k, max(most, k)
	}
	return total, float64(most) / float64(max(1, total))
}

// says returns a run's mean entropy in words.
func (e Entropy) says() string {
	s := fmt.Sprintf("mean %s bits", number(e.MeanBits))
	if e.Max > 0 {
		s = fmt.Sprintf("mean %s of at most %s bits", number(e.MeanBits), number(e.Max))
	}
	return s
}

// drawEntropy renders the histograms of all runs one under another, on one axis;
// each is as high as its own highest bar (B Figure 8).
func (r *Curious) drawEntropy() template.HTML {
	c := barsChart{label: r.entropyWords(), axis: "entropy of one output, bits", unit: "bits"}
	of := r.entropyOf()
	for _, e := range r.Entropy {
		if e.valid() {
			c.rows = append(c.rows, barsRow{name: strings.TrimPrefix(e.Run, of+": "), hue: hueOfRun(e.Run), says: e.says(), edges: e.Edges, counts: e.Counts, mean: e.MeanBits})
		}
	}
	return c.draw()
}

// entropyOf returns the common beginning of the names of all rows, up to a colon. A narrow
// screen has no room to repeat it.
func (r *Curious) entropyOf() string {
	if len(r.Entropy) == 0 {
		return ""
	}
	of, _, some := strings.Cut(r.Entropy[0].Run, ": ")
	if !some || slices.ContainsFunc(r.Entropy, func(e Entropy) bool { return !strings.HasPrefix(e.Run, of+": ") }) {
		return ""
	}
	return of
}

// fullest returns the height of the highest bar in words.
func fullest(counts []int) string {
	_, highest := histogramTotals(counts)
	digits := 0
	if highest < .1 {
		digits = 1
	}
	return fmt.Sprintf("%.*f %%", digits, 100*highest)
}

// hueOfRun returns the colour of the attack in a run's name.
func hueOfRun(name string) string {
	for _, l := range looks {
		if strings.Contains(strings.ToLower(name), l.attack) {
			return l.hue
		}
	}
	return "h3"
}

// entropyWords describes the histograms in words, for readers who cannot see them.
func (r *Curious) entropyWords() string {
	var said []string
	for _, e := range r.Entropy {
		said = append(said, e.Run+": "+e.says())
	}
	return "Histograms of the entropy of single outputs. " + strings.Join(said, ". ") + "."
}
