package cli

import (
	"strconv"

	"tattle/design"
)

// arguments are the words of a command line.
type arguments []string

// add appends words if a condition holds.
func (a *arguments) add(when bool, words ...string) {
	if when {
		*a = append(*a, words...)
	}
}

// data adds the flags of how the data and the training data are read.
func (a *arguments) data(j *designJob) {
	a.add(j.in.TrainingLimit > 0, "--training-limit", strconv.Itoa(j.in.TrainingLimit))
	a.add(j.SkipMissing, "--skip-missing")
	a.add(j.Split != "test", "--split", j.Split)
	a.add(j.TrainingData != "", "--training-data", absolute(j.TrainingData))
}

// boundArgs are the arguments of the bound command that measures the answer.
func (j *designJob) boundArgs(model, limit string, p *design.Run) []string {
	a := arguments{"--model", model, "--data", absolute(j.Data)}
	preprocess := j.model.DataPreprocess()
	a.add(!preprocess.IsZero(), "--preprocess", preprocess.String())
	a.add(j.in.Labels != "", "--labels", j.in.Labels)
	a.add(j.in.Target != "", "--target", j.in.Target)
	for _, s := range j.Sensitive {
		a.add(true, "--sensitive", s)
	}
	for _, t := range p.Options.Tasks {
		a.add(true, "--task", t)
	}
	a.add(limit != "", "--limit", limit)
	a.data(j)
	a.add(true, "--features", design.Node, "--sigma", strconv.FormatFloat(p.Answer.Best.Sigma, 'g', -1, 64))
	a.add(j.onLattice(), "--noise", j.Noise)
	candidates := "all"
	if n := p.Options.Candidates; n < j.training.Len() {
		candidates = strconv.Itoa(n)
	}
	a.add(true, "--queries", strconv.Itoa(max(p.Options.Queries, 1)), "--candidates", candidates, "--list-draws", strconv.Itoa(p.Answer.ListDraws))
	a.add(true, // Of the bounds for unbiased estimators, those that take long are left out.
		"--far", "0", "--twins", "0", "--examples", j.chosen(), "--seed", strconv.FormatUint(j.Seed, 10))
	return a
}

// chosen is the value of --examples, good from any folder.
func (j *designJob) chosen() string {
	if _, err := strconv.Atoi(j.Examples); err != nil && j.Examples != "all" {
		return absolute(j.Examples)
	}
	return j.Examples
}
