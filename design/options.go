package design

import (
	"math"

	"tattle/bound"
	"tattle/measure"
	"tattle/run"
)

// Defaults of Options.
const (
	DefaultDraws    = 2   // of noise for each test example: the interval is that of the examples, which more draws hardly narrow
	DefaultExamples = 100 // whose Jacobians are taken: the median of so many differs by a few percent from that of all
	DefaultWithin   = .5  // half a standard deviation of the data, where no target says otherwise
	leastKeep       = 10  // the default sweep's fewest features: as many as MNIST has classes
)

// Phases of a search, for Progress.
const (
	Searching  = "searching"
	Certifying = "certifying"
)

// Options are the target and the range of a search. A target or a MaxDrop is required.
type Options struct {
	Target  Target
	MaxDrop float64 // of accuracy, as a fraction; its upper confidence limit must keep to it; 0 for none

	Families    []string // as release.ParseNoise reads them; by default gaussian, laplace and logistic
	Keeps       []int    // numbers of features; by default all, and halves down to about ten
	Projections []string // for fewer than all features; by default principal, where there are training data, and random

	Draws    int // of noise for each example while searching; by default DefaultDraws
	Seed     uint64
	Examples int   // of the test data, for Jacobians and certificates; by default DefaultExamples, drawn by Seed
	Indices  []int // which examples these are, ascending; Examples is then not used

	Coordinates bound.Coordinates // what is reconstructed; by default cosine modes of the input's shape
	Band        int               // low band of Band×Band modes, summed up by itself in a Confirmation; 0 for none
	Legal       bound.Domain      // of inputs: where the confirming attack's answers are clipped; by default they are not

	Dir    string            // keeps what is found, so that a search can be gone on with; by default nothing is kept
	Resume bool              // go on with what is in Dir, if anything
	Hashes map[string]string // SHA-256 by role, such as "model", which a resumed search must share
	Pool   run.Pool          // computes; nil is run.Alone

	// Progress, unless nil, is called with what is done of Searching, in lines, and then
	// of Certifying, in examples; each certificate starts anew.
	Progress func(phase string, done, total int)
}

func (t Target) check() error {
	bad := func(v float64) bool { return !(v >= 0) || math.IsInf(v, 0) }
	switch {
	case t.Directions < 0 || bad(t.Within):
		return measure.WrongOption("Target", "target of %d directions within %v: give a number such as 10 and a standard deviation such as 0.5", t.Directions, t.Within)
	case t.Directions > 0 && t.Within == 0:
		return measure.WrongOption("Target", "target of %d directions: say within what standard deviation, such as 0.5", t.Directions)
	case bad(t.MedianStd):
		return measure.WrongOption("Target", "target median standard deviation %v: give a positive number", t.MedianStd)
	case bad(t.AttackMSE):
		return measure.WrongOption("Target", "target mean-square error %v: give a positive number", t.AttackMSE)
	}
	return nil
}

func (o Options) check() error {
	if err := o.Target.check(); err != nil {
		return err
	}
	switch {
	case o.Target.empty() && o.MaxDrop == 0:
		return measure.WrongOption("Target", "no target: give a target, a limit on the drop of accuracy, or both")
	case !(o.MaxDrop >= 0 && o.MaxDrop < 1):
		return measure.WrongOption("MaxDrop", "accuracy drop %v: give a fraction such as 0.02", o.MaxDrop)
	case o.Draws < 0:
		return measure.WrongOption("Draws", "%d draws: give at least 1", o.Draws)
	case o.Examples < 0:
		return measure.WrongOption("Examples", "%d examples: give at least 1", o.Examples)
	}
	return nil
}
