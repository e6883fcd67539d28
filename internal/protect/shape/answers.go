package shape

import (
	"context"
	"fmt"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/train"
)

// Settings of Answers.
const (
	answerHidden = 256  // units between the features and the answers
	answerEpochs = 10   // twice as many with twice the batch gain nothing on MNIST
	answerSteps  = 1000 // as many as 10 epochs of 50,000 examples
	// AnswerSigma is a strength of the noise to begin with: one answer in fifty becomes another on MNIST.
	AnswerSigma = .2
	// steepness multiplies the logits before the softmax. An input between two classes stands out
	// among candidates that are all at 0 or 1. With logits as they are, .4 % of MNIST's new inputs are
	// identified among 60,000 candidates; 30 times steeper .06 %, 300 times .02 %.
	steepness = 300
)

// Answers learns a layer that releases answers to the tasks: for each task, one number per class,
// close to 1 for one class and to 0 for the others. A network with one hidden layer is trained
// without noise to classify the features; its logits are multiplied by a large number, and each
// task's are put through a softmax.
//
// Inputs with the same answers release nearly the same numbers, which is why noise hides them among each
// other, and why new inputs are hidden as well as those of the training.
//
// data holds the n features. Of the options, Epochs, Batch, Seed and Progress are used. Equal seeds and data give equal
// results. It returns the errors of [train.FitReleased].
func Answers(ctx context.Context, data nn.Source, n int, tasks []train.Task, o Options) (*nn.Graph, error) {
	classes := 0
	for _, t := range tasks {
		classes += t.Classes
	}
	last := nn.NewDense("release", answerHidden, classes)
	g := Chain("release-logits", []int{n}, nn.NewDense("release-hidden", n, answerHidden), &nn.ReLU{}, last)
	g.Init(o.Seed + 1)
	o.Sigma = 0
	if err := o.fit(ctx, nil, g, data, tasks, answerEpochs, answerSteps); err != nil {
		return nil, err
	}
	for _, p := range last.Params() {
		for i := range p.Data {
			p.Data[i] *= steepness
		}
	}
	return Join(g, softmaxes(classes, tasks)), nil
}

// softmaxes returns a graph that puts the logits of each task through a softmax.
func softmaxes(n int, tasks []train.Task) *nn.Graph {
	if len(tasks) == 1 {
		return Chain("release", []int{n}, &nn.Softmax{})
	}
	b := nn.NewBuilder("release", n)
	var parts []string
	first := 0
	for i, t := range tasks {
		logits := b.Join(fmt.Sprintf("release-logits-%d", i+1), &nn.Slice{Starts: []int{first}, Counts: []int{t.Classes}}, b.Graph.Input)
		parts = append(parts, b.Join(fmt.Sprintf("release-answer-%d", i+1), &nn.Softmax{}, logits))
		first += t.Classes
	}
	b.Join("release", &nn.Concat{}, parts...)
	return b.Graph
}
