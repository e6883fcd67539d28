package curious

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/train"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/run"
)

// Streams of the seed that are distillation's own.
const (
	drawSplit = 200 + iota
	drawStudent
	drawStudentOrder
	drawStudentDropout
)

// What a student's metadata say besides a training's.
const (
	studentKind     = "distillation" // as its tattle.attack
	metaTemperature = "tattle.temperature"
)

// StudentShare is the part of the training examples, without labels, that the
// student is trained on; the teacher has the rest (B section 5.8).
const StudentShare = .2

// StudentWidths are those of the student's layers in the authors' program. B section
// 5.8 says half the parameters of each of the teacher's layers: of those of B Table 12
// they leave a half, a quarter, a half, all and a half.
var StudentWidths = [5]int{64, 64, 64, 64, 64}

// SplitTeacher divides the training part by the seed into the teacher's 80 % and the
// student's 20 %, the order being kept. Both have the validation and test parts.
func SplitTeacher(p *dataset.Parts, seed uint64) (teacher, student *dataset.Parts) {
	n := p.Train.Len()
	order := run.Rand(seed, drawSplit, 0).Perm(n)
	cut := n - int(StudentShare*float64(n))
	part := func(indices []int) *dataset.Parts {
		slices.Sort(indices)
		c := *p
		c.Train = p.Train.Subset(indices)
		return &c
	}
	return part(order[:cut]), part(order[cut:])
}

// Distill trains a student to mimic the teacher's outputs on the training part of p,
// whose labels it does not look at (B section 5.8, eq. 11), and keeps the epoch with
// the largest δy on the validation part. The teacher's attack applies to the student
// as it is. The teacher's outputs are soft where it ends in a Softmax or its metadata
// "tattle.outputs" say so; the student's are of the same kind. Of the options
// the net, the numbers, the seed and progress count. Its net is chosen by the inputs' shape, as
// DefaultNet does, with StudentWidths where that is B Table 12. When ctx ends it
// returns the best so far, nil if no epoch was completed, and ctx's error.
func Distill(ctx context.Context, teacher *nn.Graph, p *dataset.Parts, o Options) (*Result, error) {
	d, err := newDistillation(ctx, teacher, p, o)
	if err != nil {
		return nil, err
	}
	err = d.loop.Run(ctx)
	if d.best.Epoch == 0 || err != nil && !stopped(ctx, err) {
		return nil, err
	}
	d.best.Restore()
	r := &d.result
	r.Steps = d.loop.Done
	r.Classifier, r.Best, r.Stopped = Release(d.graph, d.Outputs), d.best.Epoch, err != nil && ctx.Err() != nil
	r.Classifier.Metadata = d.metadata()
	return r, err
}

// metadata describes the student's training.
func (d *distillation) metadata() map[string]string {
	m := metadata(d.data.Train, d.Options, d.best.Epoch)
	m[metaTemperature] = number(d.Temperature)
	delete(m, metaBeta)
	m[dataset.TrainedOn] += " " + d.trainedOn // the student learned from the teacher's inputs, too, through its answers
	return dataset.RecordTraining(m, d.data.Train)
}

// distillation is a run of Distill.
type distillation struct {
	Options    // Outputs are the teacher's
	data       *dataset.Parts
	trainedOn  string    // the teacher's record
	graph      *nn.Graph // the student up to its scores
	trainer    *train.Trainer
	loss       divergence[float32]
	teacher    []float32 // probabilities, [n, Y]
	loop       *train.Loop
	best       *train.Best
	x, p, grad []float32 // of a batch
	sum        float64   // of the epoch's losses
	result     Result
}

