package verify

import (
	"context"
	"fmt"
	"path/filepath"

	"tattle/internal/engine/nn"
	"tattle/internal/independent"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/release"
)

// independently checks every bound that has a witness by the second implementation, and notes those
// that are too large. It returns how many it compared.
func (q *request) independently(ctx context.Context, front *nn.Net) (compared int, err error) {
	x := q.Experiment
	run := independent.Run{Graph: front.Graph(), Sigma: x.Noise.Std(), Queries: x.Queries}
	switch x.Noise.(type) {
	case release.Gaussian:
	case release.Laplace:
		run.Laplace = true
	default:
		return 0, &independent.UnsupportedError{What: fmt.Sprintf("%s noise; the independent check is for gaussian and laplace", x.Noise)}
	}
	switch x.Coordinates.Name() {
	case "dct":
		run.DCT = inputShape(q.was, run.Graph.InputShape)
	case "pixels", "columns":
	default:
		return 0, &independent.UnsupportedError{What: "the independent check is for dct, pixels and columns, not for vectors"}
	}
	add := func(sought int, name string, runtime float64, in bound.Domain) {
		if sought > 0 {
			run.Kinds = append(run.Kinds, independent.Kind{Name: name, Runtime: runtime, Low: in.Low, High: in.High})
		}
	}
	for _, size := range x.Sizes {
		add(1, bound.SizeName(size), 0, x.Domain)
	}
	add(x.Barankin.Witnesses, "barankin", 0, x.Domain)
	add(x.Far.Starts, "far", x.Runtime.Error, x.Far.Domain)
	add(x.Twins.Examples, "twin", x.Runtime.Error, x.Twins.Domain)
	add(x.Pairs.Witnesses, "pair", x.Runtime.Error, x.Pairs.Domain)
	compared, found, err := independent.Check(ctx, run, filepath.Join(q.dir, bound.ArraysFile), q.Progress.Of("checking independently"))
	for _, f := range found {
		q.found = append(q.found, "independent check: "+f.String())
	}
	return compared, err
}
