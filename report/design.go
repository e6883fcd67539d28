package report

// Design is the answer to "how much noise, on how many features, at what cost?"
type Design struct {
	Target      DesignTarget  `json:"target"`
	MaxDrop     float64       `json:"max_accuracy_drop,omitempty"` // a fraction; zero where none was asked for
	Met         bool          `json:"met"`
	Near        string        `json:"near,omitempty"` // how near it came where nothing met the target, in words
	Best        *DesignPoint  `json:"best,omitempty"`
	Confirmed   *Confirmation `json:"confirmed,omitempty"`
	Within      float64       `json:"within,omitempty"`  // to which directions are resolved where the target names none
	Frontier    []DesignPoint `json:"frontier"`          // along σ for every family, projection and number of features
	Reproduce   string        `json:"command,omitempty"` // that bounds the best point
	Evaluations int           `json:"evaluations"`
}

// within is the standard deviation to which the points' directions are resolved,
// zero where it is not known.
func (d *Design) within() float64 {
	if d.Target.Within > 0 {
		return d.Target.Within
	}
	return d.Within
}

// DesignTarget is what a release must keep to itself; zero fields ask nothing.
type DesignTarget struct {
	Directions int     `json:"directions,omitempty"` // at most so many resolved …
	Within     float64 `json:"within,omitempty"`     // … to within this standard deviation
	MedianStd  float64 `json:"median_std,omitempty"`
	AttackMSE  float64 `json:"attack_mse,omitempty"`
}

// DesignPoint is one release that was tried. Accuracies and drops are
// fractions, intervals at 95 %.
type DesignPoint struct {
	Family       string    `json:"family"`
	Projection   string    `json:"projection,omitempty"`
	Keep         int       `json:"keep"` // numbers that leave the device
	Sigma        float64   `json:"sigma"`
	Accuracy     Number    `json:"accuracy"`
	Drop         Number    `json:"drop"`
	DropInterval [2]Number `json:"drop_interval"`
	Directions   Number    `json:"directions"` // median resolved to within Design.within
	MedianStd    Number    `json:"median_std"`
	AttackMSE    Number    `json:"attack_mse"`
	Meets        bool      `json:"meets"`
}

// Confirmation is the best point measured again with fresh noise.
type Confirmation struct {
	Accuracy     Number    `json:"accuracy"`
	Interval     [2]Number `json:"interval"`
	Drop         Number    `json:"drop"`
	DropInterval [2]Number `json:"drop_interval"`
	MedianStd    Number    `json:"median_std"` // certified on a sample, null where it was not
	Examples     int       `json:"examples"`
	Seed         uint64    `json:"seed"`
}
