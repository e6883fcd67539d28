package cli

import (
	"errors"
	"fmt"
	"path/filepath"

	"tattle/dataset"
)

type boundCmd struct {
	modelFlags
	Data     string `required:"" help:"The inputs: a folder of idx files (.gz or not) or of CIFAR-10 records, a folder or zip of pictures, an .npz file, a CSV table, or glyphs (generated)." placeholder:"PATH" input:"data"`
	Split    string `help:"Part of the data: test or train." enum:"test,train" default:"test"`
	Examples string `help:"How many examples, drawn by the seed, or an .npy file of their indices, or all." default:"100" placeholder:"N|FILE" input:"file"`

	inputFlags
	memoryFlag

	releaseFlags `group:"What is released"`
	searchFlags  `group:"Near witnesses"`
	rungFlags    `group:"Further bounds and attacks"`

	Resume bool `help:"Go on with the interrupted run in --out."`
	output

	clusterFlags `group:"Runs over several machines"`
}

func (boundCmd) Help() string {
	return "Example: tattle bound --model mnist-net/model.onnx --data mnist --examples 100\n\nCtrl-C keeps the bounds of finished examples; the same command with --out and --resume goes on. Prior and attacks, which take less, run again."
}

func (c *boundCmd) Run(e *env) error {
	m, err := c.measurement(e)
	if err != nil {
		return err
	}
	return c.in(e, "bound", c.Resume, func(dir string) error {
		done, err := m.run(e, dir)
		if err != nil {
			return e.unfinished(err, dir)
		}
		return e.unfinished(c.finish(e, dir, done.report), dir)
	})
}

// title is that of the report on a release of the model at a path.
func (l released) title(model string) string {
	give := "give"
	if l.post.Label {
		give = "gives"
	}
	return fmt.Sprintf("What the %s of %s %s away", l.surface(), filepath.Base(model), give)
}

// measurement checks the flags and opens model and data.
func (c *boundCmd) measurement(e *env) (*measurement, error) {
	leaves, err := c.released(c.Seed)
	if err != nil {
		return nil, err
	}
	if err := c.rungFlags.check(); err != nil {
		return nil, err
	}
	if leaves.family == noNoise {
		if c.VanTrees != nil && *c.VanTrees {
			return nil, usage(errors.New("--van-trees: no bound holds without noise"), "choose a family with --noise")
		}
		c.VanTrees = new(bool)
	}
	read, err := c.modelFlags.open()
	if err != nil {
		return nil, err
	}
	in := inputs{c.inputFlags.settled(), c.Data, c.Split, c.Seed}
	set, err := openInputs(e, in, read)
	if err != nil {
		return nil, err
	}
	m := &measurement{
		title:     leaves.title(c.Model),
		modelPath: absolute(c.Model), modelHash: read.hash, graph: read.graph, released: leaves, read: read,
		data: set, dataPath: absolute(c.Data), split: c.Split, inputs: in.inputFlags, memory: c.bytes(),
		draws: 1, seed: c.Seed, resume: c.Resume, bar: "bounding",
	}
	if m.indices, err = chooseExamples(c.Examples, set.Len(), c.Seed); err != nil {
		return nil, err
	}
	if m.experiment, m.vectors, err = c.experiment(set, c.Seed); err != nil {
		return nil, err
	}
	if err := c.extend(&m.experiment, set, len(m.indices), c.Seed); err != nil {
		return nil, err
	}
	needed := ""
	if leaves.spec.Projection == "principal" {
		needed = "--projection principal"
	}
	m.rungs, err = c.rungs(in, needed, set, func(in inputs) (*dataset.Set, error) { return readInputs(e, in, read) })
	return m, err
}
