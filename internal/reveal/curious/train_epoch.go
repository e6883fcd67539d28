package curious

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"tattle/internal/engine/classify"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/train"
	"tattle/internal/run"
)

// sweep ends an epoch: it validates, and keeps the training and the parameters where they are the best.
func (t *training) sweep(ctx context.Context, epoch int) error {
	e := Epoch{LossY: t.epoch / float64(t.loop.Steps())}
	t.epoch = 0
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

// orders returns what shuffles the examples of each epoch, by a stream of the seed.
func orders(seed uint64, stream int) func(epoch int) *rand.Rand {
	return func(epoch int) *rand.Rand { return run.Rand(seed, stream, epoch) }
}

// diverged says that outputs after an epoch are not finite.
func diverged(what string, epoch int, err error) error {
	return fmt.Errorf("%s: after epoch %d %w: %s", what, epoch, err, train.Remedy)
}

// stopped reports whether err is that ctx has ended: what was reached so far is worth
// keeping then, and not after another error.
func stopped(ctx context.Context, err error) bool {
	return err != nil && errors.Is(err, ctx.Err())
}

// thresholds returns the grid of τ that the authors' program searches, in nats: .04,
// .06 and so on up to .90 (B section 5.1.4 has it tuned on the validation part).
func thresholds() []float64 {
	var taus []float64
	for i := 4; i <= 90; i += 2 {
		taus = append(taus, float64(i)/100)
	}
	return taus
}

// bestThreshold returns the threshold of the grid, the least of equally good ones,
// that guesses most of s by B eq. (4), s̄ = 1 where the entropy is above it, and the
// fraction that it guesses.
func bestThreshold(entropies []float64, s []int) (tau, accuracy float64) {
	best, right := classify.BestCut(entropies, s, thresholds(), false)
	return best.Tau, float64(right) / float64(len(s))
}

// score is what the best epoch is chosen by (B section 5.1.4): δy and the mean of δs,
// weighted by βy and βs.
func score(b Beta, honesty float64, curiosity []float64) float64 {
	if len(curiosity) == 0 || b.S == 0 {
		return honesty
	}
	mean := 0.0
	for _, c := range curiosity {
		mean += c
	}
	mean /= float64(len(curiosity))
	return (b.Y*honesty + b.S*mean) / (b.Y + b.S)
}

// accuracy returns the fraction of rows whose largest entry is at the label.
func accuracy(outputs []float32, y []int) float64 {
	return classify.Accuracy(classify.Guesses(outputs, len(outputs)/len(y)), y).Value
}
