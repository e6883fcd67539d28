package cluster

import (
	"strings"
	"testing"

	"tattle/internal/must"
	"tattle/run"
)

func TestRow(t *testing.T) {
	s := RunState{
		Job: Job{ID: "0123456789abcdef", Args: []string{"bound"}}, State: Running,
		Stages:  []run.StageState{{Name: "shards", Shards: 5, Done: 3, Failed: 1, Failures: []run.Failure{{Shard: 1, Name: "shard 1", Causes: []string{"no memory"}}}}},
		Workers: []WorkerState{{Name: "a"}, {Name: "b", Refused: "another version"}},
	}
	var b strings.Builder
	must.Do(t, run.WriteRows(&b, []run.Row{s.Row()}))
	want := `run               state              shards  command
0123456789abcdef  running, 1 worker  3 of 5  tattle bound
  stage shards: 1 shard set aside
    shard 1: no memory
  worker b takes no part: another version
`
	if b.String() != want {
		t.Errorf("printed\n%swant\n%s", b.String(), want)
	}
}
