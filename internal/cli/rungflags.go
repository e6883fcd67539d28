package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tattle/bound"
	"tattle/dataset"
	"tattle/report"
)

// rungFlags choose the bounds beyond one near witness, and the attacks.
type rungFlags struct {
	Barankin    int      `help:"Witnesses of each example that Barankin's bound combines (0: none)." default:"64" placeholder:"N"`
	Far         int      `help:"Witnesses of each example sought far from it (0: none)." default:"8" placeholder:"N"`
	Twins       string   `help:"Examples for which twins are sought: far inputs with the same features in real arithmetic, moved to stored inputs whose features the noise hardly tells apart, unless --domain is legal. The first so many examples, or all (0: none)." default:"6" placeholder:"N|all"`
	VanTrees    *bool    `help:"Bound any adversary, biased too, under a Gaussian prior of the training data (default: where there are training data)." negatable:""`
	Attack      []string `help:"Attacks to run: linear, inversion, decoder, or none (default: all where there are training data; without the decoder where training it takes minutes)." placeholder:"LIST"`
	AttackDraws int      `help:"Draws of the noise that each attack is given for each example." default:"4" placeholder:"N"`

	TrainingData string `help:"What the prior, the attacks and --projection principal learn from: data like --data's (default: the training part of --data)." placeholder:"PATH" input:"data"`
}

// rungs is what these flags come to.
type rungs struct {
	vanTrees    bool
	attacks     []string
	attackDraws int
	training    *dataset.Set // what prior and attacks learn from; nil where there is none
	trainPath   string
	leftOut     string // what is left out for want of training data, empty for nothing

	needsPrior, needsAttacks bool // they were asked for by name: failing them is an error
}

const (
	mostWitnesses   = 4096
	mostAttackDraws = 10000
)

// attackNames are the attacks there are, which all run unless others are asked for.
var attackNames = []string{"linear", "inversion", "decoder"}

// mostDecoding is how many operations a decoder that nobody asked for by name may take
// to train: less than two minutes on two cores. Paper A's MNIST net takes 3.7e12, half a
// minute; its CIFAR-10 net takes 1.6e13 and 0.6 GB for the features, and is left out.
const mostDecoding = 1e13

func (f rungFlags) check() error {
	switch {
	case f.Barankin < 0 || f.Barankin > mostWitnesses:
		return usage(fmt.Errorf("--barankin: %d is not between 0 and %d", f.Barankin, mostWitnesses), "")
	case f.Far < 0 || f.Far > mostWitnesses:
		return usage(fmt.Errorf("--far: %d is not between 0 and %d", f.Far, mostWitnesses), "")
	case f.AttackDraws < 1 || f.AttackDraws > mostAttackDraws:
		return usage(fmt.Errorf("--attack-draws: %d is not between 1 and %d", f.AttackDraws, mostAttackDraws), "")
	}
	for i, a := range f.Attack {
		if slices.Contains(f.Attack[:i], a) {
			return usage(fmt.Errorf("--attack: %s is given twice", a), "")
		}
		if !slices.Contains(attackNames, a) && a != "none" {
			return usage(fmt.Errorf("--attack: there is no attack %q", a), "choose from "+strings.Join(attackNames, ", ")+", or none")
		}
		if a == "none" && len(f.Attack) > 1 {
			return usage(errors.New("--attack: none goes with no other"), "")
		}
	}
	_, err := f.twins(0)
	return err
}

// twins is the number of examples, of n, for which twins are sought.
func (f rungFlags) twins(n int) (int, error) {
	if f.Twins == "all" {
		return n, nil
	}
	k, err := strconv.Atoi(f.Twins)
	if err != nil || k < 0 {
		return 0, usage(fmt.Errorf("--twins: %q is not a number of examples", f.Twins), "give a number, or all")
	}
	return min(k, n), nil
}

// extend asks the experiment for the rungs, far witnesses and twins in their domain.
func (f rungFlags) extend(x *bound.Experiment, set *dataset.Set, examples int, seed uint64) error {
	x.Barankin = combining(f.Barankin, x.Domain)
	twins, err := f.twins(examples)
	if err != nil || f.Far == 0 && twins == 0 {
		return err
	}
	domain, err := domainOf(set, farDomain(set, x.Domain.String()))
	if err != nil {
		return err
	}
	if f.Far > 0 {
		x.Far = bound.FarOptions{Starts: f.Far, Domain: domain, Seed: seed}
	}
	if twins > 0 {
		x.Twins = bound.TwinOptions{Examples: twins, Domain: domain, Seed: seed}
	}
	return nil
}

