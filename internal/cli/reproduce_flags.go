package cli

import (
	"errors"
	"fmt"

	"tattle/reproduce"
)

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
	case !f.Small && c.SkipMissing:
		return c.noUse("--skip-missing")
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
	case c.SkipMissing:
		return c.noUse("--skip-missing")
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
	}
	return nil
}

func (c *reproduceCmd) noUse(flag string) error {
	return usage(fmt.Errorf("reproduce %s has no use for %s", c.Experiment, flag), "leave it out")
}

// onlyStudy refuses the flags that the study has no use for.
func (c *reproduceCmd) onlyStudy() error {
	labels := c.Labels
	c.Labels = ""
	err := c.noFigure()
	c.Labels = labels
	if err == nil {
		err = c.noGrid()
	}
	switch {
	case err != nil:
		return err
	case c.Examples != "":
		return c.noUse("--examples")
	case c.SkipMissing:
		return c.noUse("--skip-missing")
	case c.List:
		return c.noUse("--list")
	case c.Epochs != 0:
		return c.noUse("--epochs")
	case labels != "" && c.Data == "":
		return usage(errors.New("--labels needs --data, the folder of MNIST's pictures"), "tattle data info qmnist says where they come from")
	}
	return nil
}
