package curious

import (
	"context"

	"tattle/internal/engine/nn"
)

// sweep ends an epoch: it validates, and keeps the training and the parameters where they are the best.
func (t *training) sweep(ctx context.Context, epoch int) error {
	n := float64(t.loop.Steps())
	e := Epoch{
		LossY: t.epoch.y / n, LossS: t.epoch.s / n, Entropy: t.epoch.entropy / n,
		AccuracyY: float64(t.epoch.correct) / (n * float64(t.Batch)),
	}
	t.epoch = losses{}
	if err := t.validate(ctx, epoch, &e); err != nil {
		return err
	}
	t.result.Epochs = append(t.result.Epochs, e)
	t.best.Offer(epoch, e.Score)
	return t.keep()
}

// validate fills in what an epoch reached on the validation part.
func (t *training) validate(ctx context.Context, epoch int, e *Epoch) error {
	out, err := predict(ctx, t.net, t.hold)
	if err != nil {
		return err
	}
	_, classes := t.net.Dims()
	if err := allFinite("the classifier", "validation", out, classes); err != nil {
		return diverged("train", epoch, err)
	}
	e.ValidationY = accuracy(out, t.hold.Y)
	for i, index := range t.Attributes {
		s := t.hold.Sensitive[index].Labels
		switch t.Attack {
		case Regularized:
			tau, right := bestThreshold(entropiesOf(out, classes, t.Outputs), s)
			e.Tau, e.ValidationS = append(e.Tau, tau), append(e.ValidationS, right)
		case Parameterized:
			e.ValidationS = append(e.ValidationS, accuracy(forward(t.attacks[i].net, out), s))
		}
	}
	e.Score = score(t.Beta, e.ValidationY, e.ValidationS)
	return nil
}

// forward returns the outputs of a small net at all of x.
func forward(net *nn.Net, x []float32) []float32 {
	p, n := net.Dims()
	y := make([]float32, len(x)/p*n)
	net.Forward(y, x)
	return y
}

// finish returns the best epoch, unless the training failed, and err as it is.
func (t *training) finish(ctx context.Context, err error) (*Result, error) {
	if t.best.Epoch == 0 || err != nil && !stopped(ctx, err) {
		return nil, err
	}
	r := &t.result
	r.Best, r.Steps = t.best.Epoch, t.loop.Done
	r.Stopped = err != nil
	t.best.Restore()
	r.Classifier = Release(t.scores, t.Outputs)
	r.Classifier.Metadata = metadata(t.train, t.Options, r.Best)
	best := r.Epochs[r.Best-1]
	for i, delta := range best.ValidationS {
		a := Attack{
			Attribute: t.train.Sensitive[t.Attributes[i]].Name, Index: t.Attributes[i],
			Kind: NetworkAttack, Validation: delta, Best: r.Best,
		}
		if t.Attack == Regularized {
			_, classes := t.net.Dims()
			a.Kind, a.Tau, a.Graph = ThresholdAttack, best.Tau[i], entropyThreshold(classes, t.Outputs, best.Tau[i])
		} else {
			a.Graph = t.attacks[i].graph
		}
		a.describe(t.train, t.Outputs, t.Options)
		r.Attacks = append(r.Attacks, a)
	}
	return r, err
}
