package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"tattle/internal/must"
	"tattle/internal/run"
)

func TestRuns(t *testing.T) {
	t.Setenv("TATTLE_CLUSTER", "")
	dir := t.TempDir()
	if got, _ := done(t, "runs", dir); got != "no runs\n" {
		t.Errorf("printed %q", got)
	}
	if got, _ := done(t, "runs", dir, "--json"); got != "[]\n" {
		t.Errorf("printed %q", got)
	}
	at := filepath.Join(dir, "a\x1b[2J")
	f := must.Get(run.Create(nil, filepath.Join(at, "shards"), run.Manifest{Command: "bound", Shards: 30}))(t)
	for i := range 12 {
		must.Do(t, f.SetAside(run.Failure{Shard: i, Name: fmt.Sprintf("examples %d to %d", 8*i, 8*i+7), Causes: []string{"once", "no\x1b]memory"}}))
	}
	must.Do(t, run.WriteRecord(nil, at, run.Record{Args: []string{"bound", "--data", "my data"}}))
	got, _ := done(t, "runs", dir)
	listed, _ := done(t, "runs", dir, "--json")
	if strings.Contains(got, "\x1b") || strings.Count(got, "\n") != 2+1+10+1 {
		t.Errorf("printed %q", got)
	}
	for _, line := range []string{
		"  failed  0 of 30  tattle bound --data 'my data'\n", "\n  stage shards: 12 shards set aside\n",
		"\n    examples 72 to 79: no\\x1b]memory\n", "\n    and 2 more\n",
	} {
		if !strings.Contains(got, line) {
			t.Errorf("%q is not in\n%s", line, got)
		}
	}
	var states []run.State
	if err := json.Unmarshal([]byte(listed), &states); err != nil || len(states) != 1 || len(states[0].Stages[0].Failures) != 12 {
		t.Errorf("%+v, %v", states, err)
	}
}
