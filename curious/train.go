package curious

import (
	"context"

	"tattle/dataset"
	"tattle/nn"
)

// Epoch is what one sweep over the training data came to. Losses are in nats, and
// each batch counts as it was before its step of F.
type Epoch struct {
	LossY       float64   `json:"loss_y"`        // cross entropy of y
	LossS       float64   `json:"loss_s"`        // of the attacks' cross entropy (parameterized) or the entropies' difference (regularized), before βs
	Entropy     float64   `json:"entropy"`       // of the softmax of the outputs
	AccuracyY   float64   `json:"accuracy_y"`    // of F in training
	ValidationY float64   `json:"validation_y"`  // δy on the validation part
	ValidationS []float64 `json:"validation_s"`  // δs of each attack there
	Tau         []float64 `json:"tau,omitempty"` // the best thresholds there, nats
	Score       float64   `json:"score"`         // (βy·δy + βs·δs)/(βy + βs)
}

// Result is a trained classifier and its attacks, both of the best epoch.
type Result struct {
	Classifier *nn.Graph // F; ends in a Softmax where soft outputs are released
	Attacks    []Attack  // one for each attribute; none of a standard classifier
	Epochs     []Epoch   // those that were completed, of F
	Best       int       // the epoch that was kept, from 1
	Steps      int       // of F and, for overlearning, of G
	Stopped    bool      // the context ended first
}

// Train fits F, and what attacks it, to the training part of p by B section 5.1.4:
// Adam, shuffled batches, the last partial one dropped, and in the end the epoch
// with the strictly largest (βy·δy + βs·δs)/(βy + βs) on the validation part. When
// ctx ends it returns the best so far, nil where no epoch was completed, and ctx's
// error. It errs as Options.Check does, and when the loss is no longer finite.
// Equal seeds give equal bytes, however many cores take part.
func Train(ctx context.Context, p *dataset.Parts, o Options) (*Result, error) {
	panic("curious: Train is being written")
}
