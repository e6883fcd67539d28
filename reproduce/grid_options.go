package reproduce

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"tattle/curious"
	"tattle/dataset"
	"tattle/internal/report"
	"tattle/measure"
	"tattle/run"
)

// GridOptions are the settings of a grid of trainings. The zero value is the paper's
// procedure.
type GridOptions struct {
	Data        string   // folder or zip of the experiment's data
	SkipMissing bool     // as in dataset.LabelledOptions
	Epochs      int      // of each training; 0 is the paper's
	Seeds       int      // trainings of each kind; 0 is the paper's
	Limit       int      // largest number of training examples; 0 is all
	Seed        uint64   // the first
	Only        []string // keys of the trainings to run; * stands for any letters; nil is all
	Quick       bool     // by default few epochs, seeds and examples, and small pictures

	Dir    string // of the run
	Resume bool   // continue what is in Dir
	Pool   run.Pool

	Say      func(format string, a ...any)      // prints a line for people; may be nil
	Progress func(what string, done, total int) // steps of training, and pictures decoded; may be nil
}

// What GridOptions.Quick makes of the paper's procedure: minutes instead of days.
const (
	quickSeeds    = 1
	quickEpochs   = 2
	quickSide     = 32
	quickExamples = 5000
)

// mostSeeds bounds seeds and epochs.
const mostSeeds = 100000

// NewGrid returns the grid of trainings of the experiment. Options that cannot be used are a
// *measure.OptionError.
func (x *Experiment) NewGrid(o GridOptions) (*Grid, error) {
	g := &Grid{Experiment: x, o: o, chosen: map[string]bool{}, data: map[string]openedTarget{}}
	g.epochs, g.side, g.limit = curious.DefaultEpochs, dataset.DefaultSide, o.Limit
	seeds := Seeds
	if o.Quick {
		seeds, g.epochs, g.side, g.limit = quickSeeds, quickEpochs, quickSide, cmp.Or(o.Limit, quickExamples)
	}
	seeds, g.epochs = cmp.Or(o.Seeds, seeds), cmp.Or(o.Epochs, g.epochs)
	switch {
	case seeds < 0 || seeds > mostSeeds:
		return nil, measure.WrongOption("Seeds", "%d is not between 1 and %d", seeds, mostSeeds)
	case g.epochs < 0 || g.epochs > mostSeeds:
		return nil, measure.WrongOption("Epochs", "%d is not between 1 and %d", g.epochs, mostSeeds)
	}
	for i := range seeds {
		g.seeds = append(g.seeds, o.Seed+uint64(i))
	}
	return g, g.choose()
}

// choose marks the trainings that Only names, all where it is nil.
func (g *Grid) choose() error {
	for _, pattern := range g.o.Only {
		found := false
		for _, t := range g.Trainings {
			ok, err := path.Match(pattern, t.Key)
			if err != nil {
				return measure.WrongOption("Only", "%s: %w", pattern, err)
			}
			if ok {
				g.chosen[t.Key], found = true, true
			}
		}
		if !found {
			return &measure.OptionError{Option: "Only", Err: fmt.Errorf("%s: %s has no such training", pattern, g.Name), Hint: "tattle reproduce " + g.Name + " --list names them; a * stands for any letters"}
		}
	}
	if len(g.o.Only) == 0 {
		for _, t := range g.Trainings {
			g.chosen[t.Key] = true
		}
	}
	return nil
}

// Seeds returns the number of seeds of each training.
func (g *Grid) Seeds() int { return len(g.seeds) }

// String says how much there is to train, and how.
func (g *Grid) String() string {
	examples := "all training examples"
	if g.limit > 0 {
		examples = fmt.Sprintf("at most %d training examples", g.limit)
	}
	return fmt.Sprintf("%s: %s; %s, batches of %d, Adam with learning rate %g, %d×%d pictures",
		g.Name, g.plan(), examples, curious.DefaultBatch, curious.DefaultLearningRate, g.side, g.side)
}

// plan is how much there is to train.
func (g *Grid) plan() string {
	return fmt.Sprintf("%s × %s × %s", report.Many(len(g.chosen), "training"), report.Many(len(g.seeds), "seed"), report.Many(g.epochs, "epoch"))
}

// reduced says how the run departs from the paper's procedure, "" if it does not.
func (g *Grid) reduced() string {
	var s []string
	if g.epochs != curious.DefaultEpochs {
		s = append(s, report.Many(g.epochs, "epoch")+" instead of 50")
	}
	if g.side != dataset.DefaultSide {
		s = append(s, fmt.Sprintf("%d×%d pictures instead of 64×64", g.side, g.side))
	}
	if g.limit > 0 {
		s = append(s, fmt.Sprintf("at most %d training examples", g.limit))
	}
	if len(s) > 0 && len(g.seeds) == 1 {
		s = append(s, "one seed")
	}
	if g.o.Quick && len(s) > 0 {
		return "quick: " + strings.Join(s, ", ")
	}
	return strings.Join(s, ", ")
}
