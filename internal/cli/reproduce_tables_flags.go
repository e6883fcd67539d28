package cli

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"

	"tattle/curious"
	"tattle/dataset"
	"tattle/reproduce"
)

// Paper B's procedure, and what --quick makes of it: minutes instead of days.
const (
	quickSeeds    = 1
	quickEpochs   = 2
	quickSide     = 32
	quickExamples = 5000
)

// ofPaperB says whose experiment is asked for.
func (c *reproduceCmd) ofPaperB() bool { return slices.Contains(reproduce.Names(), c.Experiment) }

// curious runs one of paper B's experiments.
func (c *reproduceCmd) curious(ctx context.Context, e *env) error {
	x, err := reproduce.Get(c.Experiment)
	if err != nil {
		return err
	}
	if err := c.noFigure(); err != nil {
		return err
	}
	if x.Data == reproduce.Plane {
		return c.plane(ctx, e, x)
	}
	return c.grid(ctx, e, x)
}

// ofPaperA refuses the flags of paper B's experiments.
func (c *reproduceCmd) ofPaperA() error {
	f, _ := reproduce.GetFigure(c.Experiment)
	switch {
	case c.Quick:
		return c.noUse("--quick")
	case c.Epochs != 0 && (f.Net != "cifar10" || c.Model != ""):
		return c.noUse("--epochs")
	case !f.Small && c.Labels != "":
		return c.noUse("--labels")
	case !f.Small && c.Target != "":
		return c.noUse("--target")
	}
	return c.noGrid()
}

// noFigure refuses the flags of paper A's figures.
func (c *reproduceCmd) noFigure() error {
	for _, f := range []struct {
		flag  string
		given bool
	}{
		{"--model", c.Model != ""}, {"--input-shape", c.InputShape != ""}, {"--model-output", c.ModelOutput != ""},
		{"--preprocess", c.Preprocess != ""}, {"--features", c.Features != ""}, {"--labels", c.Labels != ""},
		{"--target", c.Target != ""}, {"--restarts", c.Restarts != 0}, {"--memory", c.Memory != 0},
	} {
		if f.given {
			return c.noUse(f.flag)
		}
	}
	return nil
}

// onPlane refuses the flags that mixtures and convex have no use for.
func (c *reproduceCmd) onPlane(x *reproduce.Experiment) error {
	switch {
	case c.Data != "":
		return c.noUse("--data")
	case c.Examples != "":
		return c.noUse("--examples")
	case c.Resume:
		return c.noUse("--resume")
	case c.Epochs != 0:
		return c.noUse("--epochs")
	}
	return c.noGrid()
}

// noGrid refuses the flags of a grid of trainings.
func (c *reproduceCmd) noGrid() error {
	switch {
	case c.Seeds != 0:
		return c.noUse("--seeds")
	case len(c.Only) > 0:
		return c.noUse("--only")
	case c.Cache != "":
		return c.noUse("--cache")
	case c.List:
		return c.noUse("--list")
	}
	return nil
}

func (c *reproduceCmd) noUse(flag string) error {
	return usage(fmt.Errorf("reproduce %s has no use for %s", c.Experiment, flag), "leave it out")
}

// newGrid settles what is run, and how.
func (c *reproduceCmd) newGrid(x *reproduce.Experiment) (*grid, error) {
	g := &grid{reproduceCmd: c, x: x, chosen: map[string]bool{}, data: map[string]openedTarget{}, path: absolute(c.Data)}
	seeds := reproduce.Seeds
	g.epochs, g.side = curious.DefaultEpochs, dataset.DefaultSide
	if c.Quick {
		seeds, g.epochs, g.side, g.limit = quickSeeds, quickEpochs, quickSide, quickExamples
	}
	seeds, g.epochs = cmp.Or(c.Seeds, seeds), cmp.Or(c.Epochs, g.epochs)
	switch {
	case seeds < 0 || seeds > mostEpochs:
		return nil, usage(fmt.Errorf("--seeds: %d is not between 1 and %d", seeds, mostEpochs), "")
	case g.epochs < 0 || g.epochs > mostEpochs:
		return nil, usage(fmt.Errorf("--epochs: %d is not between 1 and %d", g.epochs, mostEpochs), "")
	}
	if c.Examples != "" {
		n, err := strconv.Atoi(c.Examples)
		if err != nil || n < 1 {
			return nil, usage(fmt.Errorf("--examples %s: want the most training examples, a number above 0", c.Examples), "")
		}
		g.limit = n
	}
	for i := range seeds {
		g.seeds = append(g.seeds, c.Seed+uint64(i))
	}
	return g, g.choose()
}

// choose marks the trainings that --only names, all where it is not given.
func (g *grid) choose() error {
	for _, pattern := range g.Only {
		found := false
		for _, t := range g.x.Trainings {
			ok, err := path.Match(pattern, t.Key)
			if err != nil {
				return usage(fmt.Errorf("--only %s: %w", pattern, err), "")
			}
			if ok {
				g.chosen[t.Key], found = true, true
			}
		}
		if !found {
			return usage(fmt.Errorf("--only %s: %s has no such training", pattern, g.x.Name), "tattle reproduce "+g.x.Name+" --list names them; a * stands for any letters")
		}
	}
	if len(g.Only) == 0 {
		for _, t := range g.x.Trainings {
			g.chosen[t.Key] = true
		}
	}
	return nil
}
