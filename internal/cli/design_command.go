package cli

import (
	"strconv"

	"tattle/design"
	"tattle/internal/file"
)

// flags are those of how model and data are read, with their values.
func (j *designJob) flags() [][2]string {
	preprocess := j.Preprocess
	if preprocess != "" && exists(preprocess) {
		preprocess = absolute(preprocess)
	}
	return [][2]string{
		{"--input-shape", j.InputShape}, {"--model-output", j.ModelOutput}, {"--preprocess", preprocess},
		{"--labels", j.in.Labels}, {"--target", j.in.Target}, {"--limit", j.in.Limit},
	}
}

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

// command is the bound command that examines a point of the answer.
func (j *designJob) command(p *design.Point) string {
	a := arguments{"tattle", "bound", "--model", absolute(j.Model), "--data", absolute(j.Data)}
	for _, f := range j.flags() {
		a.add(f[1] != "", f[0], f[1])
	}
	a.data(j)
	a.add(j.Features != "", "--features", j.Features)
	a.add(p.Spec.Keep > 0, "--keep", strconv.Itoa(p.Spec.Keep), "--projection", p.Spec.Projection)
	a.add(p.Family != "gaussian", "--noise", p.Family)
	a.add(true, "--sigma", strconv.FormatFloat(p.Sigma, 'g', -1, 64))
	a.add(j.Examples != "100", "--examples", j.chosen())
	a.add(j.Seed != 1, "--seed", strconv.FormatUint(j.Seed, 10))
	return file.NearCommandLine(a)
}

// chosen is the value of --examples, good from any folder.
func (j *designJob) chosen() string {
	if _, err := strconv.Atoi(j.Examples); err != nil && j.Examples != "all" {
		return absolute(j.Examples)
	}
	return j.Examples
}
