package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"tattle/internal/data/catalogue"
	"tattle/internal/data/dataset"
	"tattle/internal/progress"
)

type dataCmd struct {
	Make dataMakeCmd `cmd:"" help:"Draw simple faces in the format of UTKFace, to try the tool without the data."`
	Get  dataGetCmd  `cmd:"" help:"Download a public data set, and check its SHA-256. An interrupted download continues."`
	Info dataInfoCmd `cmd:"" help:"Describe a data set: its contents, licence and source."`
}

type dataGetCmd struct {
	Name string `arg:"" help:"mnist, fashion-mnist, qmnist or cifar10."`
	Out  string `help:"Folder for the files (default: data/NAME)." placeholder:"DIR"`
	From string `help:"Mirror to download from (default: the set's public home)." placeholder:"URL"`
}

func (dataGetCmd) Help() string {
	return "Example: tattle data get mnist --out mnist\n\nAfter an interruption, the same command continues the download."
}

func (c *dataGetCmd) Run(ctx context.Context, e *env) error {
	d, err := catalogue.Info(c.Name)
	if err != nil {
		return usage(err, "tattle data info lists the sets")
	}
	if d.Files == nil {
		return usage(fmt.Errorf("%s is not fetched: no checksum of a published copy is known", c.Name), "tattle data info "+c.Name+" says where it is and how it is laid out")
	}
	dir := c.Out
	if dir == "" {
		dir = "data/" + c.Name
	}
	m := progress.NewBytes(e.stderr, "downloading "+c.Name, -1)
	defer m.Close()
	opts := catalogue.Options{BaseURL: c.From, Progress: m.SetBytes}
	var unmade *fs.PathError
	if err := catalogue.Get(ctx, c.Name, dir, opts); errors.As(err, &unmade) && unmade.Op == "mkdir" {
		return hinted(err, "choose a folder that can be written with --out")
	} else if err != nil {
		return hinted(err, "run the same command again: it goes on where it stopped")
	}
	return e.print("%s is in %s\n", c.Name, dir)
}

type dataInfoCmd struct {
	Name string `arg:"" optional:"" help:"The set to describe (default: list them all)."`
}

func (dataInfoCmd) Help() string { return "Example: tattle data info mnist" }

func (c *dataInfoCmd) Run(e *env) error {
	if c.Name == "" {
		return e.print("%s\n", strings.Join(catalogue.Names(), "\n"))
	}
	d, err := catalogue.Info(c.Name)
	if err != nil {
		return usage(err, "")
	}
	return e.print("%v\n", d)
}

type dataMakeCmd struct {
	Name     string `arg:"" enum:"utkface" help:"utkface: format of files and labels."`
	Out      string `help:"A new folder (default: data/NAME-made)." placeholder:"DIR"`
	Examples int    `help:"Number of faces." default:"2000" range:"[1,1000000]"`
	Seed     uint64 `help:"Seed of everything random: the same seed gives the same bytes." default:"1"`
}

func (dataMakeCmd) Help() string {
	return "Example: tattle data make utkface --examples 2000 --out faces\n\nThe faces are simple drawings that show some of their attributes. Results on them say nothing about people."
}

func (c *dataMakeCmd) Run(ctx context.Context, e *env) error {
	dir := c.Out
	if dir == "" {
		dir = "data/" + c.Name + "-made"
	}
	if err := dataset.WriteFaces(ctx, dir, c.Examples, c.Seed); err != nil {
		if stopped := ctx.Err(); stopped != nil {
			return hinted(fmt.Errorf("%s holds only some of the faces: %w", dir, stopped), "delete it, and draw them again")
		}
		return hinted(err, "choose a new folder with --out")
	}
	return e.print("%d drawn faces, laid out as %s, are in %s\n", c.Examples, c.Name, dir)
}
