package curious

import (
	"context"
	"fmt"

	"tattle/dataset"
	"tattle/nn"
)

// AttackOptions says how FitAttack trains G; the zero value is paper B's.
type AttackOptions struct {
	Net          func(y, s int, seed uint64) *nn.Graph // nil is nn.AttackNet, B Table 13
	Epochs       int                                   // 0 is DefaultEpochs
	Batch        int                                   // 0 is DefaultBatch; what is left at an epoch's end is dropped
	LearningRate float64                               // 0 is DefaultLearningRate
	Seed         uint64
	Progress     func(done, total int, loss float64) // called after each step
}

func (o AttackOptions) withDefaults() AttackOptions {
	d := Options{Epochs: o.Epochs, Batch: o.Batch, LearningRate: o.LearningRate}.withDefaults()
	o.Epochs, o.Batch, o.LearningRate = d.Epochs, d.Batch, d.LearningRate
	if o.Net == nil {
		o.Net = nn.AttackNet
	}
	return o
}

// FitAttack fits G for one of the sensitive attributes to the outputs of a frozen F
// (overlearning, B section 5.1.3, where F is a standard classifier) and keeps the
// epoch that guesses it best on the validation part. When ctx ends it returns the best
// so far, nil where no epoch was completed, and ctx's error.
func FitAttack(ctx context.Context, f *nn.Graph, p *dataset.Parts, index int, o AttackOptions) (*Attack, error) {
	check := checkParts(p)
	if check == nil {
		check = Options{Attack: Overlearning, Attributes: []int{index}}.checkAttributes(p)
	}
	if check != nil {
		return nil, fmt.Errorf("attack: %w", check)
	}
	x, err := outputsOf(ctx, f, p)
	if err != nil {
		return nil, err
	}
	a, _, err := fitAttack(ctx, x, index, o)
	return a, err
}

// fixed holds the outputs of a frozen F on both parts.
type fixed struct {
	train, hold *dataset.Set
	x, held     []float32 // [n, classes]
	classes     int
	outputs     Outputs
}

// outputsOf evaluates F, once and for all attributes.
func outputsOf(ctx context.Context, f *nn.Graph, p *dataset.Parts) (*fixed, error) {
	d := &fixed{train: p.Train, hold: p.Validation, outputs: Released(f)}
	var err error
	if d.x, err = Predict(ctx, f, p.Train); err != nil {
		return nil, err
	}
	d.classes = len(d.x) / p.Train.Len()
	d.held, err = Predict(ctx, f, p.Validation)
	return d, err
}

// fitAttack is FitAttack on outputs; it returns the steps too.
func fitAttack(ctx context.Context, d *fixed, index int, o AttackOptions) (*Attack, int, error) {
	o = o.withDefaults()
	s := d.train.Sensitive[index]
	g := o.Net(d.classes, len(s.Values), derive(o.Seed, drawAttack, index))
	net, err := nn.NewNet(g)
	if err != nil {
		return nil, 0, fmt.Errorf("attack: %w", err)
	}
	trainer, err := newTrainer(g, Options{LearningRate: o.LearningRate}, derive(o.Seed, drawAttackDropout, index))
	if err != nil {
		return nil, 0, err
	}
	b := min(o.Batch, d.train.Len())
	l := loop{examples: d.train.Len(), batch: b, epochs: o.Epochs, seed: derive(o.Seed, drawAttackOrder, index)}
	x, y, steps := make([]float32, b*d.classes), make([]int, b), 0
	l.step = func(indices []int) error {
		for k, i := range indices {
			copy(x[k*d.classes:][:d.classes], d.x[i*d.classes:])
			y[k] = s.Labels[i]
		}
		loss, _ := trainer.Step(x, y)
		steps++
		if o.Progress != nil {
			o.Progress(steps, l.steps()*l.epochs, loss)
		}
		return finite("attack", loss, steps)
	}
	best := newChoice(g)
	l.sweep = func(epoch int) error {
		best.offer(epoch, accuracy(forward(net, d.held), d.hold.Sensitive[index].Labels))
		return nil
	}
	err = l.run(ctx)
	if best.epoch == 0 {
		return nil, steps, err
	}
	best.restore()
	a := &Attack{Attribute: s.Name, Index: index, Kind: NetworkAttack, Validation: best.score, Best: best.epoch, Graph: g}
	g.Metadata = attackMetadata(a, d.outputs)
	return a, steps, err
}
