package verify

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"tattle/internal/file"
	"tattle/internal/report"
	"tattle/run"
)

// changedFiles compares the files that a report was rendered to, and those that say how its run was
// begun, with their digests. It
// returns a line for each that is not as recorded. Files outside of the run's folder that
// are absent are not compared; gone lists them.
func changedFiles(dir string, r *report.Report) (found []string, gone []report.Difference, err error) {
	for _, f := range r.Renderings() {
		if r.Rendered[f.Name] == "" {
			found = append(found, f.Name+": report.json does not list its digest")
		}
	}
	for _, name := range run.RecordFiles {
		if r.Rendered[name] == "" && file.Exists(filepath.Join(dir, name)) {
			found = append(found, name+": report.json does not list its digest")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Rendered)) {
		path, own := name, !filepath.IsAbs(name)
		if own {
			path = filepath.Join(dir, name)
		}
		if own && name != filepath.Base(name) {
			found = append(found, fmt.Sprintf("report.json lists %q, which is not a file of its folder", name))
			continue
		}
		hash, err := run.Digest(path)
		switch {
		case errors.Is(err, fs.ErrNotExist) && own:
			found = append(found, name+": the file is missing")
		case errors.Is(err, fs.ErrNotExist):
			gone = append(gone, report.Difference{What: name, Why: "the file is not there"})
		case err != nil:
			return nil, nil, err
		case hash != r.Rendered[name]:
			found = append(found, fmt.Sprintf("%s: SHA-256 is %s, report.json recorded %s", name, hash, r.Rendered[name]))
		}
	}
	return found, gone, nil
}

// renderings renders a report that was read from report.json again. A file of the run's folder that
// is different does not hold, or, where another version of tattle rendered it, is unchecked but for
// its digest.
func (res *Result) renderings(dir string, r *report.Report) error {
	for _, f := range r.Renderings() {
		is, err := file.ReadFile(filepath.Join(dir, f.Name))
		if err != nil {
			return err
		}
		if f.Name == report.FileHTML {
			is = report.WithoutPictures(is)
		}
		var b bytes.Buffer
		if err := f.Write(&b); err != nil {
			return err
		}
		switch {
		case bytes.Equal(is, b.Bytes()):
		case r.Version != report.ProgramVersion():
			res.Unchecked = append(res.Unchecked, report.Difference{What: f.Name,
				Why: "tattle " + r.Version + " rendered it, which may word it otherwise; its digest holds"})
		default:
			res.Found = append(res.Found, f.Name+": it is not what this version of tattle renders from report.json; its digest holds"+run.Current().Caveat())
		}
	}
	return nil
}