// combining asks Barankin's bound for so many witnesses, all near the example. Far
// ones have a rung of their own, which they would make this one too; but where inputs
// are stored ones, near witnesses are mostly none.
func combining(witnesses int, d bound.Domain) bound.BarankinOptions {
	return bound.BarankinOptions{Witnesses: witnesses, Near: d.Grid == nil}
}

// rungs settles what can be learned from, and hence what can be run. needed says
// what else cannot do without training data.
func (f rungFlags) rungs(data inputs, needed string, set *dataset.Set, open opener) (*rungs, error) {
	a := &rungs{attackDraws: f.AttackDraws, vanTrees: f.VanTrees == nil || *f.VanTrees, attacks: f.Attack}
	a.needsPrior, a.needsAttacks = f.VanTrees != nil && *f.VanTrees, f.Attack != nil
	if f.Attack == nil {
		a.attacks = attackNames
	}
	a.attacks = slices.DeleteFunc(slices.Clone(a.attacks), func(s string) bool { return s == "none" })
	if !a.vanTrees && len(a.attacks) == 0 && needed == "" {
		return a, nil
	}
	var missing error
	a.training, a.trainPath, missing = openTraining(f.TrainingData, data, set, open)
	if a.training != nil && !slices.Equal(a.training.Shape, set.Shape) {
		return nil, usage(fmt.Errorf("training data of %s have shape %v, the inputs %v", a.trainPath, a.training.Shape, set.Shape), "choose others with --training-data")
	}
	if missing == nil {
		return a, nil
	}
	if f.TrainingData != "" {
		return nil, usage(fmt.Errorf("--training-data: %w", missing), "")
	}
	if needed == "" && a.needsPrior {
		needed = "--van-trees"
	}
	if needed == "" && a.needsAttacks && len(a.attacks) > 0 {
		needed = "--attack " + strings.Join(a.attacks, ",")
	}
	if needed != "" {
		return nil, usage(fmt.Errorf("%s learns from training data, and there are none beside --data: %w", needed, missing), "name their folder with --training-data")
	}
	return f.without(a, missing), nil
}

// An opener opens data as the inputs of a model.
type opener func(inputs) (*dataset.Set, error)

// openAlone opens data by themselves, whatever the model.
func openAlone(in inputs) (*dataset.Set, error) { return openData(in.path, in.split, in.seed) }

// openTraining opens the training data at the path, by default those beside the
// data, or says why there are none.
func openTraining(path string, data inputs, measured *dataset.Set, open opener) (*dataset.Set, string, error) {
	apart := path == "" && data.split != string(dataset.Train)
	if path != "" {
		data.path, data.Limit = path, ""
	}
	data.split = string(dataset.Train)
	set, err := open(data)
	if err != nil {
		return nil, "", err
	}
	if apart && set.SHA256 == measured.SHA256 {
		return nil, "", errNoParts
	}
	if data.Limit != "" { // that was to compare them: what is learned from is not limited
		data.Limit = ""
		if set, err = open(data); err != nil {
			return nil, "", err
		}
	}
	return set, absolute(data.path), nil
}

// errNoParts says that nothing is left to learn from.
var errNoParts = errors.New("the data are one part, which is measured on")

// without leaves out what cannot be learned: all of it.
func (f rungFlags) without(a *rungs, missing error) *rungs {
	var out []string
	if a.vanTrees {
		out = append(out, "the van Trees bound")
	}
	for _, name := range a.attacks {
		out = append(out, "the "+name+" attack")
	}
	a.vanTrees, a.attacks = false, nil
	a.leftOut = fmt.Sprintf("There are no training data (%v), so these are left out: %s. --training-data names a folder.", missing, strings.Join(out, ", "))
	return a
}

// record writes into the report what is learned from.
func (a *rungs) record(r *report.Report) {
	if a != nil && a.training != nil {
		r.Learned = report.Arrays{File: a.trainPath, SHA256: a.training.SHA256}
	}
}

// String lists what is run beside the bounds.
func (a *rungs) String() string {
	s := "van Trees"
	if !a.vanTrees {
		s = "no van Trees"
	}
	learned := "nothing"
	if a.training != nil {
		learned = a.training.SHA256 // wherever it lies with whoever takes part
	}
	return fmt.Sprintf("%s; attacks %q, %d draws, learned from %s", s, a.attacks, a.attackDraws, learned)
}
