package verify

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"tattle/internal/file"
	"tattle/internal/protect/measure"
	"tattle/internal/report"
	"tattle/internal/run"
)

// files checks a run whose claims are not recomputed, such as a training or a table: the
// files that its report lists are as it says.
func (v *recomputed) files() error {
	v.take("the claims of the report", "verify recomputes those of bounds and of audits only: train or search again, with the same seed, to compare them")
	listed := v.was.Files
	m := v.was.Model
	if model := (report.File{Name: m.Path, SHA256: m.SHA256}); m.SHA256 != "" && filepath.IsLocal(m.Path) && !slices.Contains(listed, model) {
		listed = append(listed[:len(listed):len(listed)], model)
	}
	v.verified = "the files made from report.json are as it says"
	if n := len(listed); n > 0 {
		v.verified += fmt.Sprintf(", and %s of the run", report.Many(n, "other file"))
	}
	return v.unchanged(listed)
}

// unchanged returns an error if files of the run are not as its report says.
func (v *recomputed) unchanged(files []report.File) error {
	for _, f := range files {
		if said, err := v.changed(f); err != nil || said != "" {
			return cmp.Or(err, mismatch("%s", said))
		}
	}
	return nil
}

// changed says how a file is not as the report records it; empty if it is. Files outside of the
// run's folder may be absent.
func (v *recomputed) changed(f report.File) (said string, err error) {
	path, own := f.Name, !filepath.IsAbs(f.Name)
	if own {
		path = filepath.Join(v.dir, f.Name)
	}
	if own && !filepath.IsLocal(f.Name) {
		return fmt.Sprintf("report.json lists %q, which is not a file of its folder", f.Name), nil
	}
	hash, err := run.Digest(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && own:
		return f.Name + ": the file is missing", nil
	case errors.Is(err, fs.ErrNotExist):
		v.take(f.Name, "the file is not there")
		return "", nil
	case err == nil && hash != f.SHA256:
		said = fmt.Sprintf("%s: SHA-256 is %s, report.json recorded %s", f.Name, hash, f.SHA256)
	}
	return said, err
}

// changedFiles compares the files that a report was rendered to, and those that say how its run was
// begun, with their digests. It returns a line for each that is not as recorded.
func (v *recomputed) changedFiles() (found []string, err error) {
	names := slices.Collect(maps.Keys(v.was.Rendered))
	for _, f := range v.was.Renderings() {
		names = append(names, f.Name)
	}
	for _, name := range run.RecordFiles {
		if file.Exists(filepath.Join(v.dir, name)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		said, err := name+": report.json does not list its digest", error(nil)
		if hash := v.was.Rendered[name]; hash != "" {
			said, err = v.changed(report.File{Name: name, SHA256: hash})
		}
		if err != nil {
			return nil, err
		}
		if said != "" {
			found = append(found, said)
		}
	}
	return found, nil
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

// begun compares the files that say how a run was begun with each other and with its report: their digests in
// the report can be changed with them. It returns a line for each value that differs.
func (v *recomputed) begun() (found []string, err error) {
	if file.Exists(filepath.Join(v.dir, run.RecordName)) {
		record, err := run.ReadRecord(v.dir)
		if err != nil {
			return nil, err
		}
		if is := "tattle " + file.CommandLine(record.Args); is != v.was.Command {
			found = append(found, fmt.Sprintf("%s: the command line is %q, that of report.json %q", run.RecordName, is, v.was.Command))
		}
	}
	s, err := measure.SetupOf(v.was)
	if err != nil || s.Bounds == nil || !file.Exists(filepath.Join(v.dir, run.ManifestName)) {
		return found, nil
	}
	if !run.Intact(v.dir) {
		found = append(found, "results.sha256: it does not have the digests of the files that it lists")
	}
	m, err := v.manifest()
	if err != nil {
		return append(found, err.Error()), nil
	}
	want, have := object(s.Bounds.Settings), object(m.Settings)
	delete(want, "reasons") // notes of the search are added later
	for name, value := range map[string]any{"inputs": s.Inputs, "queries": max(1, s.Release.Queries), "sigma": s.Release.Sigma} {
		want[name] = json.RawMessage(report.Canonical(value))
	}
	differ := func(name string, is, was any) {
		if is, was := report.Canonical(is), report.Canonical(was); is != was {
			found = append(found, fmt.Sprintf("%s: %s is %s, report.json has %s", run.ManifestName, name, is, was))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		differ("settings."+name, have[name], want[name])
	}
	differ("hashes.model", m.Hashes["model"], v.was.Model.SHA256)
	differ("hashes.data", m.Hashes["data"], v.was.Data.SHA256)
	return found, nil
}

// object returns a value as an object of JSON, empty if it is none.
func object(of any) map[string]json.RawMessage {
	fields := map[string]json.RawMessage{}
	json.Unmarshal([]byte(report.Canonical(of)), &fields)
	return fields
}
