package verify

import (
	"context"
	"fmt"
	"path/filepath"

	"tattle/report"
)

// files checks a run whose figures are not recomputed, such as a training or a table: the
// files that its report lists are as it says.
func (o *Options) files(ctx context.Context, dir string, claims *report.Report) (*recomputed, error) {
	v := &recomputed{left: []notChecked{
		{name: "the figures of the report", why: "verify recomputes those of bounds and of audits only: train or search again, with the same seed, to compare them", when: always},
	}}
	listed := claims.Arrays
	if m := claims.Model; m.SHA256 != "" && filepath.IsLocal(m.Path) {
		listed = append(listed[:len(listed):len(listed)], report.Arrays{File: m.Path, SHA256: m.SHA256})
	}
	for _, f := range listed {
		if err := unchanged(dir, f); err != nil {
			return nil, err
		}
	}
	v.verified = "the files made from report.json are as it says"
	if n := len(listed); n > 0 {
		v.verified += fmt.Sprintf(", and %s of the run", report.Count(n, "other file"))
	}
	return v, nil
}
