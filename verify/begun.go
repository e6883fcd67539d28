package verify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"tattle/internal/file"
	"tattle/internal/report"
	"tattle/measure"
	"tattle/run"
)

// begun compares the files that say how a run was begun with each other and with its report: their digests in
// the report can be changed with them. It returns a line for each value that differs.
func begun(dir string, r *report.Report) (found []string, err error) {
	if file.Exists(filepath.Join(dir, run.RecordName)) {
		record, err := run.ReadRecord(dir)
		if err != nil {
			return nil, err
		}
		if is := "tattle " + file.CommandLine(record.Args); is != r.Command {
			found = append(found, fmt.Sprintf("%s: the command line is %q, that of report.json %q", run.RecordName, is, r.Command))
		}
	}
	s, err := measure.SetupOf(r)
	if err != nil || s.Bounds == nil || !file.Exists(filepath.Join(dir, run.ManifestName)) {
		return found, nil
	}
	if !run.Intact(dir) {
		found = append(found, "results.sha256: it does not have the digests of the files that it lists")
	}
	data, err := run.ReadManifest(dir)
	if err != nil {
		return append(found, err.Error()), nil
	}
	m, err := run.ParseManifest(data)
	if err != nil {
		return nil, err
	}
	return append(found, unlikeManifest(m, r, s)...), nil
}

// unlikeManifest returns a line for each value that a manifest and a report on bounds both have, and that differs.
func unlikeManifest(m run.Manifest, r *report.Report, s *measure.Setup) (found []string) {
	want, have := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	for _, pair := range []struct {
		from any
		to   *map[string]json.RawMessage
	}{{s.Bounds.Settings, &want}, {m.Settings, &have}} {
		text, err := json.Marshal(pair.from)
		if err == nil {
			err = json.Unmarshal(text, pair.to)
		}
		if err != nil {
			return []string{run.ManifestName + ": " + err.Error()}
		}
	}
	add := func(name string, is, was any) {
		a, b := canonical(is), canonical(was)
		if !bytes.Equal(a, b) {
			found = append(found, fmt.Sprintf("%s: %s is %s, report.json has %s", run.ManifestName, name, a, b))
		}
	}
	delete(want, "reasons") // notes of the search are added later
	for _, name := range slices.Sorted(maps.Keys(want)) {
		add("settings."+name, have[name], want[name])
	}
	add("settings.inputs", have["inputs"], s.Inputs)
	add("settings.queries", have["queries"], max(1, s.Release.Queries))
	add("settings.sigma", have["sigma"], s.Release.Sigma)
	add("hashes.model", m.Hashes["model"], r.Model.SHA256)
	add("hashes.data", m.Hashes["data"], r.Data.SHA256)
	return found
}

// canonical encodes a JSON value with sorted names, null if it is none.
func canonical(x any) []byte {
	text, err := json.Marshal(x)
	var any any
	if err == nil {
		err = json.Unmarshal(text, &any)
	}
	if err == nil {
		text, err = json.Marshal(any)
	}
	if err != nil {
		return []byte("null")
	}
	return text
}
