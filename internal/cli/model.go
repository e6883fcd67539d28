package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"tattle/internal/engine/nn/zoo"
	"tattle/internal/inspect"
)

type modelCmd struct {
	Net     string `arg:"" enum:"cifar10,curious,mnist,resnet18,resnet20,swin-t" help:"mnist, cifar10: paper A's nets; resnet18, swin-t: torchvision's; resnet20: He et al.'s for CIFAR-10; curious: paper B's classifier."`
	File    string `short:"o" help:"File to write (default: NET.onnx)." placeholder:"FILE" writes:"file"`
	Classes int    `help:"Outputs (default: 10; resnet18 and swin-t 1000; curious 2)." placeholder:"N" range:"[1,1048576]"`
	Weights string `help:".npz file with an array for each parameter, named as in torchvision (default: random parameters)." placeholder:"FILE" input:"file"`
	Seed    uint64 `help:"Seed of random parameters; the same seed gives the same bytes." default:"1"`
	JSON    bool   `name:"json" help:"Describe the model as JSON on standard output."`
}

func (modelCmd) Help() string {
	return `Example: tattle model resnet18 --weights resnet18.npz -o resnet18.onnx

Without --weights the parameters are random. --weights reads the arrays of a PyTorch state_dict; docs/models.md shows how to write them. FILE.preprocess.toml beside the model says how pictures become its inputs; the other commands use it.`
}

func (c *modelCmd) Run(e *env) error {
	net := zoo.Nets()[c.Net]
	classes, err := c.classes(net)
	if err != nil {
		return err
	}
	if c.File == "" {
		c.File = c.Net + ".onnx"
	}
	beside := preprocessFile(c.File)
	for _, path := range []string{c.File, beside} {
		if exists(path) {
			return usage(fmt.Errorf("--file: %s already exists", path), "remove it, or choose another name")
		}
	}
	g := net.Build(net.Shape, classes, c.Seed)
	if c.Weights != "" {
		if err := zoo.LoadWeights(g, c.Weights); err != nil {
			return wrongWeights(err)
		}
	}
	w := &inspect.BuiltIn{Net: c.Net, Path: c.File, Parameters: g.ParamCount(), Input: g.InputShape, Classes: classes, Seed: c.Seed}
	if c.Weights != "" {
		w.Weights = filepath.Base(c.Weights)
	}
	if err := w.Write(g, beside); err != nil {
		return hinted(fmt.Errorf("--file: %w", err), "choose a file that can be written")
	}
	if c.JSON {
		return e.printJSON(w)
	}
	return e.print("%v", w)
}

// wrongWeights names the flag behind weights that cannot be used.
func wrongWeights(err error) error {
	var misfit *zoo.MisfitError
	switch {
	case !errors.As(err, &misfit):
		return fmt.Errorf("--%w", err)
	case misfit.Shapes:
		return usage(fmt.Errorf("--weights %w", err), "check --classes")
	}
	return usage(fmt.Errorf("--weights %w", err), "names and shapes are those of torchvision's state_dict; docs/models.md shows how to write them")
}

// classes is the number of outputs.
func (c *modelCmd) classes(net zoo.Net) (int, error) {
	switch {
	case c.Classes == 0:
		return net.Classes, nil
	case net.Fixed && c.Classes != net.Classes:
		return 0, usage(fmt.Errorf("--classes: the %s net has %d classes", c.Net, net.Classes), "resnet20 and resnet18 can have any number")
	}
	return c.Classes, nil
}

// preprocessFile is the file beside a model that says how its inputs are made.
func preprocessFile(model string) string {
	return strings.TrimSuffix(model, filepath.Ext(model)) + ".preprocess.toml"
}
