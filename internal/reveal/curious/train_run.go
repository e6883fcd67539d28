package curious

import (
	"fmt"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/train"
	"tattle/internal/engine/nn/zoo"
)

// training is a run of train: one epoch after the other, each of steps of G, where
// there is one, and of F.
type training struct {
	Options
	train, hold *dataset.Set // hold is the validation part

	scores  *nn.Graph // F up to its scores
	net     *nn.Net   // F with the outputs that are released, in evaluation mode
	trainer *train.Trainer
	alike   bool      // F is the same in training and in evaluation
	ahead   []float32 // its scores where evaluate has them already
	loss    objective[float32]
	teacher *lesson // of a student, in place of loss
	attacks []*opponent

	x, outputs, grad []float32
	y                []int
	s                [][]int

	loop   *train.Loop
	epoch  float64 // sum of the losses of y over the steps of an epoch
	best   *train.Best
	result Result
}

// opponent is G of one attribute, as it trains.
type opponent struct {
	graph   *nn.Graph
	net     *nn.Net // in evaluation mode, frozen while F makes its step
	trainer *train.Trainer
}

// newTraining makes F, G and all buffers, and continues what is unfinished; o has its defaults filled in.
func newTraining(p *dataset.Parts, o Options) (*training, error) {
	t := &training{Options: o, train: p.Train, hold: p.Validation}
	t.Batch = min(o.Batch, p.Train.Len())
	classes := len(p.Train.YNames)
	t.scores = o.classifier(p.Train.Shape, classes)
	var err error
	if t.net, err = nn.NewNet(Release(t.scores, o.Outputs)); err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	if t.trainer, err = newTrainer(t.scores, o, derive(o.Seed, drawDropout, 0)); err != nil {
		return nil, err
	}
	t.alike = sameInEvaluation(t.scores)
	if err := t.oppose(classes); err != nil {
		return nil, err
	}
	in, out := t.trainer.Dims()
	t.x, t.outputs, t.grad = make([]float32, t.Batch*in), make([]float32, t.Batch*out), make([]float32, t.Batch*out)
	t.y, t.s = make([]int, t.Batch), make([][]int, len(o.Attributes))
	for i := range t.s {
		t.s[i] = make([]int, t.Batch)
	}
	t.loop = &train.Loop{
		What: "train", Examples: p.Train.Len(), Batch: t.Batch, Epochs: o.Epochs,
		Rand: orders(o.Seed, drawOrder), Step: t.step, Sweep: t.sweep, Progress: o.Progress,
	}
	return t, t.resume()
}

// newTrainer returns a trainer by Adam.
func newTrainer(g *nn.Graph, o Options, seed uint64) (*train.Trainer, error) {
	t, err := train.NewTrainer(g, train.NewAdam(g.Params(), train.AdamOptions{LearningRate: o.LearningRate}), seed)
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	return t, nil
}

// oppose makes the attacks and the objective.
func (t *training) oppose(classes int) error {
	t.loss = objective[float32]{
		beta: t.Beta, soft: t.Outputs == Soft, entropies: t.Attack == Regularized, perExample: t.PerExample,
	}
	if t.Attack == Parameterized {
		for i, index := range t.Attributes {
			g := zoo.Attack(classes, len(t.train.Sensitive[index].Values), derive(t.Seed, drawAttack, i))
			net, err := nn.NewNet(g)
			if err != nil {
				return fmt.Errorf("train: %w", err)
			}
			trainer, err := newTrainer(g, t.Options, derive(t.Seed, drawAttackDropout, i))
			if err != nil {
				return err
			}
			t.attacks = append(t.attacks, &opponent{g, net, trainer})
			t.loss.attacks = append(t.loss.attacks, net.Linearize)
		}
	}
	state := t.scores.State()
	for _, a := range t.attacks {
		state = append(state, a.graph.State()...)
	}
	t.best = train.NewBest(state...)
	return nil
}

