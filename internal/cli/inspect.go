package cli

import (
	"errors"
	"fmt"

	"tattle/internal/engine/nn"
	"tattle/internal/engine/onnx"
	"tattle/internal/inspect"
	"tattle/internal/protect/measure"
)

// inspectCmd describes a model's file, and the nodes whose output could be released.
type inspectCmd struct {
	Model       string `arg:"" help:"ONNX model." placeholder:"FILE"`
	InputShape  string `help:"Sizes of one input, without the batch, if the file leaves them open." placeholder:"3x224x224"`
	ModelOutput string `aliases:"output" help:"Output to use, if the model has several." placeholder:"NAME"`
	All         bool   `help:"Also list nodes that cannot be released alone, because a path of the model bypasses them."`
	JSON        bool   `name:"json" help:"Print one JSON object on standard output."`
}

func (inspectCmd) Help() string {
	return "Example: tattle inspect model.onnx\n\nLists every node whose output alone could leave the device; --features accepts the name of the node or of its tensor. If the model is not supported, inspect prints what the file declares and which operators are not supported, and exits with status 3."
}

// Run describes the model, and returns an error if it cannot be read.
func (c *inspectCmd) Run(e *env) error {
	o, err := readOptions(c.InputShape, c.ModelOutput)
	if err != nil {
		return err
	}
	d, err := onnx.Describe(c.Model, o)
	if err != nil {
		return err
	}
	m, err := inspect.New(d)
	if err != nil {
		return err
	}
	if !c.All {
		m.HideBypassed()
	}
	if c.JSON {
		err = m.WriteJSON(e.stdout)
	} else {
		err = m.WriteText(e.stdout)
	}
	if err != nil || d.Refused == nil {
		return err
	}
	var damaged *onnx.FormatError
	if errors.As(d.Refused, &damaged) {
		return d.Refused
	}
	return hinted(d.Refused, "standard output has what the file declares")
}

// readOptions are how a file is read, by --input-shape and --model-output.
func readOptions(shape, output string) (o onnx.ReadOptions, err error) {
	o.Output = output
	if o.Shape, err = measure.ParseShape(shape); err != nil {
		err = usage(fmt.Errorf("--input-shape: %w", err), "write it as 3x224x224")
	}
	return o, err
}

// cutAt cuts a graph in two at the node or tensor of --features.
func cutAt(g *nn.Graph, name string) (front, head *nn.Graph, err error) {
	if front, head, err = g.Cut(name); err != nil {
		err = usage(fmt.Errorf("--features: %w", err), "tattle inspect lists the nodes that can be released")
	}
	return front, head, err
}
