package shape

import (
	"cmp"
	"context"
	"fmt"
	"maps"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/train"
)

// Defaults of Options.
const (
	LinearExtra   = 3    // numbers beyond the discriminants in a linear layer: worth 0.05 points of accuracy on MNIST
	linearSigma   = 1.   // standard deviation of the noise: the layer scales itself to it
	hidden        = 128  // units of the head: more gain nothing on MNIST's nine discriminants
	DefaultBatch  = 500  // the penalty compares all pairs of a batch: with 250, half the rate and more steps, MNIST loses three to five points of a thousand
	DefaultEpochs = 30   // twice as many with twice the batch and half the rate gain about a point of a thousand on MNIST, ten fewer lose two
	leastSteps    = 3000 // as many as 30 epochs of 50,000 examples
	learningRate  = 2e-3
	// linearStart is what the discriminants are divided by at the start: noise of standard
	// deviation 1 then leaves MNIST's classes apart.
	linearStart = 1.6
	smallStart  = .02 // standard deviation of the weights of directions beyond the discriminants
)

// Options are the settings of Fit.
type Options struct {
	Keep       int     // numbers that are released; 0: LinearExtra more than the discriminants
	Sigma      float64 // standard deviation of the noise while learning; 0: linearSigma
	Weight     float64 // of identification in the loss; 0: none
	Candidates int     // of the adversary whom Weight is about; 0: the examples
	Protect    []Protected
	Epochs     int // 0: DefaultEpochs, and more on small data
	Batch      int // 0: DefaultBatch
	Seed       uint64
	Progress   func(done, total int) // may be nil
}

// Protected is an attribute that the release should not give away.
type Protected struct {
	Class  []int   // of each example, from 0
	Weight float64 // in the loss
}

// A Shape is a learned release.
type Shape struct {
	Layer *nn.Graph // features to what noise is added to
	Head  *nn.Graph // noisy values to logits, those of the tasks one after the other
	Sigma float64   // standard deviation of the noise for which it was learned
}

// Fit learns a release of features under noise, starting from the discriminants of the first
// task. data holds the features, and moments are theirs. Equal seeds and data give equal results. It returns the errors
// of [Moments.Discriminant] and [train.FitReleased].
func Fit(ctx context.Context, data nn.Source, moments *Moments, tasks []train.Task, o Options) (*Shape, error) {
	o.Keep, o.Sigma = cmp.Or(o.Keep, moments.Classes-1+LinearExtra), cmp.Or(o.Sigma, linearSigma)
	layer, err := o.layer(moments)
	if err != nil {
		return nil, err
	}
	classes := 0
	for _, t := range tasks {
		classes += t.Classes
	}
	s := &Shape{Layer: layer, Sigma: o.Sigma, Head: o.head(classes)}
	return s, o.fit(ctx, s.Layer, s.Head, data, tasks, DefaultEpochs, leastSteps)
}

// fit trains layer, unless it is nil, and head. Unless Epochs is set, it takes at least so many
// epochs and steps.
func (o Options) fit(ctx context.Context, layer, head *nn.Graph, data nn.Source, tasks []train.Task, epochs, steps int) error {
	batch := min(cmp.Or(o.Batch, DefaultBatch), data.Len())
	perEpoch := (data.Len()-1)/batch + 1
	epochs = cmp.Or(o.Epochs, max(epochs, (steps-1)/perEpoch+1))
	options := train.ReleasedOptions{
		Sigma: o.Sigma, Tasks: tasks,
		Options: train.Options{Epochs: epochs, Batch: batch, Seed: o.Seed, Optimizer: func(params []*nn.Param) train.Optimizer {
			return train.NewAdam(params, train.AdamOptions{LearningRate: learningRate, Schedule: train.HalfCosine(epochs * perEpoch)})
		}},
	}
	if o.Progress != nil {
		options.Progress = func(done, total int, _ float64) { o.Progress(done, total) }
	}
	if layer != nil && (o.Weight > 0 || len(o.Protect) > 0) {
		l := &leak{candidates: cmp.Or(o.Candidates, data.Len()), weight: o.Weight, given: tasks[0].Labels}
		for _, p := range o.Protect {
			l.protected = append(l.protected, protected{p.Class, p.Weight})
		}
		options.Penalty = l.penalty
	}
	_, err := train.FitReleased(ctx, layer, head, data, options)
	return err
}

// layer returns the layer to start from: discriminants, then small random directions.
func (o Options) layer(m *Moments) (*nn.Graph, error) {
	start, err := m.Discriminant(min(o.Keep, m.Classes-1, m.N))
	if err != nil {
		return nil, err
	}
	d := nn.NewDense("release", m.N, o.Keep)
	copy(d.Weight.Data, start.Weight.Data)
	r := nn.Rand(o.Seed, 1<<41)
	for i := range d.Weight.Data {
		if d.Weight.Data[i] /= linearStart; i >= len(start.Weight.Data) {
			d.Weight.Data[i] = smallStart * float32(r.NormFloat64())
		}
	}
	center(d, m.Mean)
	return Chain("release", []int{m.N}, d), nil
}

// head returns a head of one hidden layer, with random weights.
func (o Options) head(classes int) *nn.Graph {
	h := Chain("head", []int{o.Keep}, nn.NewDense("head-hidden", o.Keep, hidden), &nn.ReLU{}, nn.NewDense("head-logits", hidden, classes))
	h.Init(o.Seed)
	return h
}

// Chain returns a graph of operators one after the other.
func Chain(name string, shape []int, ops ...nn.Op) *nn.Graph {
	g := &nn.Graph{Name: name, Input: name + "-input", InputShape: shape, Output: name + "-input"}
	for i, op := range ops {
		out := name
		if i < len(ops)-1 {
			out = fmt.Sprintf("%s-%d", name, i+1)
		}
		g.Nodes = append(g.Nodes, &nn.Node{Name: out, Op: op, Inputs: []string{g.Output}, Output: out})
		g.Output = out
	}
	return g
}

// Join returns one graph that computes first, then second. What second names like something
// of first gets a longer name.
func Join(first, second *nn.Graph) *nn.Graph {
	g := &nn.Graph{Name: first.Name, Input: first.Input, InputShape: first.InputShape, Metadata: first.Metadata}
	g.Nodes = append(g.Nodes, first.Nodes...)
	rename := renaming(first, second)
	tensor := func(name string) string {
		if name == second.Input {
			return first.Output
		}
		return rename(name)
	}
	for _, n := range second.Nodes {
		m := *n
		m.Name, m.Output = rename(n.Name), rename(n.Output)
		m.Inputs = nil
		for _, in := range n.Inputs {
			m.Inputs = append(m.Inputs, tensor(in))
		}
		g.Nodes = append(g.Nodes, &m)
	}
	g.Output = tensor(second.Output)
	return g
}

// renaming returns a function that gives names of second that first has, too, a name that
// neither has.
func renaming(first, second *nn.Graph) func(name string) string {
	kept, taken := names(first), names(second)
	maps.Copy(taken, kept)
	longer := map[string]string{}
	return func(name string) string {
		if !kept[name] {
			return name
		}
		if longer[name] == "" {
			free := name
			for taken[free] {
				free += "-"
			}
			longer[name], taken[free] = free, true
		}
		return longer[name]
	}
}

// names returns the names of nodes and tensors.
func names(g *nn.Graph) map[string]bool {
	all := map[string]bool{g.Input: true}
	for _, n := range g.Nodes {
		all[n.Name], all[n.Output] = true, true
	}
	return all
}
