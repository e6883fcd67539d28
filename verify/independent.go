package verify

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"tattle/bound"
	"tattle/independent"
	"tattle/measure"
	"tattle/nn"
	"tattle/release"
	"tattle/report"
)

// independently checks every bound that has a witness by the second implementation. It
// returns how many it compared, and those that are too large.
func (o *Options) independently(ctx context.Context, dir string, claims *report.Report, x bound.Experiment, front *nn.Net) (compared int, lines []string, err error) {
	r := independent.Run{Graph: front.Graph(), Sigma: x.Noise.Std(), Queries: x.Queries}
	switch x.Noise.(type) {
	case release.Gaussian:
	case release.Laplace:
		r.Laplace = true
	default:
		return 0, nil, notIndependent(fmt.Errorf("%s noise; the independent check is for gaussian and laplace", x.Noise))
	}
	switch x.Coordinates.Name() {
	case "dct":
		r.DCT = inputShape(claims, r.Graph.InputShape)
	case "pixels", "columns":
	default:
		return 0, nil, notIndependent(errors.New("the independent check is for dct, pixels and columns, not for vectors"))
	}
	for _, size := range x.Sizes {
		r.Kinds = append(r.Kinds, independent.Kind{Name: bound.SizeName(size), Low: x.Domain.Low, High: x.Domain.High})
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
			r.Kinds = append(r.Kinds, independent.Kind{Name: k.name, Runtime: k.runtime, Low: k.in.Low, High: k.in.High})
		}
	}
	compared, found, err := independent.Check(ctx, r, filepath.Join(dir, bound.ArraysFile), o.progress("checking independently"))
	if err == nil && claims.Lists != nil && len(claims.Lists.Made) > 0 {
		r.Kinds = []independent.Kind{{Name: measure.MadeName, Runtime: x.Runtime.Error}}
		n, more, failed := independent.Check(ctx, r, filepath.Join(dir, measure.AttacksFile), o.progress("checking independently"))
		compared, found, err = compared+n, append(found, more...), failed
	}
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
