package curious

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"tattle/dataset"
	"tattle/nn"
	"tattle/nn/train"
	"tattle/nn/zoo"
	"tattle/run"
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

// DistillOptions says how Distill trains; the zero value is paper B's settings.
type DistillOptions struct {
	Temperature float64 // of raw outputs; 0 is 1, the only one for soft outputs
	// Net makes the student up to its scores, with parameters drawn by the seed; nil
	// chooses by the inputs' shape, as DefaultNet does, with StudentWidths where that
	// is B Table 12.
	Net          func(classes int, seed uint64) *nn.Graph
	Epochs       int     // 0 is DefaultEpochs
	Batch        int     // 0 is DefaultBatch; what is left at an epoch's end is dropped
	LearningRate float64 // 0 is DefaultLearningRate
	Seed         uint64
	Progress     func(done, total int, loss float64) // called after each step
}

// DistillEpoch is what one sweep over the student's data came to.
type DistillEpoch struct {
	Loss       float64 `json:"loss"`       // B eq. (11), nats
	Validation float64 `json:"validation"` // the student's δy on the validation part
}

// DistillResult is a student, of its best epoch.
type DistillResult struct {
	Student *nn.Graph // ends in a Softmax where the teacher's outputs are soft
	Epochs  []DistillEpoch
	Best    int // the epoch that was kept, from 1
	Steps   int
	Stopped bool // the context ended first
}

// Distill trains a student to mimic the teacher's outputs on the training part of p,
// whose labels it does not look at (B section 5.8, eq. 11), and keeps the epoch with
// the largest δy on the validation part. The teacher's attack applies to the student
// as it is. The teacher's outputs are soft where it ends in a Softmax or its metadata
// "tattle.outputs" say so; the student's are of the same kind. When ctx ends it
// returns the best so far, nil if no epoch was completed, and ctx's error.
func Distill(ctx context.Context, teacher *nn.Graph, p *dataset.Parts, o DistillOptions) (*DistillResult, error) {
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
	r.Student, r.Best, r.Stopped = Release(d.graph, d.outputs), d.best.Epoch, err != nil && ctx.Err() != nil
	r.Student.Metadata = d.metadata()
	return r, err
}

// metadata describes the student's training.
func (d *distillation) metadata() map[string]string {
	m := metadata(d.data.Train, Options{
		Attack: studentKind, Outputs: d.outputs, Seed: d.Seed, Epochs: d.Epochs, Batch: d.Batch, LearningRate: d.LearningRate,
	}, d.best.Epoch)
	m[metaTemperature] = number(d.Temperature)
	delete(m, metaBeta)
	m[dataset.TrainedOn] += " " + d.trainedOn // the student learned from the teacher's inputs, too, through its answers
	return dataset.RecordTraining(m, d.data.Train)
}

// distillation is a run of Distill.
type distillation struct {
	DistillOptions
	data       *dataset.Parts
	trainedOn  string    // the teacher's record
	outputs    Outputs   // the teacher's
	graph      *nn.Graph // the student up to its scores
	trainer    *train.Trainer
	loss       divergence[float32]
	teacher    []float32 // probabilities, [n, Y]
	loop       *train.Loop
	best       *train.Best
	x, p, grad []float32 // of a batch
	sum        float64   // of the epoch's losses
	result     DistillResult
}

func newDistillation(ctx context.Context, teacher *nn.Graph, p *dataset.Parts, o DistillOptions) (*distillation, error) {
	o, err := o.complete(teacher, p)
	if err != nil {
		return nil, fmt.Errorf("distill: %w", err)
	}
	d := &distillation{DistillOptions: o, data: p, trainedOn: teacher.Metadata[dataset.TrainedOn], outputs: OutputsOf(teacher)}
	if d.teacher, err = Predict(ctx, teacher, p.Train); err != nil {
		return nil, err
	}
	n, classes := p.Train.Len(), len(p.Train.YNames)
	if err := d.checkTaught(classes); err != nil {
		return nil, fmt.Errorf("distill: %w", err)
	}
	if d.outputs == Raw {
		temper(d.teacher, classes, o.Temperature)
	}
	d.loss.temperature = o.Temperature
	d.graph = o.Net(classes, derive(o.Seed, drawStudent, 0))
	adam := train.NewAdam(d.graph.Params(), train.AdamOptions{LearningRate: o.LearningRate})
	if d.trainer, err = train.NewTrainer(d.graph, adam, derive(o.Seed, drawStudentDropout, 0)); err != nil {
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

// complete puts the defaults in and says what is wrong.
func (o DistillOptions) complete(teacher *nn.Graph, p *dataset.Parts) (DistillOptions, error) {
	if o.Temperature == 0 {
		o.Temperature = 1
	}
	d := Options{Epochs: o.Epochs, Batch: o.Batch, LearningRate: o.LearningRate}.WithDefaults()
	o.Epochs, o.Batch, o.LearningRate = d.Epochs, d.Batch, d.LearningRate
	if o.Net == nil {
		o.Net = studentNet(p.Train.Shape)
	}
	switch {
	case !(o.Temperature > 0) || math.IsInf(o.Temperature, 0):
		return o, fmt.Errorf("temperature %v: want a number above 0", o.Temperature)
	case o.Temperature != 1 && OutputsOf(teacher) == Soft:
		return o, fmt.Errorf("temperature %v of a teacher with soft outputs: leave it at 1, or take a teacher with raw ones", o.Temperature)
	case p.Train.Len() == 0 || p.Validation == nil || p.Validation.Len() == 0:
		return o, errors.New("no examples to train or to validate on")
	}
	if err := d.checkNumbers(); err != nil {
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
	if d.outputs == Soft && !areDistributions(d.teacher, classes) {
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
	e := DistillEpoch{Loss: d.sum / float64(d.loop.Steps()), Validation: nn.Accuracy(net, d.data.Validation)}
	d.sum = 0
	d.result.Epochs = append(d.result.Epochs, e)
	d.best.Offer(epoch, e.Validation)
	return nil
}
