package main

import (
	"errors"
	"fmt"
	"path/filepath"
)

type boundCmd struct {
	Model    string `required:"" help:"The model, an ONNX file." placeholder:"FILE"`
	Data     string `required:"" help:"The inputs: a folder of idx files (.gz or not), of CIFAR-10 records, or glyphs (generated)." placeholder:"DIR"`
	Split    string `help:"Part of the data: test or train." enum:"test,train" default:"test"`
	Features string `help:"Node (or tensor) whose output is released (default: the input of the last affine layer)." placeholder:"NODE"`
	Examples string `help:"How many examples, drawn by the seed, or an .npy file of their indices, or all." default:"100" placeholder:"N|FILE"`

	Sigma      *float64 `help:"Standard deviation of the Gaussian noise on every feature." placeholder:"X"`
	SigmaScale *float64 `help:"The same, as a multiple of the features' root mean square (default: 1)." placeholder:"X"`

	searchFlags
	Resume bool `help:"Go on with the interrupted run in --out."`
	output
}

func (boundCmd) Help() string {
	return "Example: tattle bound --model mnist-net/model.onnx --data mnist --examples 100\n\nCtrl-C keeps finished examples; the same command with --out and --resume goes on."
}

func (c *boundCmd) Run(e *env) error {
	m, err := c.measurement()
	if err != nil {
		return err
	}
	return c.in("bound", c.Resume, func(dir string) error {
		done, err := m.run(e, dir)
		if err != nil {
			return e.unfinished(err, dir)
		}
		return e.unfinished(c.finish(e, dir, done.report), dir)
	})
}

// measurement checks the flags and opens model and data.
func (c *boundCmd) measurement() (*measurement, error) {
	sigma, scale, err := c.noise()
	if err != nil {
		return nil, err
	}
	g, hash, err := openModel(c.Model)
	if err != nil {
		return nil, err
	}
	set, err := openData(c.Data, c.Split, c.Seed)
	if err != nil {
		return nil, err
	}
	m := &measurement{
		title:     fmt.Sprintf("What the features of %s give away", filepath.Base(c.Model)),
		modelPath: absolute(c.Model), modelHash: hash, graph: g, features: c.Features,
		data: set, dataPath: absolute(c.Data), split: c.Split,
		sigma: sigma, scale: scale, draws: 1, seed: c.Seed, resume: c.Resume, bar: "bounding",
	}
	if m.indices, err = chooseExamples(c.Examples, set.Len(), c.Seed); err != nil {
		return nil, err
	}
	if m.experiment, m.vectors, err = c.experiment(set, c.Seed); err != nil {
		return nil, err
	}
	return m, nil
}

// noise returns σ, or zero and the multiple of the features' RMS that it is.
func (c *boundCmd) noise() (sigma, scale float64, err error) {
	switch {
	case c.Sigma != nil && c.SigmaScale != nil:
		return 0, 0, usage(errors.New("--sigma and --sigma-scale exclude each other"), "")
	case c.Sigma != nil && !(*c.Sigma > 0):
		return 0, 0, usage(fmt.Errorf("--sigma %g: the noise must be positive, or nothing is hidden", *c.Sigma), "")
	case c.SigmaScale != nil && !(*c.SigmaScale > 0):
		return 0, 0, usage(fmt.Errorf("--sigma-scale %g: the noise must be positive, or nothing is hidden", *c.SigmaScale), "")
	case c.Sigma != nil:
		return *c.Sigma, 0, nil
	case c.SigmaScale != nil:
		return 0, *c.SigmaScale, nil
	}
	return 0, defaultSigmaScale, nil
}

// defaultSigmaScale makes the noise as strong as the features, as A does for
// MNIST (section 3).
const defaultSigmaScale = 1
