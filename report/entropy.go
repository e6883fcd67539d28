package report

// Entropy counts the test examples of one run by the entropy of its outputs
// (B Figure 8).
type Entropy struct {
	Run      string    `json:"run"`
	Mean     Number    `json:"mean_bits"`
	Interval Interval  `json:"mean_interval,omitzero"`
	Max      Number    `json:"max_bits"` // log2 Y
	Edges    []float64 `json:"edges"`    // bits, one more than Counts
	Counts   []int     `json:"counts"`
}
