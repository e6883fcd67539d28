package cli

import (
	"errors"
	"fmt"

	"tattle/design"
	"tattle/stat"
)

// onLattice reports whether the answer is measured with noise on a lattice, as tattle guard adds it.
func (c *designCmd) onLattice() bool { return c.Noise == "lattice" }

// options reads what is promised, the limit on the cost, and what of the search does not depend on the data.
func (c *designCmd) options() (o design.Options, err error) {
	o = design.Options{Queries: c.Queries, Finetune: design.Finetune(c.Finetune), Epochs: c.Epochs, Tasks: c.Task, Keep: c.Keep, ListDraws: c.ListDraws, Seed: c.Seed}
	o.Floor, o.Bits, o.Attack = c.Floor, c.Bits, c.AttackRMS
	for _, m := range c.Methods {
		o.Methods = append(o.Methods, design.Method(m))
	}
	if c.Identify != "" {
		if o.Identify, o.Candidates, err = design.ParseIdentify(c.Identify); err != nil {
			return o, usage(fmt.Errorf("--identify %w", err), "write it as 1%@60000")
		}
	}
	for _, s := range c.Protect {
		p, err := design.ParseProtect(s)
		if err != nil {
			return o, usage(fmt.Errorf("--protect %w", err), "")
		}
		o.Protect = append(o.Protect, p)
	}
	if o.MaxDrop, err = parseDrop(c.MaxAccuracyDrop); err == nil && !o.Promise() {
		err = usage(errors.New("no promise is given"), "promise something about every adversary with --identify, --floor, --bits, --attack-rms or --protect, such as --identify 1%")
	}
	return o, err
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
