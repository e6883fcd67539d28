package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"tattle/internal/file"
	"tattle/internal/must"
)

func TestScan(t *testing.T) {
	dir := t.TempDir()
	at := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	record := Record{Args: []string{"bound", "--data", "mnist"}, Cwd: "/home/x", Program: Current(), Started: time.Unix(1e9, 0).UTC()}
	for _, name := range []string{"done", "begun", "at work", "failed", "deep/er/run/s"} {
		lay(t, at(name), nil)
		os.MkdirAll(at(name), 0o777)
		must.Do(t, WriteRecord(nil, at(name), record))
	}
	// done: merged, with its manifest beside the arrays
	f := begin(t, at("done", "shards"), of(3))
	f.KeepManifest(nil, at("done"))
	f.Discard()
	lay(t, at("done"), map[string]string{"report.json": "{}", "arrays.npz": "x"})
	// begun: one stage merged, the other interrupted, by way of a cluster
	f = begin(t, at("begun", "1-1000", "shards"), of(4))
	f.KeepManifest(nil, at("begun", "1-1000"))
	f.Discard()
	f = begin(t, at("begun", "1-2000", "shards"), of(4))
	commit(f, 1, put("x"))
	lay(t, at("begun"), map[string]string{"cluster.json": "{}", "1-1000/arrays.npz": "x", "1-2000/shards/ledger/jetstream/manifest.json": "{}"})
	// at work
	f = begin(t, at("at work", "shards"), of(2))
	unlock := must.Get(file.Share(f.dir))(t)
	defer unlock()
	// failed; a record without data is of no use
	f = begin(t, at("failed"), of(5))
	commit(f, 2, put("x"))
	commit(f, 3, put("x"))
	os.Remove(f.Path(3))
	f.SetAside(Failure{Shard: 1, Name: "examples 8 to 15", Causes: []string{"one", "two"}})
	f.SetAside(Failure{Shard: 2, Name: "done since"})
	lay(t, f.dir, map[string]string{"shard-000000.failed": "{", "shard-000009.failed": "{}", "shard-7.sha256": "", "shard-000004.sha256.x": ""})
	// a folder of shards that nobody says anything of; others' manifests; damage
	f = begin(t, at("lone"), of(1))
	commit(f, 0, put("x"))
	begin(t, at("changed"), of(1))
	old := `{"schema": "tattle run 1", "command": "bound", "shards": 3, "settings": {}}`
	lay(t, dir, map[string]string{
		"site/manifest.json": `{"name": "a web page"}`, "torn/manifest.json": "{", "older/manifest.json": old, "changed/manifest.json": old,
		"record/run.json": `{"schema": "another"}`, "1/2/3/4/5/run.json": "too deep", ".hidden/run.json": "x",
	})
	os.Symlink(at("done"), at("link"))
	os.Symlink("/etc/passwd", at("site", "run.json"))

	got := must.Get(Scan(t.Context(), dir))(t)
	want := map[string]State{
		"at work": {State: Running, Record: &record, Stages: []StageState{{Name: "shards", Shards: 2}}},
		"begun": {State: Interrupted, Record: &record, Stages: []StageState{
			{Name: "1-1000", Shards: 4, Done: 4, Merged: true}, {Name: "1-2000/shards", Shards: 4, Done: 1}}},
		"changed":       {State: Interrupted, Stages: []StageState{{Name: ".", Problem: "was changed since the run began"}}},
		"deep/er/run/s": {State: Interrupted, Record: &record},
		"done":          {State: Finished, Record: &record, Stages: []StageState{{Name: ".", Shards: 3, Done: 3, Merged: true}}},
		"failed": {State: Failed, Record: &record, Stages: []StageState{{Name: ".", Shards: 5, Done: 1, Failed: 2, Failures: []Failure{
			{Shard: 0, Name: "shard 0", Causes: []string{"shard-000000.failed cannot be read: unexpected end of JSON input"}},
			{Shard: 1, Name: "examples 8 to 15", Causes: []string{"one", "two"}}}}}},
		"lone":   {State: Interrupted, Stages: []StageState{{Name: ".", Shards: 1, Done: 1}}},
		"older":  {State: Interrupted, Stages: []StageState{{Name: ".", Problem: "another version of tattle began it"}}},
		"record": {State: Interrupted, Problem: `schema "another"`},
	}
	for _, g := range got {
		name := must.Get(filepath.Rel(dir, g.Dir))(t)
		w, ok := want[filepath.ToSlash(name)]
		if !ok {
			t.Errorf("found %+v", g)
			continue
		}
		delete(want, filepath.ToSlash(name))
		w.Dir = g.Dir
		same := strings.Contains(g.Problem, w.Problem) && len(g.Stages) == len(w.Stages)
		w.Problem = g.Problem
		for i := range min(len(g.Stages), len(w.Stages)) {
			same = same && strings.Contains(g.Stages[i].Problem, w.Stages[i].Problem) && (g.Stages[i].Problem == "") == (w.Stages[i].Problem == "")
			w.Stages[i].Problem = g.Stages[i].Problem
		}
		if !same || !reflect.DeepEqual(g, w) {
			t.Errorf("%s:\n%+v\nwant\n%+v", name, g, w)
		}
	}
	if len(want) > 0 {
		t.Errorf("not found: %v", want)
	}
	if _, err := Scan(t.Context(), at("none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Scan(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestRecord(t *testing.T) {
	dir := t.TempDir()
	must.Fail(t, must.Err(ReadRecord(dir)), RecordName)
	for _, text := range []string{"", "{}", "[]", `{"schema": 3}`, strings.Repeat(" ", 1<<21)} {
		lay(t, dir, map[string]string{RecordName: text})
		must.Fail(t, must.Err(ReadRecord(dir)), RecordName)
	}
}
