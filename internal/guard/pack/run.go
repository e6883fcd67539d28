package pack

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"tattle/internal/file"
	"tattle/internal/guard/ledger"
	"tattle/internal/protect/measure"
	"tattle/internal/protect/release"
	"tattle/internal/report"
	"tattle/internal/run"
	"tattle/internal/verify"
)

// OfRun verifies the run in the folder dir and returns the pack of its release. If values of the
// report do not hold, it returns them too. A budget of 0 releases is the run's queries. A
// run that cannot be packed is an OptionError of package measure, with a hint.
func OfRun(ctx context.Context, dir string, o verify.Options, budget ledger.Budget) (p *Pack, found []string, err error) {
	if err := saysNoLattice(dir); err != nil {
		return nil, nil, err
	}
	res, err := verify.Run(ctx, dir, o)
	switch {
	case err != nil:
		return nil, nil, err
	case len(res.Found) > 0:
		return nil, res.Found, nil
	case res.Absent != "":
		return nil, nil, &measure.OptionError{Err: fmt.Errorf("%s: some figures of the certificate cannot be recomputed: %s", file.Name(dir), res.Absent), Hint: "a guard promises only what was recomputed: say where the inputs of the run are"}
	case res.Release == nil:
		return nil, nil, &measure.OptionError{Err: fmt.Errorf("%s: the run has no bounds", dir), Hint: "name a run of tattle bound, or of tattle design with a promise about every adversary"}
	}
	x := res.Release
	noise, ok := x.Noise.(release.Lattice)
	if !ok {
		return nil, nil, notOnLattice(dir, x.Report, x.Setup)
	}
	if budget.Releases == 0 {
		budget.Releases = max(1, x.Setup.Release.Queries)
	}
	sha256, err := run.Digest(filepath.Join(dir, report.FileJSON))
	if err != nil {
		return nil, nil, err
	}
	certificate, err := NewCertificate(x.Report, x.Setup, sha256, noise.Lattice, budget)
	if err != nil {
		return nil, nil, &measure.OptionError{Err: fmt.Errorf("%s: %w", file.Name(dir), err), Hint: "pack it with at most as many --releases as the run has --queries, or make a run whose figures are for this release"}
	}
	p, err = New(x.Front, x.Head, certificate)
	return p, nil, err
}

// saysNoLattice refuses a run by its own report, before minutes of verification. What is wrong with the report itself is left to those.
func saysNoLattice(dir string) error {
	document, err := file.ReadFile(filepath.Join(dir, report.FileJSON))
	if err != nil {
		return nil
	}
	r, err := report.Parse(document)
	if err != nil {
		return nil
	}
	if s, err := measure.SetupOf(r); err == nil && s.Bounds != nil && !strings.HasPrefix(s.Release.Family, "lattice") {
		return notOnLattice(dir, r, s)
	}
	return nil
}

// notOnLattice refuses a run whose noise is not on a lattice, with the command that measures it there.
func notOnLattice(dir string, r *report.Report, s *measure.Setup) error {
	family, _, _ := strings.Cut(s.Release.Family, ":")
	err := fmt.Errorf("%s: the figures are for %s noise on real numbers, and not for the integers that a guard releases", file.Name(dir), family)
	hint := "measure the release on the lattice: tattle bound --noise lattice --features NODE --sigma X, with the values of the report"
	model := filepath.Join(dir, "model.onnx")
	switch {
	case r.Subcommand() == "bound":
		hint = "measure the release on the lattice: the same tattle bound command with --noise lattice"
	case file.Exists(model) && s.Release.Sigma > 0:
		hint = fmt.Sprintf("measure the release on the lattice: tattle bound --model %s --data %s --features release --sigma %v --noise lattice", file.Quote(model), file.Quote(r.Data.Path), s.Release.Sigma)
	}
	return &measure.OptionError{Err: err, Hint: hint}
}
