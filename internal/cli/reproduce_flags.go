package cli

import (
	"fmt"

	"tattle/reproduce"
)

// figureOnly are the flags of paper A's figures but --labels, and gridOnly those of a grid of
// trainings.
var (
	figureOnly = []string{"--model", "--input-shape", "--model-output", "--preprocess", "--features", "--target", "--restarts", "--memory"}
	gridOnly   = []string{"--seeds", "--only"}
)

// refuse returns an error for the first of the flags that is given.
func (c *reproduceCmd) refuse(lists ...[]string) error {
	given := map[string]bool{
		"--model": c.Model != "", "--input-shape": c.InputShape != "", "--model-output": c.ModelOutput != "", "--preprocess": c.Preprocess != "",
		"--features": c.Features != "", "--labels": c.Labels != "", "--target": c.Target != "", "--restarts": c.Restarts != 0, "--memory": c.Memory != 0,
		"--data": c.Data != "", "--examples": c.Examples != "", "--skip-missing": c.SkipMissing, "--resume": c.Resume, "--epochs": c.Epochs != 0,
		"--quick": c.Quick, "--list": c.List, "--seeds": c.Seeds != 0, "--only": len(c.Only) > 0,
	}
	for _, flags := range lists {
		for _, flag := range flags {
			if given[flag] {
				return usage(fmt.Errorf("reproduce %s has no use for %s", c.Experiment, flag), "leave it out")
			}
		}
	}
	return nil
}

// ofPaperA refuses the flags of paper B's experiments.
func (c *reproduceCmd) ofPaperA() error {
	f, _ := reproduce.GetFigure(c.Experiment)
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
