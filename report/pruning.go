package report

// Pruning is honesty and curiosity as the smallest weights of one run are set
// to zero (B Figure 9).
type Pruning struct {
	Run      string         `json:"run"`
	Honesty  Number         `json:"honesty_chance"`     // what guessing the majority class gives: a line; NaN or zero for none
	Baseline Number         `json:"curiosity_baseline"` // likewise of curiosity
	Points   []PruningPoint `json:"points"`             // by rising fraction
}

// PruningPoint is one amount of pruning.
type PruningPoint struct {
	Fraction          Number   `json:"fraction"` // of the weights of every tensor
	Honesty           Number   `json:"honesty"`
	HonestyInterval   Interval `json:"honesty_interval,omitzero"`
	Curiosity         Number   `json:"curiosity"`
	CuriosityInterval Interval `json:"curiosity_interval,omitzero"`
}
