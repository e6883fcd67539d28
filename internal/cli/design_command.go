package cli

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/alecthomas/kong"

	"tattle/design"
)

// answer is the bound command that measures the answer, whose model is at a path.
func (j *designJob) answer(model, limit string, p *design.Run) (*boundCmd, error) {
	b := new(boundCmd)
	for _, f := range kong.Must(b).Model.Flags {
		if err := f.Reset(); err != nil { // to its default
			return nil, err
		}
	}
	b.Model, b.Data, b.Split, b.Seed, b.inputFlags = model, absolute(j.Data), j.Split, j.Seed, j.inputFlags
	b.Labels, b.Target, b.Limit, b.TrainingLimit, b.Task = j.in.Labels, j.in.Target, limit, nil, p.Options.Tasks
	if n := uint32(j.in.TrainingLimit); n > 0 {
		b.TrainingLimit = &n
	}
	if j.TrainingData != "" {
		b.TrainingData = absolute(j.TrainingData)
	}
	if preprocess := j.model.DataPreprocess(); !preprocess.IsZero() {
		b.Preprocess = preprocess.String()
	}
	b.releaseFlags.Features, b.Sigma, b.Noise = design.Node, p.Answer.Best.Sigma, "gaussian"
	if j.onLattice() {
		b.Noise = j.Noise
	}
	b.Queries, b.Candidates, b.ListDraws = max(p.Options.Queries, 1), "all", p.Answer.ListDraws
	if n := p.Options.Candidates; n < j.training.Len() {
		b.Candidates = strconv.Itoa(n)
	}
	b.Far, b.Twins = 0, "0" // of the bounds for unbiased estimators, those that take long are left out
	b.Examples = j.Examples
	if _, err := strconv.Atoi(j.Examples); err != nil && j.Examples != "all" {
		b.Examples = absolute(j.Examples)
	}
	return b, nil
}

// flagsOf returns the flags of a filled command that differ from their defaults.
func flagsOf(command any) (args []string) {
	for _, f := range kong.Must(command).Model.Flags {
		for _, v := range valuesIn(f.Target) {
			switch text := fmt.Sprint(v); {
			case text == f.Default || f.Default == "" && v.IsZero() && f.Target.Kind() != reflect.Pointer:
			case v.Kind() != reflect.Bool:
				args = append(args, "--"+f.Name, text)
			case v.Bool():
				args = append(args, "--"+f.Name)
			default:
				args = append(args, "--no-"+f.Name)
			}
		}
	}
	return args
}
