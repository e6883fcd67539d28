package curious

import (
	"context"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
)

// Epoch is what one sweep over the training data came to. The loss is in nats, and
// each batch counts as it was before its step of F.
type Epoch struct {
	LossY       float64   `json:"loss_y"`                 // cross entropy of y; of a student B eq. (11)
	ValidationY float64   `json:"validation_y"`           // δy on the validation part
	ValidationS []float64 `json:"validation_s,omitempty"` // δs of each attack there
	Tau         []float64 `json:"tau,omitempty"`          // the best thresholds there, nats
	Score       float64   `json:"score"`                  // (βy·δy + βs·δs)/(βy + βs)
}

// Result is a trained classifier and its attacks, both of the best epoch.
type Result struct {
	Classifier *nn.Graph // F; ends in a Softmax where soft outputs are released
	Attacks    []Attack  // one for each attribute; none of a standard classifier
	Epochs     []Epoch   // those that were completed, of F
	Best       int       // the epoch that was kept, from 1
	Steps      int       // of F and, for overlearning, of each G
}

// Train fits F, and what attacks it, to the training part of p by B section 5.1.4:
// Adam, shuffled batches, the last partial one dropped, and in the end the epoch with
// the strictly largest (βy·δy + βs·δs)/(βy + βs) on the validation part. When ctx ends
// it returns the best so far, nil if no epoch was completed, and ctx's error. It
// errs, and returns nothing, as Options.Check does and when the loss or an output is no
// longer finite. Equal seeds give equal bytes, however many cores take part.
func Train(ctx context.Context, p *dataset.Parts, o Options) (*Result, error) {
	if err := o.Check(p); err != nil {
		return nil, err
	}
	o = o.WithDefaults()
	o.Batch = min(o.Batch, p.Train.Len())
	switch {
	case o.Attack == Standard:
		o.Attributes = []int{}
	case o.Attributes == nil:
		o.Attributes = nn.Indices(len(p.Train.Sensitive))
	}
	switch o.Attack {
	case MixtureKind:
		return trainMixture(ctx, p, o)
	case Overlearning:
		return overlearn(ctx, p, o)
	}
	return trainDirect(ctx, p, o)
}

// trainDirect trains F, with G where the kind has one.
func trainDirect(ctx context.Context, p *dataset.Parts, o Options) (*Result, error) {
	t, err := newTraining(p, o)
	if err != nil {
		return nil, err
	}
	return t.finish(ctx, t.loop.Run(ctx))
}

// overlearn trains a standard F and then, on its frozen outputs, a G for each
// attribute (B section 5.1.3, after Song and Shmatikov).
func overlearn(ctx context.Context, p *dataset.Parts, o Options) (*Result, error) {
	const slower = 100 // than a step of a G, about
	steps := p.Train.Len() / o.Batch * o.Epochs
	progress := func(done int, loss float64) {
		if o.Progress != nil {
			o.Progress(done, steps*(slower+len(o.Attributes)), loss)
		}
	}
	standard := o
	standard.Attack, standard.Attributes = Standard, []int{}
	standard.Progress = func(done, _ int, loss float64) { progress(slower*done, loss) }
	r, err := trainDirect(ctx, p, standard)
	if r == nil {
		return nil, err
	}
	r.Classifier.Metadata = metadata(p.Train, o, r.Best)
	if err != nil {
		return r, err
	}
	before := r.Steps
	r.Attacks, err = FitAttacks(ctx, r.Classifier, p, o.Attributes, Options{
		Epochs: o.Epochs, Batch: o.Batch, LearningRate: o.LearningRate, Seed: o.Seed,
		Progress: func(done, _ int, loss float64) { r.Steps = before + done; progress(slower*steps+done, loss) },
	})
	if err != nil && !stopped(ctx, err) {
		return nil, err
	}
	return r, err
}
