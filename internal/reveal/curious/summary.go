package curious

import (
	"math"
)

// MeanStd is a figure over seeds. Std has the divisor Seeds − 1 and is 0 if
// there is one seed only.
type MeanStd struct {
	Mean  float64 `json:"mean"`
	Std   float64 `json:"std"`
	Seeds int     `json:"seeds"`
}

// SummaryDifference returns how far a proportion of ours lies above a published
// one, in standard deviations: their difference over
// √(std_ours² + std_published² + p(1−p)/examples), where p is the mean of the two. The last
// term is the variance between test parts of so many examples: it is not in the deviations
// over seeds, which share a test part. With examples = 0 it is left out, as for an entropy. ok
// is false if the root is 0.
func SummaryDifference(ours MeanStd, published, publishedStd float64, examples int) (deviations float64, ok bool) {
	variance := ours.Std*ours.Std + publishedStd*publishedStd
	if examples > 0 {
		p := min(1, max(0, (ours.Mean+published)/2))
		variance += p * (1 - p) / float64(examples)
	}
	if !(variance > 0) {
		return 0, false
	}
	return (ours.Mean - published) / math.Sqrt(variance), true
}
