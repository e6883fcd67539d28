package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
)

// A Task is what a head answers: the classes of a label.
type Task struct {
	Name    string
	Classes int
	Labels  []int // of each example of the data
}

// ReleasedOptions are the settings of FitReleased.
type ReleasedOptions struct {
	Options
	Sigma float64 // standard deviation of the noise
	// Scale, instead of Sigma, makes the noise this many times the root mean square of the
	// released values of each batch. The gradient takes it into account, so the front gains
	// nothing from larger values.
	Scale float64
	// Tasks are what the head answers, its logits one task after the other; none: the labels
	// of the data.
	Tasks []Task
	// Penalty, unless nil, adds a function of what is released to the loss. It returns its value
	// and adds its gradient with respect to the released values to grad, [examples, n]. It is not
	// called without a front, because then nothing that learns decides what is released.
	Penalty func(grad []float32, batch Released) float64
}

// Released is what a batch releases.
type Released struct {
	Values, Noisy []float32 // without and with noise, [len(Indices), n]
	Sigma         float64   // standard deviation of the noise
	Indices       []int     // of the examples in the data
}

// FitReleased fits a front and a head with Gaussian noise between them, so that the head
// learns to answer under this noise and the front to send what survives it. It minimises
// the cross entropy of the head's answers, summed over the tasks, plus the penalty. Draws of
// the noise depend on Seed and the step only. A front that is nil passes the data on. The
// accuracy in the result is that of the first task. It returns the errors of [Fit].
func FitReleased(ctx context.Context, front, head *nn.Graph, data nn.Source, o ReleasedOptions) (Result, error) {
	o.Options = o.withDefaults()
	r, err := newReleased(front, head, data, o)
	if err != nil {
		return Result{}, err
	}
	t, err := newTraining(r, data, o.Options)
	if err != nil {
		return Result{}, err
	}
	all := &Trainer{Training: r.head, optimizer: r.optimizer, state: head.State()}
	if front != nil {
		all.Training, all.state = joined{r.head, r.front}, append(front.State(), all.state...)
	}
	if err := t.resume(all); err != nil {
		return Result{}, err
	}
	r.steps = uint64(t.loop.Done)
	return t.run(ctx, r.step)
}

// joined is the training of a head, and of a front that draws its masks at the same steps.
type joined struct {
	nn.Training
	front nn.Training
}

// Resume implements [nn.Training].
func (j joined) Resume(steps int) {
	j.Training.Resume(steps)
	j.front.Resume(steps)
}

// released is a training with noise in the middle.
type released struct {
	ReleasedOptions
	front, head nn.Training // front is nil if the data are what is released
	optimizer   Optimizer
	steps       uint64

	noisy, answer, back []float32 // what the head reads; gradients with respect to logits and released values
	logits, slope       []float32 // of one task
	y                   []int
}

// noiseStream separates the noise from the other random numbers of a training.
const noiseStream = 1 << 40

func newReleased(front, head *nn.Graph, data nn.Source, o ReleasedOptions) (*released, error) {
	if !(o.Sigma >= 0 && o.Scale >= 0) || math.IsInf(o.Sigma+o.Scale, 0) || o.Sigma > 0 && o.Scale > 0 {
		return nil, fmt.Errorf("train: noise of standard deviation %v or scale %v: give one of them, a number from 0", o.Sigma, o.Scale)
	}
	r := &released{ReleasedOptions: o}
	params := head.Params()
	if front != nil {
		params = append(front.Params(), params...)
	}
	r.optimizer = o.Optimizer(params)
	var err error
	if r.head, err = nn.NewTraining(head, params, o.Seed); err != nil {
		return nil, fmt.Errorf("train: head: %w", err)
	}
	n, classes := r.head.Dims()
	if front != nil {
		if r.front, err = nn.NewTraining(front, params, o.Seed+1); err != nil {
			return nil, fmt.Errorf("train: front: %w", err)
		}
		if _, m := r.front.Dims(); m != n {
			return nil, fmt.Errorf("train: the front gives %d values, the head takes %d", m, n)
		}
	}
	if data.Len() == 0 {
		return nil, errors.New("train: the data has no examples")
	}
	if r.Tasks == nil {
		one := Task{Classes: classes}
		for i := range data.Len() {
			one.Labels = append(one.Labels, data.Label(i))
		}
		r.Tasks = []Task{one}
	}
	sum := 0
	for _, t := range r.Tasks {
		sum += t.Classes
		if len(t.Labels) != data.Len() {
			return nil, fmt.Errorf("train: task %s has %d labels for %d examples", t.Name, len(t.Labels), data.Len())
		}
		if err := checkLabels(func(i int) int { return t.Labels[i] }, data.Len(), t.Classes); err != nil {
			return nil, err
		}
	}
	if sum != classes {
		return nil, fmt.Errorf("train: the tasks have %d classes, the head gives %d answers", sum, classes)
	}
	return r, nil
}

