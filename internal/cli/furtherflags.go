package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tattle/bound"
	"tattle/dataset"
	"tattle/measure"
	"tattle/report"
)

// furtherFlags choose the bounds beyond one near witness, and the attacks.
type furtherFlags struct {
	Barankin    int      `help:"Witnesses per example for the Barankin bound; 0: no such bound (default: 64)." default:"64" placeholder:"N"`
	Far         int      `help:"Far witnesses per example (default: 8)." default:"8" placeholder:"N"`
	Twins       string   `help:"Examples for which twins are searched: inputs with nearly the same features (default: 6)." default:"6" placeholder:"N|all"`
	VanTrees    *bool    `help:"Bound all adversaries, averaged over a Gaussian prior (default: if there are training data)." negatable:""`
	Attack      []string `help:"linear, inversion, decoder, posterior or none (default: of the first three those that take minutes, with training data)." placeholder:"LIST"`
	AttackDraws int      `help:"Draws of the noise per example, for the attacks (default: 4)." default:"4" placeholder:"N"`

	TrainingData string `help:"Data that prior, attacks and principal projection learn from (default: training part of --data)." placeholder:"PATH" input:"data"`
}

// adversaries are measure.Adversaries with what the report says of their training data.
type adversaries struct {
	measure.Adversaries
	path    string // of the training data
	leftOut string // what is left out because there are no training data; empty for nothing
}

const (
	mostWitnesses   = 4096
	mostAttackDraws = 10000
)

func (f furtherFlags) check() error {
	switch {
	case f.Barankin < 0 || f.Barankin > mostWitnesses:
		return usage(fmt.Errorf("--barankin %d: must be between 0 and %d", f.Barankin, mostWitnesses), "")
	case f.Far < 0 || f.Far > mostWitnesses:
		return usage(fmt.Errorf("--far %d: must be between 0 and %d", f.Far, mostWitnesses), "")
	case f.AttackDraws < 1 || f.AttackDraws > mostAttackDraws:
		return usage(fmt.Errorf("--attack-draws %d: must be between 1 and %d", f.AttackDraws, mostAttackDraws), "")
	}
	for i, a := range f.Attack {
		if slices.Contains(f.Attack[:i], a) {
			return usage(fmt.Errorf("--attack: %s is given twice", a), "")
		}
		if !slices.Contains(measure.AttackNames, a) && a != "none" {
			return usage(fmt.Errorf("--attack: there is no attack %q", a), "choose from "+strings.Join(measure.AttackNames, ", ")+", or none")
		}
		if a == "none" && len(f.Attack) > 1 {
			return usage(errors.New("--attack: none and attacks are mutually exclusive"), "")
		}
	}
	_, err := f.twins(0)
	return err
}

// twins is the number of examples, of n, for which twins are sought.
func (f furtherFlags) twins(n int) (int, error) {
	if f.Twins == "all" {
		return n, nil
	}
	k, err := strconv.Atoi(f.Twins)
	if err != nil || k < 0 {
		return 0, usage(fmt.Errorf("--twins: %q is not a number of examples", f.Twins), "give a number, or all")
	}
	return min(k, n), nil
}

// extend adds the further bounds to an experiment on so many examples of the set.
func (f furtherFlags) extend(x *bound.Experiment, set *dataset.Set, examples int, seed uint64) error {
	twins, err := f.twins(examples)
	if err != nil {
		return err
	}
	return measure.Further{Barankin: f.Barankin, Far: f.Far, Twins: twins}.AddTo(x, set, seed)
}

// adversaries opens the training data, and settles what can be learned from them and hence
// run. needed names what else requires training data.
func (f furtherFlags) adversaries(data inputs, needed string, set *dataset.Set, open opener) (*adversaries, error) {
	a := &adversaries{Adversaries: measure.Adversaries{
		VanTrees: f.VanTrees == nil || *f.VanTrees, Attacks: f.Attack, Draws: f.AttackDraws,
		NeedsPrior: f.VanTrees != nil && *f.VanTrees, NeedsAttacks: f.Attack != nil,
	}}
	if f.Attack == nil {
		a.Attacks = measure.UsualAttacks
	}
	a.Attacks = slices.DeleteFunc(slices.Clone(a.Attacks), func(s string) bool { return s == "none" })
	if !a.VanTrees && len(a.Attacks) == 0 && needed == "" {
		return a, nil
	}
	training, path, missing := openTraining(f.TrainingData, data, set, open)
	if missing == nil {
		if !slices.Equal(training.Shape, set.Shape) {
			return nil, usage(fmt.Errorf("training data of %s have shape %v, the inputs %v", path, training.Shape, set.Shape), "choose others with --training-data")
		}
		a.Training, a.TrainingSHA256, a.path = training, training.SHA256, path
		return a, nil
	}
	if f.TrainingData != "" {
		return nil, usage(fmt.Errorf("--training-data: %w", missing), "")
	}
	if needed == "" && a.NeedsPrior {
		needed = "--van-trees"
	}
	if needed == "" && a.NeedsAttacks && len(a.Attacks) > 0 {
		needed = "--attack " + strings.Join(a.Attacks, ",")
	}
	if needed != "" {
		return nil, needsTraining(needed, missing)
	}
	a.without(missing)
	return a, nil
}

// needsTraining says that a flag requires training data, and why there are none.
func needsTraining(flag string, missing error) error {
	return usage(fmt.Errorf("%s requires training data, and there are none beside --data: %w", flag, missing), "name their folder with --training-data")
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

// without leaves out everything that learns.
func (a *adversaries) without(missing error) {
	var out []string
	if a.VanTrees {
		out = append(out, "the van Trees bound")
	}
	for _, name := range a.Attacks {
		out = append(out, "the "+name+" attack")
	}
	a.VanTrees, a.Attacks = false, nil
	a.leftOut = fmt.Sprintf("There are no training data (%v), so these are left out: %s. --training-data names a folder.", missing, strings.Join(out, ", "))
}

// record writes into the report what is learned from.
func (a *adversaries) record(r *report.Report) {
	if a != nil && a.Training != nil {
		r.Learned = report.Arrays{File: a.path, SHA256: a.TrainingSHA256}
	}
}
