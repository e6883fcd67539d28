package cli

import (
	"fmt"
	"slices"
	"strings"

	"tattle/internal/paper"
)

// figureOnly are the flags of paper A's figures but --labels, and gridOnly those of a grid of
// trainings.
var (
	figureOnly = []string{"--model", "--input-shape", "--model-output", "--preprocess", "--features", "--target", "--restarts", "--memory"}
	gridOnly   = []string{"--seeds", "--only"}
)

// refuse returns an error for the first of the flags that is given.
func (c *reproduceCmd) refuse(lists ...[]string) error {
	used := given(*c)
	for _, flags := range lists {
		for _, flag := range flags {
			if slices.Contains(used, strings.TrimPrefix(flag, "--")) {
				return usage(fmt.Errorf("reproduce %s has no use for %s", c.Experiment, flag), "leave it out")
			}
		}
	}
	return nil
}

// ofPaperA refuses the flags of paper B's experiments.
func (c *reproduceCmd) ofPaperA() error {
	f, _ := paper.GetFigure(c.Experiment)
	unused := []string{"--quick"}
	if f.Net != "cifar10" || c.Model != "" {
		unused = append(unused, "--epochs")
	}
	if !f.Small {
		unused = append(unused, "--labels", "--target", "--skip-missing")
	}
	return c.refuse(unused, gridOnly)
}

// onPlane refuses the flags that mixtures and convex have no use for.
func (c *reproduceCmd) onPlane() error {
	return c.refuse([]string{"--data", "--examples", "--skip-missing", "--resume", "--epochs"}, gridOnly)
}
