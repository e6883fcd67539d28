package report

// Plane is the two-attribute plane of B Figure 2: what a linear classifier can
// trade (B eq. 12), and what mixtures release (B Figure 4).
type Plane struct {
	Title    string          `json:"title"`
	Examples int             `json:"examples"`
	Sum      Number          `json:"sum"` // δy + δs of the best linear classifiers, 1.5: a line; NaN or zero for none
	TradeOff []TradeOffPoint `json:"trade_off"`
	Mixtures []Mixture       `json:"mixtures,omitempty"`
}

// TradeOffPoint is one linear classifier of the plane.
type TradeOffPoint struct {
	BetaS     Number `json:"beta_s"`
	Honesty   Number `json:"honesty"`
	Curiosity Number `json:"curiosity"`
}

// Mixture are the values that a mixture releases, by the true y and s.
type Mixture struct {
	Title     string        `json:"title"` // as "hard mixture"
	Honesty   Number        `json:"honesty"`
	Curiosity Number        `json:"curiosity"`
	Edges     []float64     `json:"edges"` // of ŷ, one more than each group's counts
	Marks     []float64     `json:"marks"` // thresholds of ŷ that decode y and s
	Groups    []MixtureBars `json:"groups"`
}

// MixtureBars are the counts of one combination of y and s.
type MixtureBars struct {
	Y      int   `json:"y"`
	S      int   `json:"s"`
	Counts []int `json:"counts"`
}
