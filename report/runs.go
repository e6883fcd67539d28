package report

// Run is one trained classifier, or the mean of several seeds: a point of the
// honesty-curiosity plane. Runs of one Panel share a plane; there, runs of one
// attack and kind of outputs are joined in the order of βs.
type Run struct {
	Name      string `json:"name"` // as `parameterized-raw seed 1`
	Panel     string `json:"panel,omitempty"`
	Attack    string `json:"attack"`
	Outputs   string `json:"outputs"`
	Beta      Beta   `json:"beta"`
	Target    string `json:"target"`
	Sensitive string `json:"sensitive"`
	Seed      uint64 `json:"seed"`
	Seeds     int    `json:"seeds,omitempty"` // that this is the mean of; zero is one

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