// Dims returns the number of entries of an input and of the logits.
func (r *released) Dims() (p, n int) {
	p, n = r.head.Dims()
	if r.front != nil {
		p, _ = r.front.Dims()
	}
	return p, n
}

func (r *released) step(x []float32, indices []int) (loss float64, correct int) {
	values := x
	if r.front != nil {
		values = r.front.Forward(x)
	}
	sigma, squares := r.Sigma, 0.
	if r.Scale > 0 {
		for _, v := range values {
			squares += float64(v) * float64(v)
		}
		sigma = r.Scale * math.Sqrt(squares/float64(len(values)))
	}
	noisy := values
	if sigma > 0 {
		r.noisy = grown(r.noisy, len(values))
		noisy = r.noisy
		random := nn.Rand(r.Seed, noiseStream+r.steps)
		for i, v := range values {
			noisy[i] = v + float32(sigma*random.NormFloat64())
		}
	}
	r.steps++
	loss, correct = r.cost(r.head.Forward(noisy), indices)
	if loss-loss != 0 {
		return loss, correct
	}
	if r.front == nil {
		r.head.Backward(nil, r.answer)
	} else {
		r.back = grown(r.back, len(values))
		r.head.Backward(r.back, r.answer)
		if squares > 0 {
			scaled(r.back, values, noisy, squares)
		}
		if r.Penalty != nil {
			loss += r.Penalty(r.back, Released{values, noisy, sigma, indices})
		}
		if loss-loss != 0 {
			return loss, correct
		}
		r.front.Backward(nil, r.back)
	}
	r.optimizer.Step()
	return loss, correct
}

// scaled adds to grad, the gradient with respect to noisy values, what depends on the values
// through the noise's standard deviation s·√(Σv²/N): with noisy = v + s·√(Σv²/N)·ξ,
// ∂noisy_i/∂v_j has the term (noisy_i − v_i)·v_j/Σv². squares is Σv².
func scaled(grad, values, noisy []float32, squares float64) {
	var along float64
	for i, g := range grad {
		along += float64(g) * float64(noisy[i]-values[i])
	}
	simd.Axpy(float32(along/squares), values, grad)
}

// cost returns the cross entropy, summed over the tasks, and how many answers to the first are
// right. It overwrites answer with the gradient.
func (r *released) cost(logits []float32, indices []int) (loss float64, correct int) {
	b := len(indices)
	all, first := len(logits)/b, 0
	r.answer, r.y = grown(r.answer, len(logits)), grown(r.y, b)
	for k, t := range r.Tasks {
		c := t.Classes
		r.logits, r.slope = grown(r.logits, b*c), grown(r.slope, b*c)
		for i, index := range indices {
			copy(r.logits[i*c:(i+1)*c], logits[i*all+first:])
			r.y[i] = t.Labels[index]
		}
		l, right := CrossEntropy(r.slope, r.logits, r.y)
		for i := range b {
			copy(r.answer[i*all+first:i*all+first+c], r.slope[i*c:])
		}
		if loss += l; k == 0 {
			correct = right
		}
		first += c
	}
	return loss, correct
}

// grown returns s with n entries, their values left open.
func grown[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }
