package verify

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"tattle/bound"
	"tattle/independent"
	"tattle/internal/report"
	"tattle/measure"
	"tattle/nn"
	"tattle/release"
)

// independently checks every bound that has a witness by the second implementation. It
// returns how many it compared, and those that are too large.
func (o *Options) independently(ctx context.Context, dir string, r *report.Report, x bound.Experiment, front *nn.Net) (compared int, lines []string, err error) {
	run := independent.Run{Graph: front.Graph(), Sigma: x.Noise.Std(), Queries: x.Queries}
	switch x.Noise.(type) {
	case release.Gaussian:
	case release.Laplace:
		run.Laplace = true
	default:
		return 0, nil, notIndependent(fmt.Errorf("%s noise; the independent check is for gaussian and laplace", x.Noise))
	}
	switch x.Coordinates.Name() {
	case "dct":
		run.DCT = inputShape(r, run.Graph.InputShape)
	case "pixels", "columns":
	default:
		return 0, nil, notIndependent(errors.New("the independent check is for dct, pixels and columns, not for vectors"))
	}
	for _, size := range x.Sizes {
		run.Kinds = append(run.Kinds, independent.Kind{Name: bound.SizeName(size), Low: x.Domain.Low, High: x.Domain.High})
	}
	for _, k := range []struct {
		name    string
		sought  int
		runtime float64
		in      bound.Domain
	}{
		{"barankin", x.Barankin.Witnesses, 0, x.Domain}, {"far", x.Far.Starts, x.Runtime.Error, x.Far.Domain},
		{"twin", x.Twins.Examples, x.Runtime.Error, x.Twins.Domain}, {"pair", x.Pairs.Witnesses, x.Runtime.Error, x.Pairs.Domain},
	} {
		if k.sought > 0 {
			run.Kinds = append(run.Kinds, independent.Kind{Name: k.name, Runtime: k.runtime, Low: k.in.Low, High: k.in.High})
		}
	}
	compared, found, err := independent.Check(ctx, run, filepath.Join(dir, bound.ArraysFile), o.progress("checking independently"))
	for _, f := range found {
		lines = append(lines, "independent check: "+f.String())
	}
	if unsupported := (*independent.UnsupportedError)(nil); errors.As(err, &unsupported) {
		err = notIndependent(err)
	}
	return compared, lines, err
}

// notIndependent returns the error of a run that the second implementation cannot check.
func notIndependent(err error) error {
	return &measure.OptionError{Option: "Independent", Err: err, Hint: "leave --independent out: without it, verify takes any model"}
}