func newDistillation(ctx context.Context, teacher *nn.Graph, p *dataset.Parts, o Options) (*distillation, error) {
	o, err := o.distilling(teacher, p)
	if err != nil {
		return nil, fmt.Errorf("distill: %w", err)
	}
	d := &distillation{Options: o, data: p, trainedOn: teacher.Metadata[dataset.TrainedOn]}
	if d.teacher, err = Predict(ctx, teacher, p.Train); err != nil {
		return nil, err
	}
	n, classes := p.Train.Len(), len(p.Train.YNames)
	if err := d.checkTaught(classes); err != nil {
		return nil, fmt.Errorf("distill: %w", err)
	}
	if d.Outputs == Raw {
		temper(d.teacher, classes, o.Temperature)
	}
	d.loss.temperature = o.Temperature
	d.graph = o.Net(classes, derive(o.Seed, drawStudent, 0))
	if d.trainer, err = newTrainer(d.graph, o, derive(o.Seed, drawStudentDropout, 0)); err != nil {
		return nil, fmt.Errorf("distill: %w", err)
	}
	inputs := nn.Size(p.Train.Shape)
	if x, y := d.trainer.Dims(); x != inputs || y != classes {
		return nil, fmt.Errorf("distill: a student of %d inputs and %d outputs for %d and %d: let Net follow the data", x, y, inputs, classes)
	}
	d.best = train.NewBest(d.graph)
	d.loop = &train.Loop{
		What: "distill", Examples: n, Batch: o.Batch, Epochs: o.Epochs, Rand: orders(o.Seed, drawStudentOrder),
		Step: d.step, Sweep: d.sweep, Progress: o.Progress,
	}
	d.x, d.p, d.grad = make([]float32, o.Batch*inputs), make([]float32, o.Batch*classes), make([]float32, o.Batch*classes)
	return d, nil
}

// distilling returns the options of a student with their defaults, or says what is wrong.
func (o Options) distilling(teacher *nn.Graph, p *dataset.Parts) (Options, error) {
	o = o.WithDefaults()
	o.Attack, o.Outputs, o.Attributes, o.Temperature = studentKind, OutputsOf(teacher), nil, cmp.Or(o.Temperature, 1)
	if o.Net == nil {
		o.Net = studentNet(p.Train.Shape)
	}
	switch {
	case !(o.Temperature > 0) || math.IsInf(o.Temperature, 0):
		return o, fmt.Errorf("temperature %v: want a number above 0", o.Temperature)
	case o.Temperature != 1 && o.Outputs == Soft:
		return o, fmt.Errorf("temperature %v of a teacher with soft outputs: leave it at 1, or take a teacher with raw ones", o.Temperature)
	case p.Train.Len() == 0 || p.Validation == nil || p.Validation.Len() == 0:
		return o, errors.New("no examples to train or to validate on")
	}
	if err := o.checkNumbers(); err != nil {
		return o, err
	}
	o.Batch = min(o.Batch, p.Train.Len())
	return o, checkGraph("the teacher", teacher, nn.Size(p.Train.Shape), len(p.Train.YNames), p.Train.YName)
}

// checkTaught returns an error if the teacher's outputs are nothing to learn from.
func (d *distillation) checkTaught(classes int) error {
	if err := allFinite("the teacher", "training", d.teacher, classes); err != nil {
		return err
	}
	if d.Outputs == Soft && !areDistributions(d.teacher, classes) {
		return fmt.Errorf("the teacher's outputs are said to be soft (%s = %s), but are no distributions", metaOutputs, Soft)
	}
	return nil
}

// studentNet chooses the student by the inputs' shape.
func studentNet(shape []int) func(classes int, seed uint64) *nn.Graph {
	if len(shape) != 3 || shape[1] != shape[2] || shape[1]%16 != 0 {
		return DefaultNet(shape)
	}
	return func(classes int, seed uint64) *nn.Graph {
		return zoo.Curious(zoo.CuriousOptions{Classes: classes, Channels: shape[0], Side: shape[1], Widths: StudentWidths}, seed)
	}
}

// step makes one step on a batch.
func (d *distillation) step(indices []int) (float64, error) {
	n := len(d.p) / d.Batch
	d.data.Train.Examples(d.x, indices)
	for k, i := range indices {
		copy(d.p[k*n:][:n], d.teacher[i*n:])
	}
	loss := d.loss.at(d.grad, d.trainer.Forward(d.x), d.p, d.Batch)
	d.trainer.Backward(nil, d.grad)
	d.trainer.Update()
	d.sum += loss
	return loss, nil
}

// sweep measures an epoch.
func (d *distillation) sweep(_ context.Context, epoch int) error {
	net, err := nn.NewNet(d.graph)
	if err != nil {
		return err
	}
	e := Epoch{LossY: d.sum / float64(d.loop.Steps()), ValidationY: nn.Accuracy(net, d.data.Validation)}
	d.sum = 0
	d.result.Epochs = append(d.result.Epochs, e)
	d.best.Offer(epoch, e.ValidationY)
	return nil
}
