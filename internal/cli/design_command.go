package cli

import (
	"strconv"

	"tattle/design"
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

// command is the bound command that examines a point of the answer.
func (j *designJob) command(p *design.Point) string {
	args := []string{"tattle", "bound", "--model", absolute(j.Model), "--data", absolute(j.Data)}
	add := func(when bool, words ...string) {
		if when {
			args = append(args, words...)
		}
	}
	for _, f := range j.flags() {
		add(f[1] != "", f[0], f[1])
	}
	add(j.in.TrainingLimit > 0, "--training-limit", strconv.Itoa(j.in.TrainingLimit))
	add(j.SkipMissing, "--skip-missing")
	add(j.Split != "test", "--split", j.Split)
	add(j.Features != "", "--features", j.Features)
	add(p.Spec.Keep > 0, "--keep", strconv.Itoa(p.Spec.Keep), "--projection", p.Spec.Projection)
	add(p.Family != "gaussian", "--noise", p.Family)
	add(true, "--sigma", strconv.FormatFloat(p.Sigma, 'g', -1, 64))
	add(j.TrainingData != "", "--training-data", absolute(j.TrainingData))
	add(j.Examples != "100", "--examples", j.chosen())
	add(j.Seed != 1, "--seed", strconv.FormatUint(j.Seed, 10))
	return shown(args)
}

// chosen is the value of --examples, good from any folder.
func (j *designJob) chosen() string {
	if _, err := strconv.Atoi(j.Examples); err != nil && j.Examples != "all" {
		return absolute(j.Examples)
	}
	return j.Examples
}
