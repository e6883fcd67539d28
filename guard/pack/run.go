package pack

import (
	"context"
	"fmt"
	"path/filepath"

	"tattle/internal/file"
	"tattle/measure"
	"tattle/release"
	"tattle/report"
	"tattle/verify"
)

// OfRun verifies the run in the folder dir and returns the pack of its release. If values of the
// report do not hold, it returns them too. A budget of 0 releases is the run's queries. A
// run that cannot be packed is an OptionError of package measure, with a hint.
func OfRun(ctx context.Context, dir string, o verify.Options, budget report.CertifiedBudget) (p *Pack, found []string, err error) {
	quiet := o
	quiet.Warn = nil // Run warns of the same
	x, err := verify.Open(ctx, dir, quiet)
	if err != nil {
		return nil, nil, err
	}
	noise, ok := x.Noise.(release.Lattice)
	if !ok {
		return nil, nil, notOnLattice(dir, x.Report)
	}
	if budget.Releases == 0 {
		budget.Releases = max(1, x.Report.Release.Queries)
	}
	certificate, err := report.NewCertificate(x.Report, x.SHA256, noise.Lattice, budget)
	if err != nil {
		return nil, nil, &measure.OptionError{Err: fmt.Errorf("%s: %w", file.Name(dir), err), Hint: "make a run whose figures are for this release"}
	}
	if p, err = New(x.Front, x.Head, certificate); err != nil {
		return nil, nil, err
	}
	res, err := verify.Run(ctx, dir, o)
	if err != nil {
		return nil, nil, err
	}
	return p, res.Found, nil
}

// notOnLattice refuses a run whose noise is not on a lattice, with the command that measures it there.
func notOnLattice(dir string, r *report.Report) error {
	n := r.Release.Noise
	err := fmt.Errorf("%s: the figures are for %s noise on real numbers, and not for the integers that a guard releases", file.Name(dir), n.Family)
	hint := "measure the release on the lattice: tattle bound --noise lattice --features NODE --sigma X, with the values of the report"
	model := filepath.Join(dir, "model.onnx")
	switch {
	case r.Subcommand() == "bound":
		hint = "measure the release on the lattice: the same tattle bound command with --noise lattice"
	case file.Exists(model) && n.Sigma > 0:
		hint = fmt.Sprintf("measure the release on the lattice: tattle bound --model %s --data %s --features release --sigma %v --noise lattice", file.Quote(model), file.Quote(r.Data.Path), n.Sigma)
	}
	return &measure.OptionError{Err: err, Hint: hint}
}
