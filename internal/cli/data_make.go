package cli

import (
	"context"
	"fmt"

	"tattle/internal/data/dataset"
)

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