// step makes one step of G and one of F on the examples (B Algorithm 1, lines 6 to
// 15).
func (t *training) step(indices []int) (float64, error) {
	t.load(indices)
	if err := t.stepAttacks(); err != nil {
		return 0, err
	}
	total, y := t.stepClassifier(indices)
	t.epoch += y
	return total, nil
}

// load gathers a batch.
func (t *training) load(indices []int) {
	t.train.Examples(t.x, indices)
	for k, i := range indices {
		t.y[k] = t.train.Y[i]
		for a, index := range t.Attributes {
			t.s[a][k] = t.train.Sensitive[index].Labels[i]
		}
	}
}

// stepAttacks makes each G's step, with F in evaluation mode and untouched.
func (t *training) stepAttacks() error {
	if len(t.attacks) == 0 {
		return nil
	}
	t.evaluate()
	for i, a := range t.attacks {
		loss, _ := a.trainer.Step(t.outputs, t.s[i])
		if err := t.loop.Finite("the attack: ", loss); err != nil {
			return err
		}
	}
	return nil
}

// evaluate fills in the outputs of F in evaluation mode. Where training and evaluation
// are the same, F's own step takes over the pass. Where there are batch norms or
// dropout (Table 12) the two passes part at the first of them, running statistics and
// no masks here, the batch's and masks there: the first convolution alone would be
// shared, 6 of a step's 155 ms (BenchmarkStep), which is not worth a way from one engine's
// buffers into the other's.
func (t *training) evaluate() {
	if !t.alike {
		t.net.Forward(t.outputs, t.x)
		return
	}
	t.ahead = t.trainer.Forward(t.x)
	copy(t.outputs, t.ahead)
	if t.Outputs == Soft {
		temper(t.outputs, len(t.outputs)/t.Batch, 1)
	}
}

// stepClassifier makes F's step, with each G in evaluation mode and untouched. It returns the loss, and that of y alone.
func (t *training) stepClassifier(indices []int) (total, y float64) {
	scores := t.ahead
	if t.ahead = nil; scores == nil {
		scores = t.trainer.Forward(t.x)
	}
	if t.teacher != nil {
		total = t.teacher.at(t.grad, scores, indices)
		y = total
	} else {
		total, y = t.loss.at(t.grad, scores, t.y, t.s)
	}
	t.trainer.Backward(nil, t.grad)
	t.trainer.Update()
	return total, y
}

// An Unfinished keeps the parts of a training, such as its classifier, after each epoch. A training
// that was interrupted then continues as if it had not been.
type Unfinished interface {
	// Read fills in what is kept of a part, and reports whether there is anything.
	Read(part string, s any) (found bool, err error)
	// Write keeps a part.
	Write(part string, s any) error
}

// An UnfinishedError says why a training cannot be kept, or not be continued.
type UnfinishedError struct{ Err error }

// Error implements error.
func (e *UnfinishedError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *UnfinishedError) Unwrap() error { return e.Err }

// unfinishedPart is a part of a training between two epochs.
type unfinishedPart struct {
	train.State
	Epochs []Epoch
}

// keep keeps the training after an epoch.
func (t *training) keep() error {
	if t.Unfinished == nil {
		return nil
	}
	if err := t.Unfinished.Write(t.part, unfinishedPart{train.StateOf(t.loop.Done, t.best, t.trainers()...), t.result.Epochs}); err != nil {
		return &UnfinishedError{err}
	}
	return nil
}

// resume continues after the last epoch that was kept.
func (t *training) resume() error {
	if t.Unfinished == nil {
		return nil
	}
	var s unfinishedPart
	found, err := t.Unfinished.Read(t.part, &s)
	if found && err == nil {
		t.result.Epochs = s.Epochs
		err = t.loop.Resume(&s.State, len(s.Epochs), t.best, t.trainers()...)
	}
	if err != nil {
		return &UnfinishedError{err}
	}
	return nil
}

// trainers are those of F and of each G.
func (t *training) trainers() []*train.Trainer {
	all := []*train.Trainer{t.trainer}
	for _, a := range t.attacks {
		all = append(all, a.trainer)
	}
	return all
}
