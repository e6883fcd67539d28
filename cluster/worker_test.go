package cluster

import (
	"strings"
	"testing"
	"time"

	"tattle/internal/must"
	"tattle/run"
)

func TestFits(t *testing.T) {
	definite, devel := run.Program{Version: "v1.2.3", Kernels: "avx2 amd64"}, run.Program{Version: "v0-devel", Kernels: "avx2 amd64"}
	dirty := run.Program{Version: "0123456789ab+dirty", Kernels: "avx2 amd64"}
	built := func(p run.Program, executable string) run.Program {
		p.Executable = executable
		return p
	}
	for _, c := range []struct {
		mine, run run.Program
		want      string // of the refusal
	}{
		{definite, definite, ""},
		{definite, run.Program{Version: "v1.2.4", Kernels: "avx2 amd64"}, "its program is v1.2.3, the run's v1.2.4"},
		{definite, run.Program{Version: "v1.2.3", Kernels: "go arm64"}, "avx2 amd64, the run's with go arm64"},
		{built(devel, "a"), built(devel, "a"), ""},
		{built(devel, "a"), built(devel, "b"), "another build"},
		{built(dirty, "a"), built(dirty, "b"), "another build"},
	} {
		err := (&shardWorker{o: WorkerOptions{Program: c.mine}}).fits(Job{Program: c.run})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v for %+v: %v, not %q", c.mine, c.run, err, c.want)
		}
	}
}

// TestSweep lets entries of finished runs go a week later, and no others.
func TestSweep(t *testing.T) {
	t.Parallel()
	url, _ := serving(t, ServerOptions{})
	c := must.Get(Connect(t.Context(), Dial{URL: url}))(t)
	defer c.Close()
	r := must.Get(c.registry(t.Context()))(t)
	now := time.Now()
	for k, e := range []entry{
		{Job: Job{ID: "000000000000000a", Created: now.Add(-time.Hour)}, Finished: now.Add(-finishedFor + time.Hour)},
		{Job: Job{ID: "000000000000000b", Created: now.Add(-3 * finishedFor)}},
		{Job: Job{ID: "000000000000000c", Created: now}, Finished: now.Add(-finishedFor - time.Hour)},
	} {
		must.Do(t, r.put(t.Context(), e), k)
	}
	must.Do(t, r.sweep(t.Context()))
	left, err := c.Runs(t.Context())
	if err != nil || len(left) != 2 || left[0].Job.ID != "000000000000000b" || left[1].State != Finished || left[0].State != Submitted {
		t.Errorf("%+v, %v", left, err)
	}
}

// TestRunsMeanwhile lists runs that were finished, or removed, since their entries were
// read, and one that has no ledger yet.
func TestRunsMeanwhile(t *testing.T) {
	t.Parallel()
	c := dialed(t)
	r := must.Get(c.registry(t.Context()))(t)
	was := entry{Job: Job{ID: "000000000000000a", Created: time.Now()}}
	for want, now := range map[string]*entry{"": nil, Submitted: {Job: was.Job}, Finished: {Job: was.Job, Finished: time.Now()}} {
		if now != nil {
			must.Do(t, r.put(t.Context(), *now))
		} else if err := r.remove(t.Context(), was.Job.ID); err != nil {
			t.Fatal(err)
		}
		if s, there, err := r.state(t.Context(), was); err != nil || there != (now != nil) || s.State != want && there {
			t.Errorf("%+v, listed: %v, %v; want %q", s, there, err, want)
		}
	}
}
