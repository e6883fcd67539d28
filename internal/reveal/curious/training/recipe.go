package training

import (
	"context"
	"fmt"
	"slices"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/nn/train"
	"tattle/internal/engine/nn/zoo"
	"tattle/internal/engine/onnx"
	"tattle/internal/file"
	"tattle/internal/protect/shape"
	"tattle/internal/reveal/curious"
	"tattle/internal/run"
)

// DefaultLearningRate is that of paper A's trainings.
const DefaultLearningRate = 0.001

// A Recipe says how an honest classifier is trained with AdamW (A section 3).
type Recipe struct {
	Net          string  `json:"net"`            // of zoo.Nets
	Side         int     `json:"side,omitempty"` // to which pictures are resized for the net; 0: as they are
	Epochs       int     `json:"epochs"`
	Batch        int     `json:"batch"`
	LearningRate float64 `json:"learning_rate"`
	Seed         uint64  `json:"-"`
	// Noise, unless 0, trains with Gaussian noise on the features that paper A releases
	// (Graph.FeatureNode). Its standard deviation is Noise times the root mean square of the
	// features of each batch, so it follows the features while they change.
	Noise float64 `json:"noise,omitempty"`
	// BitsPenalty is the weight, in the loss, of the information limit of these features in bits
	// (shape.Bits). It requires Noise.
	BitsPenalty float64 `json:"bits_penalty,omitempty"`
	// Unfinished, unless empty, is a folder in which Train keeps the training after each epoch, and
	// continues what is there.
	Unfinished string    `json:"-"`
	Files      *file.Dir `json:"-"` // writes what is unfinished, and the net; nil: any files
}

// MostPenalized is the largest batch for BitsPenalty, which compares all its pairs.
const MostPenalized = 4096

// recipeClasses is how many classes the data of every recipe have.
const recipeClasses = 10

// RecipeOf returns paper A's recipe for a data set: mnist, cifar10 or glyphs.
func RecipeOf(data string) (r Recipe, ok bool) {
	r = Recipe{Net: "mnist", Epochs: 6, Batch: train.DefaultBatch, LearningRate: DefaultLearningRate}
	switch data {
	case "cifar10":
		r.Net, r.Epochs = "cifar10", 7
	case "mnist", "glyphs":
	default:
		return Recipe{}, false
	}
	return r, true
}

// Fitted is how a net was trained.
type Fitted struct {
	curious.History
	Graph *nn.Graph
	Test  *dataset.Set // on which its accuracy is measured
	Node  string       // whose output is the features that noise was added to; empty without noise
}

// Build returns the net for inputs of a shape, before it is trained.
func (r Recipe) Build(shape []int) (*nn.Graph, error) {
	inputs := slices.Clone(shape)
	for i := 1; i < len(inputs) && r.Side > 0; i++ {
		inputs[i] = r.Side
	}
	g := zoo.Nets()[r.Net].Build(inputs, recipeClasses, r.Seed)
	if !slices.Equal(g.InputShape, inputs) {
		return nil, fmt.Errorf("examples of shape %v, but the %s net takes %v", inputs, r.Net, g.InputShape)
	}
	return g.Upsampled("linear", shape[1:]...)
}

// Train trains the net, and measures its accuracy on the test set after each epoch.
// Interrupted, it returns a *run.InterruptedError if an epoch is kept.
func (r Recipe) Train(ctx context.Context, g *nn.Graph, data, test *dataset.Set, progress func(done, total int)) (*Fitted, error) {
	t := &Fitted{Graph: g, Test: test, History: curious.History{
		Task: data.Name, Parameters: g.ParamCount(), Examples: data.Len(),
		Penalty: r.BitsPenalty > 0,
	}}
	net, err := nn.NewNet(g)
	if err != nil {
		return nil, err
	}
	g.Metadata = dataset.RecordTraining(nil, data)
	o := train.Options{
		Epochs: r.Epochs, Batch: r.Batch, Seed: r.Seed,
		Optimizer: func(ps []*nn.Param) train.Optimizer {
			return train.NewAdamW(ps, train.AdamOptions{LearningRate: r.LearningRate})
		},
		Progress: func(done, total int, _ float64) { progress(done, total) },
		Validate: func(_ int, ep train.Epoch) error {
			a, err := run.Interruptible(ctx, func() (float64, error) { return nn.Accuracy(net, test), nil })
			if err == nil {
				t.Epochs = append(t.Epochs, curious.Epoch{LossY: ep.Loss, ValidationY: a})
			}
			return err
		},
	}
	if r.Unfinished != "" {
		kept := r.unfinished(data)
		var was recipeState
		if found, err := kept.Read(TrainingFolder, &was); err != nil {
			return nil, err
		} else if found {
			o.From, t.Epochs = &was.Unfinished, was.Measured
		}
		o.Keep = func(s train.Unfinished) error { return kept.Write(TrainingFolder, recipeState{s, t.Epochs}) }
	}
	if err := r.fit(ctx, g, data, t, o); err != nil {
		if ctx.Err() != nil && r.Unfinished != "" && len(t.Epochs) > 0 {
			err = &run.InterruptedError{Kept: KeptEpochs, Cause: err}
		}
		return nil, err
	}
	return t, nil
}

// recipeState is a training between two epochs.
type recipeState struct {
	train.Unfinished
	Measured []curious.Epoch
}

// unfinished returns what keeps the training on some data.
func (r Recipe) unfinished(data *dataset.Set) *unfinished {
	return newUnfinished(r.Files, r.Unfinished, []any{r, r.Seed}, data.SHA256)
}

// fit trains g, with noise on its features if the recipe says so.
func (r Recipe) fit(ctx context.Context, g *nn.Graph, data nn.Source, t *Fitted, o train.Options) error {
	if r.Noise == 0 {
		_, err := train.Fit(ctx, g, data, o)
		return err
	}
	node, err := g.FeatureNode()
	if err != nil {
		return fmt.Errorf("noise on the features: %w", err)
	}
	front, head, err := g.Cut(node)
	if err != nil {
		return fmt.Errorf("noise on the features: %w", err)
	}
	t.Node = node
	released := train.ReleasedOptions{Options: o, Scale: r.Noise}
	if r.BitsPenalty > 0 {
		released.Penalty = (&shape.Bits{Weight: r.BitsPenalty, Scaled: true}).Penalty
	}
	_, err = train.FitReleased(ctx, front, head, data, released)
	return err
}

// Save writes a trained net as ONNX, with how it was trained, and returns the file's
// SHA-256.
func (r Recipe) Save(path string, t *Fitted) (string, error) {
	g := t.Graph
	g.Metadata = map[string]string{
		dataset.TrainedOn: g.Metadata[dataset.TrainedOn],
		"tattle.task":     t.Task, "tattle.net": g.Name, "tattle.optimizer": fmt.Sprintf("AdamW, learning rate %g", r.LearningRate), "tattle.seed": fmt.Sprint(r.Seed),
		"tattle.epochs": fmt.Sprint(len(t.Epochs)),
	}
	if r.Noise > 0 {
		g.Metadata["tattle.noise_scale"], g.Metadata["tattle.noise_node"] = fmt.Sprint(r.Noise), t.Node
		if r.BitsPenalty > 0 {
			g.Metadata["tattle.bits_penalty"] = fmt.Sprint(r.BitsPenalty)
		}
	}
	if err := onnx.WriteIn(r.Files, path, g); err != nil {
		return "", err
	}
	return run.Digest(path)
}
