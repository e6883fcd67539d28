package measure

import (
	"path/filepath"
	"strconv"

	"tattle/internal/data/dataset"
)

// Choices of candidates besides a number and the path of data.
const (
	CandidatesAll  = "all"  // all training data, whatever the computing time
	CandidatesNone = "none" // do not compute limits from lists of inputs
)

// leastCandidates is the length of the shortest list that is used by default. A shorter list
// says little about identification.
const leastCandidates = 100

// Lists chooses the lists of inputs for the limits on every adversary. By default, the
// candidates are training data, as many as mostListing allows, or the measured data if there
// are no training data (training is nil). choice is a number of candidates, CandidatesAll,
// CandidatesNone, or the path of other data, which open reads. The sample is the measured part
// of the data, unless that is the training part. Lists returns nil if there are no lists, and
// an OptionError if the choice cannot be used.
func (in Inputs) Lists(choice string, training *dataset.Set, from string, measured *dataset.Set, open func(Inputs) (*dataset.Set, error)) (*ListOptions, error) {
	o := &ListOptions{Seed: in.Seed}
	for _, a := range measured.Sensitive {
		o.Attributes = append(o.Attributes, a.Name)
	}
	own := &List{Name: partName(in.Part), Path: Absolute(in.Path), Split: dataset.Split(in.Part), Set: measured}
	if training == nil {
		own.Name = "the data" // which may be one part
	} else {
		o.Candidates = &List{Name: partName(string(dataset.Train)), Path: from, Split: dataset.Train, Set: training}
	}
	if in.Part == string(dataset.Test) {
		o.Sample = own
	}
	switch n, err := strconv.Atoi(choice); {
	case choice == CandidatesNone:
		return nil, nil
	case choice == "" && training == nil:
		if measured.Len() < leastCandidates {
			return nil, nil
		}
		o.Candidates = own
	case choice == "":
	case err == nil && n < 2:
		return nil, WrongOption("Candidates", "%d is too few: at least 2 are needed", n)
	case (err == nil || choice == CandidatesAll) && training == nil:
		return nil, WrongOption("Candidates", "there are no training data beside the data: give their path, or the path of the candidates")
	case err == nil && n > training.Len():
		return nil, WrongOption("Candidates", "%d: the training data hold %d inputs: give at most as many, or %s", n, training.Len(), CandidatesAll)
	case err == nil:
		o.Candidates.Most = n
		drawn := o.Candidates.Draw(n, in.Seed)
		if training.Group != nil && PeopledOf(training, drawn).Count < 2 {
			return nil, WrongOption("Candidates", "%d: that is too few for two people of %s with all their inputs: give more", n, o.Candidates.Name)
		}
		if len(DistinctInputs(training, drawn)) < 2 {
			return nil, WrongOption("Candidates", "the %d candidates that the seed draws from %s are equal inputs: at least 2 different ones are needed", n, o.Candidates.Name)
		}
	case choice == CandidatesAll:
		o.Candidates.Most = -1
	default:
		set, path, err := in.Training(choice, measured, open)
		if err != nil {
			return nil, WrongOption("Candidates", "%w", err)
		}
		o.Candidates = &List{Name: filepath.Base(path), Path: path, Split: dataset.Train, Set: set}
	}
	if o.Sample != nil && o.Sample.Set.Len() < 2 {
		o.Sample = nil
	}
	if c := o.Candidates; c != nil && !differ(c.Set) {
		if choice != "" {
			return nil, WrongOption("Candidates", "the inputs of %s are all equal: at least 2 different ones are needed", c.Name)
		}
		o.Candidates = nil
	}
	return o, nil
}

// partName returns the name of a part of the data for use in a sentence.
func partName(split string) string {
	if split == string(dataset.Train) {
		return "the training part"
	}
	return "the test part"
}

// recreate returns the list from which u was used, with its inputs in set.
func (u ListUsed) recreate(set *dataset.Set) *List {
	l := &List{Name: u.Name, Path: u.Path, Split: dataset.Split(u.Split), Set: set, Most: -1}
	if n := u.Inputs + u.Merged; n < u.Of {
		l.Most = n
	}
	return l
}

// Again returns the options with which the figures were computed, without the attacks.
// candidates is nil if these data are absent; measured holds the sample, if there was one.
func (f *ListFigures) Again(candidates, measured *dataset.Set, seed uint64) ListOptions {
	o := ListOptions{Draws: f.Draws, Look: f.Look, Attributes: f.Attributes, Tasks: f.Tasks, Seed: seed, SkipAttacks: true}
	if p := f.EverySample(); p != nil {
		o.Sample = p.List.recreate(measured)
	} else if f.Hidden != nil {
		o.Sample = f.Hidden.List.recreate(measured)
	}
	if f.Holder != nil && candidates != nil {
		o.Candidates = f.Holder.List.recreate(candidates)
		if x := f.Holder.Exposed; x != nil {
			o.Subjects, o.Than = x.People, x.Than
		}
	}
	return o
}
