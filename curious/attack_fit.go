package curious

import (
	"context"
	"fmt"

	"tattle/dataset"
	"tattle/nn"
	"tattle/nn/train"
	"tattle/nn/zoo"
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
	if err := checkFitting(f, p, attributes, o.WithDefaults()); err != nil {
		return nil, fmt.Errorf("attack: %w", err)
	}
	d, err := outputsOf(ctx, f, p)
	if err != nil {
		return nil, err
	}
	attacks, _, err := fitAttacks(ctx, d, attributes, o)
	if err != nil && !stopped(ctx, err) {
		return nil, err
	}
	return attacks, err
}

// checkFitting says what keeps G from being fitted.
func checkFitting(f *nn.Graph, p *dataset.Parts, attributes []int, o Options) error {
	if err := o.checkNumbers(); err != nil {
		return err
	}
	if err := checkParts(p); err != nil {
		return err
	}
	if err := (Options{Attack: Overlearning, Attributes: attributes}).checkAttributes(p); err != nil {
		return err
	}
	return checkGraph("the classifier", f, nn.Size(p.Train.Shape), len(p.Train.YNames), p.Train.YName)
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
	d := &fixed{train: p.Train, hold: p.Validation, outputs: OutputsOf(f)}
	var err error
	if d.x, err = Predict(ctx, f, p.Train); err != nil {
		return nil, err
	}
	d.classes = len(d.x) / p.Train.Len()
	if err := allFinite("the classifier", "training", d.x, d.classes); err != nil {
		return nil, fmt.Errorf("attack: %w", err)
	}
	if d.held, err = Predict(ctx, f, p.Validation); err != nil {
		return nil, err
	}
	if err := allFinite("the classifier", "validation", d.held, d.classes); err != nil {
		return nil, fmt.Errorf("attack: %w", err)
	}
	return d, nil
}

// fitting is a run of fitAttack.
type fitting struct {
	Options
	*fixed
	s, guessed []int // the labels of both parts

	graph   *nn.Graph
	net     *nn.Net // in evaluation mode
	trainer *train.Trainer
	loop    loop
	best    *choice

	batch []float32 // outputs of F, [Batch, classes]
	y     []int
	steps int
}

// fitAttacks is FitAttacks on outputs; it returns the steps too.
func fitAttacks(ctx context.Context, d *fixed, attributes []int, o Options) (attacks []Attack, steps int, err error) {
	one := o
	if o.Progress != nil {
		one.Progress = func(done, total int, loss float64) { o.Progress(steps+done, total*len(attributes), loss) }
	}
	for _, index := range attributes {
		a, n, err := fitAttack(ctx, d, index, one)
		if steps += n; a != nil {
			attacks = append(attacks, *a)
		}
		if err != nil {
			return attacks, steps, err
		}
	}
	return attacks, steps, nil
}

// fitAttack fits G for one attribute; it returns the steps too.
func fitAttack(ctx context.Context, d *fixed, index int, o Options) (*Attack, int, error) {
	f, err := newFitting(d, index, o.WithDefaults())
	if err != nil {
		return nil, 0, err
	}
	err = f.loop.run(ctx)
	if f.best.epoch == 0 || err != nil && !stopped(ctx, err) {
		return nil, f.steps, err
	}
	f.best.restore()
	a := &Attack{
		Attribute: d.train.Sensitive[index].Name, Index: index,
		Kind: NetworkAttack, Validation: f.best.score, Best: f.best.epoch, Graph: f.graph,
	}
	a.describe(d.train, d.outputs, f.Options)
	return a, f.steps, err
}

// newFitting makes G and the buffers.
func newFitting(d *fixed, index int, o Options) (*fitting, error) {
	o.Batch = min(o.Batch, d.train.Len())
	s := d.train.Sensitive[index]
	f := &fitting{Options: o, fixed: d, s: s.Labels, guessed: d.hold.Sensitive[index].Labels}
	f.graph = zoo.Attack(d.classes, len(s.Values), derive(o.Seed, drawAttack, index))
	var err error
	if f.net, err = nn.NewNet(f.graph); err != nil {
		return nil, fmt.Errorf("attack: %w", err)
	}
	if f.trainer, err = newTrainer(f.graph, o, derive(o.Seed, drawAttackDropout, index)); err != nil {
		return nil, err
	}
	f.loop = loop{
		examples: d.train.Len(), batch: o.Batch, epochs: o.Epochs,
		seed: derive(o.Seed, drawAttackOrder, index), step: f.step, sweep: f.sweep,
	}
	f.best = newChoice(f.graph)
	f.batch, f.y = make([]float32, o.Batch*d.classes), make([]int, o.Batch)
	return f, nil
}

// step makes one step of G.
func (f *fitting) step(indices []int) error {
	n := f.classes
	for k, i := range indices {
		copy(f.batch[k*n:][:n], f.x[i*n:])
		f.y[k] = f.s[i]
	}
	loss, _ := f.trainer.Step(f.batch, f.y)
	if err := finite("attack", loss, f.steps+1); err != nil {
		return err
	}
	f.steps++
	if f.Progress != nil {
		f.Progress(f.steps, f.loop.steps()*f.loop.epochs, loss)
	}
	return nil
}

// sweep validates G after an epoch.
func (f *fitting) sweep(_ context.Context, epoch int) error {
	scores := forward(f.net, f.held)
	if err := allFinite("the attack", "validation", scores, len(scores)/len(f.guessed)); err != nil {
		return diverged("attack", epoch, err)
	}
	f.best.offer(epoch, accuracy(scores, f.guessed))
	return nil
}
