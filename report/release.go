package report

import "tattle/release"

// Release is what leaves the device. Its zero values beyond Surface and Noise
// mean that nothing else is done to the features.
type Release struct {
	Surface     string        `json:"surface"` // features, logits, probabilities or label
	Noise       Noise         `json:"noise"`
	Projection  *Projection   `json:"projection,omitempty"`
	Temperature float64       `json:"temperature,omitempty"` // zero where none is set
	Post        *release.Post `json:"post,omitempty"`        // of the features with noise before they leave: it cannot lower a bound, because it uses nothing else of the input
	Queries     int           `json:"queries,omitempty"`     // independent releases of one input; zero is one
	NoBounds    string        `json:"no_bounds,omitempty"`   // why no bound holds here; empty where bounds hold
	Note        string        `json:"note,omitempty"`        // what a reader must know of why they hold
}

// none reports whether the features leave as they are, without noise.
func (l Release) none() bool {
	return l.Noise.Family == noNoise || l.Noise.Family == "" && l.NoBounds != ""
}

// noNoise is the family of a release without noise.
const noNoise = "none"

// Noise is the noise added to the features: its family and its standard deviation per feature.
type Noise struct {
	Family     string  `json:"family"`
	Sigma      float64 `json:"sigma"`
	Scale      Number  `json:"scale"`                // σ over the RMS of the features, on Data unless FromTraining
	Settings   string  `json:"settings,omitempty"`   // the family's own, as "5 degrees of freedom"
	Spec       string  `json:"spec,omitempty"`       // family and settings as release.ParseNoise reads them
	Covariance string  `json:"covariance,omitempty"` // file of the run with the noise's covariance, up to the factor sigma²
	Estimated  bool    `json:"estimated,omitempty"`  // its divergence is measured, not derived: nothing is certified

	// FromTraining says that the strength of the noise, or the clip of a lattice, was computed from the
	// features of training data (Learned), and that Scale is about these.
	FromTraining bool `json:"from_training,omitempty"`
}

// Projection is what is kept of the features before the noise is added.
type Projection struct {
	Kind string `json:"kind"` // one of release.Projections
	Keep int    `json:"keep"`
}
