package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tattle/design"
	"tattle/measure"
	"tattle/stat"
)

// onLattice reports whether the answer is measured with noise on a lattice, as tattle guard adds it.
func (c *designCmd) onLattice() bool { return slices.Equal(c.Noise, []string{"lattice"}) }

// defaultDesignDraws is the default of --draws.
const defaultDesignDraws = 2

// designFlags are the flags behind the options of package design.
var designFlags = map[string]string{
	"Limits": "--identify", "Within": "--resolvable", "Directions": "--resolvable", "LinearMSE": "--attack-mse",
	"MaxDrop": "--max-accuracy-drop", "Attack": "--attack-rms", "Tasks": "--task", "Nodes": "--features", "Families": "--noise", "Keeps": "--keep", "Projections": "--projection",
}

// options reads the limits, and what of the search does not depend on the data.
func (c *designCmd) options() (o design.Options, err error) {
	o = design.Options{Queries: c.Queries, Finetune: design.Finetune(c.Finetune), Epochs: c.Epochs, Tasks: c.Task, ListDraws: c.ListDraws, Projections: c.Projection, Draws: c.Draws, Seed: c.Seed}
	if err := c.limits(&o); err != nil {
		return o, err
	}
	for _, m := range c.Methods {
		o.Methods = append(o.Methods, design.Method(m))
	}
	for _, k := range c.Keep {
		n, err := strconv.Atoi(k)
		if k != "all" && (err != nil || n < 1) {
			return o, usage(fmt.Errorf("--keep: %q features cannot be kept", k), "give a number from 1, or all")
		}
		o.Keeps = append(o.Keeps, n)
	}
	for _, family := range c.Noise {
		if path, ok := strings.CutPrefix(family, measure.TablePrefix); ok {
			family = measure.TablePrefix + absolute(path)
		}
		o.Families = append(o.Families, family)
	}
	if o.Promise() {
		return o, c.forPromise(&o)
	}
	return o, c.forSweep(o)
}

// limits reads what is promised, the targets, and the limit on the cost.
func (c *designCmd) limits(o *design.Options) (err error) {
	if c.Identify != "" {
		if o.Identify, o.Candidates, err = design.ParseIdentify(c.Identify); err != nil {
			return usage(fmt.Errorf("--identify %w", err), "write it as 1%@60000")
		}
	}
	for _, s := range c.Protect {
		p, err := design.ParseProtect(s)
		if err != nil {
			return usage(fmt.Errorf("--protect %w", err), "")
		}
		o.Protect = append(o.Protect, p)
	}
	if c.Resolvable != "" {
		if o.Directions, o.Within, err = design.ParseResolvable(c.Resolvable); err != nil {
			return usage(fmt.Errorf("--%w", err), "")
		}
	}
	o.Floor, o.Bits, o.Attack, o.MedianStd, o.LinearMSE = c.Floor, c.Bits, c.AttackRMS, c.MedianStd, c.AttackMSE
	if o.MaxDrop, err = parseDrop(c.MaxAccuracyDrop); err == nil && o.CostOnly() && o.MaxDrop == 0 {
		err = usage(errors.New("no promise and no target is given"), "promise something about every adversary, such as --identify 1%, or limit the cost with --max-accuracy-drop 1%")
	}
	return err
}

// forPromise checks the flags of a search with a promise.
func (c *designCmd) forPromise(o *design.Options) error {
	o.Families, o.Draws = nil, 0
	switch {
	case len(c.Noise) > 0 && !c.onLattice() || len(c.Projection) > 0:
		return usage(errors.New("--noise and --projection choose what is tried for --resolvable, --median-std and --attack-mse alone; a promise about every adversary is kept by Gaussian noise, or with --noise lattice on a lattice"), "choose with --methods")
	case c.Draws != defaultDesignDraws:
		return usage(errors.New("--draws is for --resolvable, --median-std, --attack-mse and --max-accuracy-drop alone"), "give the draws behind the limits of a promise with --list-draws")
	case len(o.Keeps) > 1 || slices.Contains(o.Keeps, 0):
		return usage(errors.New("--keep: with a promise, give one number of released values"), "")
	}
	return nil
}

// forSweep checks the flags of a search without a promise.
func (c *designCmd) forSweep(o design.Options) error {
	for _, f := range []struct {
		flag  string
		given bool
	}{
		{"--methods", len(c.Methods) > 0}, {"--task", len(c.Task) > 0}, {"--finetune", o.Finetune != design.FinetuneHead},
		{"--queries", c.Queries != 1}, {"--epochs", c.Epochs != 0}, {"--list-draws", c.ListDraws != 0},
	} {
		if f.given {
			return usage(fmt.Errorf("%s requires a promise about every adversary", f.flag), "give one with --identify, --floor, --bits, --attack-rms or --protect")
		}
	}
	return nil
}

// parseDrop reads the value of --max-accuracy-drop: 1% or 0.01, or nothing. A number of 1 and more
// without the sign could be meant either way, and is refused.
func parseDrop(s string) (float64, error) {
	if s == "" {
		return 0, nil
	}
	v, percent, err := stat.ParseShare(s)
	switch {
	case err != nil:
	case !percent && v >= 1:
		err = fmt.Errorf("%s without %% would be %g of a hundred points", s, 100*v)
	case !(v > 0 && v < 1):
		err = fmt.Errorf("%s is not between 0%% and 100%%", s)
	}
	if err != nil {
		return 0, usage(fmt.Errorf("--max-accuracy-drop: %w", err), "one point of a hundred is 1% or 0.01")
	}
	return v, nil
}
