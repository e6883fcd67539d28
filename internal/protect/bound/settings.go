package bound

// Settings are the part of an Experiment that is plain data. The manifest of a run and its
// report record them.
type Settings struct {
	Sizes         []float64     `json:"sizes"`  // of the perturbations, ‖z‖ ≈ size·σ; by default DefaultSize alone
	Band          int           `json:"band"`   // low band of Band×Band modes summarised by itself; 0 for none
	Domain        Domain        `json:"domain"` // where estimators must be unbiased
	Search        SearchOptions `json:"search"`
	SkipCramerRao bool          `json:"skip_cramer_rao,omitempty"` // no Cramér-Rao figures
	// Rounding says how the rounding of the features is known, by default by the best of
	// RoundingProved, RoundingPairs and RoundingMeasured for the first example.
	Rounding string `json:"rounding"`
	// Runtime says how far the released features may lie from those of real arithmetic,
	// by default as far as is derived, or else measured, of a runtime in float32.
	Runtime Runtime `json:"runtime_error"`

	// Further bounds; each is left out if it is zero.
	Far      FarOptions      `json:"far,omitzero"`      // witnesses far from θ
	Barankin BarankinOptions `json:"barankin,omitzero"` // witnesses along every singular direction, combined, the far ones with them
	Twins    TwinOptions     `json:"twins,omitzero"`    // inputs of the same features, or on a grid nearly the same
	Pairs    PairOptions     `json:"pairs,omitzero"`    // inputs far from θ that the noise hides

	// Reasons say why this search was chosen and what was left out. A run fills them in.
	Reasons []string `json:"reasons,omitempty"`
}
