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
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/run"
)

// Streams of the seed that are distillation's own.
const (
	drawSplit = 200 + iota
	drawStudent
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
	o, err := o.distilling(teacher, p)
	if err != nil {
		return nil, fmt.Errorf("distill: %w", err)
	}
	own := o
	own.Seed = derive(o.Seed, drawStudent, 0)
	t, err := newTraining(p, own)
	if err != nil {
		return nil, err
	}
	t.loop.What = "distill"
	if t.teacher, err = newLesson(ctx, teacher, p.Train, o); err != nil {
		return nil, fmt.Errorf("distill: %w", err)
	}
	r, err := t.finish(ctx, t.loop.Run(ctx))
	if r == nil {
		return nil, err
	}
	m := metadata(p.Train, o, r.Best)
	m[metaTemperature] = number(o.Temperature)
	delete(m, metaBeta)
	m[dataset.TrainedOn] += " " + teacher.Metadata[dataset.TrainedOn] // the student learned from the teacher's inputs, too, through its answers
	r.Classifier.Metadata = dataset.RecordTraining(m, p.Train)
	return r, err
}

// lesson is what a student learns in place of labels.
type lesson struct {
	divergence[float32]
	all   []float32 // the teacher's probabilities, [n, Y]
	batch []float32 // those of a batch
}

// newLesson asks the teacher, whose outputs o names. It returns an error if they are nothing to learn from.
func newLesson(ctx context.Context, teacher *nn.Graph, train *dataset.Set, o Options) (*lesson, error) {
	classes := len(train.YNames)
	all, err := Predict(ctx, teacher, train)
	if err == nil {
		err = allFinite("the teacher", "training", all, classes)
	}
	switch {
	case err != nil:
		return nil, err
	case o.Outputs == Raw:
		temper(all, classes, o.Temperature)
	case !areDistributions(all, classes):
		return nil, fmt.Errorf("the model's file says that the teacher's outputs are probabilities (%s = %s), but some are below 0 or do not sum to 1", metaOutputs, Soft)
	}
	return &lesson{divergence[float32]{temperature: o.Temperature}, all, make([]float32, o.Batch*classes)}, nil
}

// at returns the loss of a student's scores of those examples, and overwrites grad with its gradient.
func (l *lesson) at(grad, scores []float32, indices []int) float64 {
	n := len(scores) / len(indices)
	for k, i := range indices {
		copy(l.batch[k*n:][:n], l.all[i*n:])
	}
	return l.divergence.at(grad, scores, l.batch, len(indices))
}

// distilling returns the options of a student with their defaults, or says what is wrong.
func (o Options) distilling(teacher *nn.Graph, p *dataset.Parts) (Options, error) {
	o.part = "student"
	o = o.WithDefaults()
	o.Attack, o.Outputs, o.Attributes, o.Temperature = studentKind, OutputsOf(teacher), nil, cmp.Or(o.Temperature, 1)
	if o.Net == nil {
		o.Net = studentNet(p.Train.Shape)
	}
	switch {
	case o.Temperature != 1 && o.Outputs == Soft:
		return o, fmt.Errorf("temperature %v of a teacher with soft outputs: leave it at 1, or take a teacher with raw ones", o.Temperature)
	case p.Train.Len() == 0 || p.Validation == nil || p.Validation.Len() == 0:
		return o, errors.New("no examples to train or to validate on")
	}
	o.Batch = min(o.Batch, p.Train.Len())
	return o, checkGraph("the teacher", teacher, nn.Size(p.Train.Shape), len(p.Train.YNames), p.Train.YName)
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

// divergence is B eq. (11) with Hinton's temperature T: the mean over the batch of
//
//	T²·KL(p ‖ q) = T²·Σ p·log(p/q),  q = softmax(z/T),
//
// in nats, p being the teacher's probabilities and z the student's scores.
type divergence[T nn.Float] struct {
	temperature float64
	q, logq     []float64
	scaled      []T
}

// at returns the loss of scores against probabilities, both [batch, Y], and
// overwrites grad with the gradient with respect to the scores, T·(q − p)/batch.
// Where a teacher's p do not quite sum to 1, that is T·(q·Σp − p)/batch.
func (l *divergence[T]) at(grad, scores []T, teacher []float32, batch int) (loss float64) {
	if batch == 0 || len(scores)%batch != 0 || len(scores) != len(teacher) {
		panic(fmt.Sprintf("curious: %d scores and %d probabilities of %d examples", len(scores), len(teacher), batch))
	}
	n, t := len(scores)/batch, l.temperature
	l.q, l.logq, l.scaled = sized(l.q, n), sized(l.logq, n), sized(l.scaled, n)
	for k := range batch {
		p := teacher[k*n:][:n]
		for i, z := range scores[k*n:][:n] {
			l.scaled[i] = T(float64(z) / t)
		}
		softmax(l.q, l.logq, l.scaled)
		sum := 0.0
		for i, v := range p {
			sum += float64(v)
			if v > 0 {
				loss += float64(v) * (math.Log(float64(v)) - l.logq[i])
			}
		}
		for i, v := range p {
			grad[k*n+i] = T(t / float64(batch) * (l.q[i]*sum - float64(v)))
		}
	}
	return t * t * loss / float64(batch)
}

// temper overwrites scores [n, Y] with the softmax of scores/T.
func temper(scores []float32, classes int, temperature float64) {
	p, logp := make([]float64, classes), make([]float64, classes)
	for lo := 0; lo < len(scores); lo += classes {
		row := scores[lo:][:classes]
		for i, z := range row {
			row[i] = float32(float64(z) / temperature)
		}
		softmax(p, logp, row)
		for i, v := range p {
			row[i] = float32(v)
		}
	}
}
