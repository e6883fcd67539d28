package curious

import (
	"context"
	"fmt"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/classify"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/zoo"
)

// FitAttacks fits a G for each of the sensitive attributes to the outputs of a frozen F
// (overlearning, B section 5.1.3, where F is a standard classifier) and keeps the
// epoch that guesses it best on the validation part. F is evaluated once, for all of
// them. Of the options, the epochs, batch, learning rate, seed and progress count. When ctx
// ends it returns those that completed an epoch, and ctx's error.
func FitAttacks(ctx context.Context, f *nn.Graph, p *dataset.Parts, attributes []int, o Options) ([]Attack, error) {
	if len(attributes) == 0 {
		return nil, nil
	}
	var hold *part
	train, err := newPart(ctx, f, "training", p.Train)
	if err == nil {
		hold, err = newPart(ctx, f, "validation", p.Validation)
	}
	if err != nil {
		return nil, fmt.Errorf("attack: %w", err)
	}
	train.kind = OutputsOf(f)
	one, steps := o, 0
	if o.Progress != nil {
		one.Progress = func(_, total int, loss float64) {
			steps++
			o.Progress(steps, total*len(attributes), loss)
		}
	}
	var attacks []Attack
	for _, index := range attributes {
		a, err := fitAttack(ctx, train, hold, index, one)
		if a != nil {
			attacks = append(attacks, *a)
		}
		switch {
		case stopped(ctx, err):
			return attacks, err
		case err != nil:
			return nil, err
		}
	}
	return attacks, nil
}

// fitAttack fits G for one attribute to the outputs on the training part.
func fitAttack(ctx context.Context, train, hold *part, index int, o Options) (*Attack, error) {
	o = o.WithDefaults()
	o.Batch = min(o.Batch, train.set.Len())
	s, held := train.set.Sensitive[index], hold.set.Sensitive[index].Labels
	g := zoo.Attack(train.classes, len(s.Values), derive(o.Seed, drawAttack, index))
	t := classify.NetworkTraining{
		Graph: g, X: train.outputs, Labels: s.Labels, Held: hold.outputs,
		Batch: o.Batch, Epochs: o.Epochs, LearningRate: o.LearningRate, Progress: o.Progress,
		Dropout: derive(o.Seed, drawAttackDropout, index), Rand: orders(derive(o.Seed, drawAttackOrder, index), drawOrder),
		Judge: func(epoch int, scores []float32) (float64, bool, error) {
			if err := allFinite("the attack", "validation", scores, len(s.Values)); err != nil {
				return 0, false, diverged("attack", epoch, err)
			}
			return accuracy(scores, held), true, nil
		},
	}
	best, err := t.Run(ctx)
	if best == nil || best.Epoch == 0 || err != nil && !stopped(ctx, err) {
		return nil, err
	}
	a := &Attack{Attribute: s.Name, Index: index, Kind: NetworkAttack, Validation: best.Score, Best: best.Epoch, Graph: g}
	a.describe(train.set, train.kind, o)
	return a, err
}

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

// tiny is added to probabilities before their logarithm is taken, so that one of 0
// counts as 0: less than half a unit in the last place of any float32 above 2e-23.
const tiny = 1e-30

// entropyThreshold returns the attack of B eq. (4) on y outputs: scores [0, H − τ] of
// the entropy H, in nats, of the outputs (of their softmax where they are raw), so
// that s̄ = 1 where H > τ.
func entropyThreshold(y int, o Outputs, tau float64) *nn.Graph {
	g := &nn.Graph{Name: "threshold", Input: "outputs", InputShape: []int{y}, Output: "outputs"}
	p := g.Input
	if o != Soft {
		p = appendNode(g, "softmax", &nn.Softmax{}, g.Input)
	}
	lift := zeroAffine("lift", y, y)
	sum := zeroAffine("entropy", y, 2)
	for i := range y {
		lift.Weight.Data[i*y+i], lift.Bias.Data[i] = 1, tiny
		sum.Weight.Data[y+i] = -1 // the second row
	}
	sum.Bias.Data[1] = -float32(tau)
	appendNode(g, "lift", lift, p)
	appendNode(g, "log", &nn.Unary{Function: "Log"}, "lift")
	appendNode(g, "product", &nn.Binary{Operator: "Mul"}, p, "log")
	appendNode(g, "entropy", sum, "product")
	return g
}

// zeroAffine returns an affine layer of zeros.
func zeroAffine(name string, in, out int) *nn.Dense {
	return &nn.Dense{In: in, Out: out, Weight: param(name+".weight", out, in), Bias: param(name+".bias", out)}
}
