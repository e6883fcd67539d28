package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"tattle/dataset"
	"tattle/nn"
	"tattle/onnx"
	"tattle/release"
	"tattle/report"
	"tattle/run"
)

// The recipes of paper A, section 3: what `train TASK` does unless told
// otherwise.
var recipes = map[string]recipe{
	"mnist":    {epochs: 6, net: nn.MNISTNet},
	"cifar10":  {epochs: 7, net: nn.CIFARNet},
	glyphsName: {epochs: 6, net: nn.MNISTNet},
}

type recipe struct {
	epochs int
	net    func(seed uint64) *nn.Graph
}

// The generated data, in place of a folder.
const (
	glyphsName  = "glyphs"
	glyphsTrain = 10000 // learned to above 90 % in seconds
	glyphsTest  = 2000
)

// glyphs generates training and test data of n examples (0: glyphsTrain).
func glyphs(n int, seed uint64) (train, test *dataset.Set) {
	if n == 0 {
		n = glyphsTrain
	}
	train = dataset.Glyphs(dataset.GlyphOptions{N: n, Size: 28, Seed: seed})
	test = dataset.Glyphs(dataset.GlyphOptions{N: glyphsTest, Size: 28, Seed: seed, Split: dataset.Test})
	return train, test
}

type trainCmd struct {
	Task         string  `arg:"" enum:"mnist,cifar10,glyphs" help:"mnist or cifar10 (paper A's nets on those data), or glyphs (generated, the MNIST net)."`
	Data         string  `help:"Folder of the data set: idx files for mnist, binary records for cifar10." placeholder:"DIR"`
	Epochs       int     `help:"Passes over the training data (default: the paper's, 6 or 7)."`
	Batch        int     `help:"Examples a step." default:"32"`
	LearningRate float64 `help:"AdamW's learning rate." default:"0.001"`
	Examples     int     `help:"Train on this many examples only (default: all; glyphs: 10000)."`
	output
}

func (trainCmd) Help() string {
	return "Example: tattle train mnist --data mnist --out mnist-net\n\nWrites model.onnx with report.json and report.html beside it. Ctrl-C stops after the current step and keeps the model as it is, marked as unfinished."
}

func (c *trainCmd) Run(e *env) error {
	if err := c.check(); err != nil {
		return err
	}
	train, test, err := c.load()
	if err != nil {
		return err
	}
	dir, err := c.folder("train-"+c.Task, false)
	if err != nil {
		return err
	}
	started := time.Now()
	g, r, stopped := c.train(e, train, test)
	if r == nil {
		return stopped
	}
	if stopped != nil {
		r.Warnings = append(r.Warnings, fmt.Sprintf("training was interrupted in epoch %d of %d", len(r.Training.Epochs)+1, c.Epochs))
	}
	r.Timing["total"] = report.Number(time.Since(started).Seconds())
	if err := saveModel(dir, g, r); err != nil {
		return err
	}
	if err := c.finish(e, dir, r); err != nil || stopped == nil {
		return err
	}
	return hinted(fmt.Errorf("interrupted: the model as far as it came is in %s", dir), "")
}

func (c *trainCmd) check() error {
	switch {
	case c.Epochs < 0:
		return usage(fmt.Errorf("--epochs: %d is negative", c.Epochs), "")
	case c.Batch < 1 || c.Batch > 1<<16:
		return usage(fmt.Errorf("--batch: %d is not between 1 and 65536", c.Batch), "")
	case !(c.LearningRate > 0 && c.LearningRate < 1):
		return usage(fmt.Errorf("--learning-rate: %g is not between 0 and 1", c.LearningRate), "")
	case c.Examples < 0:
		return usage(fmt.Errorf("--examples: %d is negative", c.Examples), "")
	case c.Task != glyphsName && c.Data == "":
		return usage(fmt.Errorf("train %s needs --data, the folder of the data set", c.Task), "tattle data get "+c.Task+" fetches it")
	}
	if c.Epochs == 0 {
		c.Epochs = recipes[c.Task].epochs
	}
	return nil
}

// load returns the training and the test set.
func (c *trainCmd) load() (train, test *dataset.Set, err error) {
	if c.Task == glyphsName {
		train, test = glyphs(c.Examples, c.Seed)
		return train, test, nil
	}
	if train, err = dataset.Open(c.Data, dataset.Train); err != nil {
		return nil, nil, err
	}
	if test, err = dataset.Open(c.Data, dataset.Test); err != nil {
		return nil, nil, err
	}
	if c.Examples > 0 && c.Examples < train.Len() {
		train = train.Subset(firstIndices(c.Examples))
	}
	return train, test, nil
}

// train runs the recipe and reports on it. Interrupted, it returns the model as
// far as it came, with ctx's error.
func (c *trainCmd) train(e *env, train, test *dataset.Set) (*nn.Graph, *report.Report, error) {
	g := recipes[c.Task].net(c.Seed)
	if !slices.Equal(g.InputShape, train.Shape) {
		return nil, nil, usage(fmt.Errorf("--data %s: examples of shape %v, but the %s net takes %v", c.Data, train.Shape, c.Task, g.InputShape), "")
	}
	t := &report.Training{
		Task: train.Name, Examples: train.Len(), Batch: c.Batch,
		Optimizer: fmt.Sprintf("AdamW, learning rate %g", c.LearningRate),
	}
	for _, p := range g.Params() {
		t.Parameters += len(p.Data)
	}
	net, err := nn.NewNet(g)
	if err != nil {
		return nil, nil, err
	}
	bar := newMeter(e.stderr, "training", 0, false)
	_, stopped := nn.Train(e.ctx, g, train, nn.TrainOptions{
		Epochs: c.Epochs, Batch: c.Batch, Seed: c.Seed,
		Optimizer: func(ps []*nn.Param) nn.Optimizer {
			return nn.NewAdamW(ps, nn.AdamOptions{LearningRate: c.LearningRate})
		},
		Progress: func(done, total int, _ float64) { bar.set(int64(done), int64(total)) },
		Validate: func(_ int, ep nn.Epoch) error {
			t.Epochs = append(t.Epochs, report.Epoch{Loss: report.Number(ep.Loss), Accuracy: report.Number(nn.Accuracy(net, test))})
			return nil
		},
	})
	bar.close()
	if stopped != nil && e.ctx.Err() == nil {
		return nil, nil, stopped
	}
	u, err := release.CleanUtility(net, test)
	if err != nil {
		return nil, nil, err
	}
	r := newReport(e, "A classifier of "+train.Name, c.Seed)
	r.Training = t
	r.Model = report.Model{Inputs: nn.Size(g.InputShape), Features: u.Classes}
	r.Data = describe(test, c.Data, "test")
	r.Utility = utility(u)
	return g, r, stopped
}

// firstIndices returns 0 to n−1.
func firstIndices(n int) []int {
	idx := make([]int, n)
	for i := range idx {
		idx[i] = i
	}
	return idx
}

// saveModel writes a trained graph, with what made it, into the run's folder.
func saveModel(dir string, g *nn.Graph, r *report.Report) error {
	g.Metadata = map[string]string{"tattle.task": r.Training.Task, "tattle.optimizer": r.Training.Optimizer, "tattle.seed": fmt.Sprint(r.Seed)}
	path := filepath.Join(dir, modelFile)
	if err := onnx.Write(path, g); err != nil {
		return err
	}
	hash, err := run.Digest(path)
	r.Model.Path, r.Model.SHA256 = modelFile, hash // beside the report
	return err
}
