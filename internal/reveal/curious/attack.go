package curious

import "tattle/internal/engine/nn"

// The kinds of attack.
const (
	NetworkAttack   = "network"   // B Table 13
	ThresholdAttack = "threshold" // on the entropy, B eq. 4
	DecoderAttack   = "mixture"   // takes a mixture apart, B section 3.2
)

// Attack is G: it maps the outputs that are released, [Y], to scores of the
// sensitive attribute, [S], the largest of which (the first of equal ones) is the
// guess.
type Attack struct {
	Attribute  string  // name of the sensitive attribute
	Index      int     // in dataset.Set.Sensitive
	Kind       string  // NetworkAttack, ThresholdAttack or DecoderAttack
	Tau        float64 // of a threshold, nats
	Validation float64 // δs on the validation part
	Best       int     // the epoch that was kept, from 1
	Graph      *nn.Graph
}
