package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tattle/internal/must"
	"tattle/internal/shared"
	"tattle/run"
)

// dialed is a connection to a server of the test's own.
func dialed(t *testing.T) *Conn {
	t.Helper()
	url, _ := serving(t, ServerOptions{})
	c := must.Get(Connect(t.Context(), Dial{URL: url}))(t)
	t.Cleanup(c.Close)
	return c
}

// A worker's scratch may be a folder where others keep things.
func TestScratchIsShared(t *testing.T) {
	dir, old := t.TempDir(), time.Now().Add(-2*keptFor)
	lay(t, dir, map[string]string{"run-1/report.json": "results", "inputs/mine/thesis.tex": "text", scratchName + "1/x": "left", "inputs/" + hexSum("net") + "/m.onnx": "net"})
	for _, name := range []string{"run-1", "inputs/mine", scratchName + "1", "inputs/" + hexSum("net")} {
		must.Do(t, os.Chtimes(filepath.Join(dir, name), old, old))
	}
	own, unlock := must.Get2(ownFolder(dir))(t)
	defer unlock()
	cache(filepath.Join(dir, "inputs")).sweep()
	for name, kept := range map[string]bool{"run-1/report.json": true, "inputs/mine/thesis.tex": true, scratchName + "1": false, "inputs/" + hexSum("net"): false} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != kept {
			t.Errorf("%s: %v, to be kept: %v", name, err, kept)
		}
	}
	if info, err := os.Stat(own); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestHostileJobs lists runs that cannot be: a worker refuses each, and goes on.
func TestHostileJobs(t *testing.T) {
	t.Parallel()
	shared.Long(t, "runs that cannot be")
	c := dialed(t)
	r := must.Get(c.registry(t.Context()))(t)
	p := run.Program{Version: "v1", Kernels: "plain"}
	good := Input{Name: "--model", Path: "m.onnx", SHA256: hexSum("net"), Size: 3}
	with := func(change func(*Input)) Job {
		i := good
		change(&i)
		return Job{Inputs: []Input{i}}
	}
	manifest := must.Get(run.Manifest{Command: "test", Shards: 2, Settings: map[string]string{}, Program: p}.Encode())(t)
	digest := run.ManifestDigest(manifest)
	for k, h := range []struct {
		job   Job
		stage stageInfo
		want  string
	}{
		{with(func(i *Input) { i.SHA256 = "../../.." }), stageInfo{}, "its digest is"},
		{with(func(i *Input) { i.SHA256 = strings.Repeat("0", 64) }), stageInfo{}, "damaged"},
		{with(func(i *Input) { i.Size = 2 }), stageInfo{}, "more of it than there should be"},
		{with(func(i *Input) { i.Path = "a\x00b"; i.Size = -1 }), stageInfo{}, "damaged"},
		{with(func(i *Input) { i.Folder = true; i.Path = strings.Repeat("long", 100) }), stageInfo{}, "damaged"},
		{Job{Shared: "../here"}, stageInfo{}, "nobody knows"},
		{Job{Shared: "/", Inputs: []Input{{Name: "--data", Path: "/dev/zero"}}}, stageInfo{}, "not a regular file"},
		{Job{}, stageInfo{Name: "../../out", Manifest: digest, Shards: 2}, "is called"},
		{Job{}, stageInfo{Name: "/tmp/out", Manifest: digest, Shards: 2}, "is called"},
		{Job{}, stageInfo{Name: "a", Manifest: "../x", Shards: 2}, "has the digest"},
		{Job{}, stageInfo{Name: "a", Manifest: digest, Shards: 1 << 60}, "shards in the cluster and 2 here"},
		{Job{Program: run.Program{Version: "v2"}}, stageInfo{}, "its program is v1"},
	} {
		h.job.ID = fmt.Sprintf("%016x", k)
		if h.job.Created = time.Unix(int64(k), 0); h.job.Program.Version == "" {
			h.job.Program = p
		}
		l := must.Get(openLedger(t.Context(), c.js, h.job.ID, ledgerOptions{}))(t)
		b, err := openBlobs(t.Context(), l, true)
		if err == nil {
			err = b.put(t.Context(), inputBlob(good), strings.NewReader("net"))
		}
		if err == nil {
			err = b.put(t.Context(), manifestBlob(digest), strings.NewReader(string(manifest)))
		}
		if s := h.stage; err == nil && s.Name != "" {
			s.Number = 1
			err = l.note(t.Context(), s, true)
			h.job.Args = []string{s.Name}
		}
		if err == nil {
			_, err = l.js.Publish(t.Context(), l.subject(1, "0"), nil)
		}
		if err == nil {
			_, err = l.join(t.Context(), stageInfo{Number: 1, Shards: 2}, true)
		}
		if err == nil {
			err = r.put(t.Context(), entry{Job: h.job})
		}
		must.Do(t, err, k)
		defer func() {
			all, err := l.workers(t.Context())
			if err != nil || len(all) != 1 || !strings.Contains(all[0].Refused, h.want) {
				t.Errorf("job %d: %+v, %v, not %q", k, all, err, h.want)
			}
		}()
	}
	scratch := t.TempDir()
	must.Do(t, os.Chmod(scratch, 0o700))
	err := c.Work(t.Context(), WorkerOptions{Name: "w", Idle: 100 * time.Millisecond, Scratch: scratch, Program: p, Execute: func(ctx context.Context, k Task) error {
		_, err := k.Pool.Run(ctx, run.Work{Dir: filepath.Join(k.Root, k.Args[0]), Resume: true, Manifest: run.Manifest{Command: "test", Shards: 2, Settings: map[string]string{}, Program: p}})
		return err
	}})
	if err != nil {
		t.Errorf("the worker ended: %v", err)
	}
	left, _ := os.ReadDir(scratch)
	if len(left) != 1 || left[0].Name() != "inputs" {
		t.Errorf("left are %v", left)
	}
	kept, _ := os.ReadDir(filepath.Join(scratch, "inputs"))
	if len(kept) != 0 {
		t.Errorf("in the cache are %v", kept)
	}
}

// TestNotTheSharedFolder has the path of the run's folder lead to another one.
func TestNotTheSharedFolder(t *testing.T) {
	m := run.Manifest{Command: "test", Shards: 2, Settings: map[string]string{}}
	for submitted, want := range map[string]string{
		"": "no such file",
		`{"schema": "tattle cluster 1", "id": "0123456789abcdee", "url": "x"}`: "is the folder of run",
		`{"schema": "tattle cluster 1", "id": "0123456789abcdef", "url": "x"}`: "",
	} {
		root := t.TempDir()
		if submitted != "" {
			lay(t, root, map[string]string{submissionFile: submitted})
		}
		must.Get(run.Create(filepath.Join(root, "shards"), m))(t)
		h := &home{job: Job{ID: "0123456789abcdef", Shared: root}}
		_, release, err := h.open(run.Work{Manifest: m}, "shards")
		if err == nil {
			release()
		}
		var refusal *refusalError
		if want == "" && err != nil || want != "" && (!errors.As(err, &refusal) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, not %q", err, want)
		}
	}
}

// TestSharedLinkIsNotFollowed puts a link that leads out of the run's folder in the place of its
// shards: a worker writes nothing there.
func TestSharedLinkIsNotFollowed(t *testing.T) {
	t.Parallel()
	c, root, outside := dialed(t), t.TempDir(), filepath.Join(t.TempDir(), "outside")
	p := run.Program{Version: "v1", Kernels: "plain"}
	w := run.Work{Manifest: run.Manifest{Command: "test", Shards: 1, Settings: map[string]string{}, Program: p}}
	w.Do = func(_ context.Context, _ int, to io.Writer) error {
		_, err := io.WriteString(to, "done")
		return err
	}
	s, _ := submitting(t, c, root, Job{Program: p, Shared: root}, w, false)
	shards := filepath.Join(root, "shards")
	eventually(t, "the stage is there", func() bool {
		all, err := s.l.stages(t.Context())
		return err == nil && len(all) == 1
	})
	must.Do(t, os.Rename(shards, outside))
	if err := os.Symlink(outside, shards); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	before := must.Get(os.ReadDir(outside))(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	scratch := t.TempDir()
	must.Do(t, os.Chmod(scratch, 0o700))
	err := c.Work(ctx, WorkerOptions{Name: "w", Idle: 2 * time.Second, Scratch: scratch, Program: p, Execute: func(ctx context.Context, k Task) error {
		again := w
		again.Dir, again.Resume = filepath.Join(k.Root, "shards"), true
		_, err := k.Pool.Run(ctx, again)
		return err
	}})
	after, readErr := os.ReadDir(outside)
	if readErr != nil || len(after) != len(before) {
		t.Errorf("outside of the run's folder are %v, before %v (%v)", after, before, readErr)
	}
	must.Fail(t, err, "path escapes") // the worker's
}

// submitting submits work of one stage in this process.
func submitting(t *testing.T, c *Conn, root string, j Job, w run.Work, resume bool) (*Submission, <-chan error) {
	t.Helper()
	s := must.Get(c.Submit(SubmitOptions{Job: jobOf(j), Root: root, Resume: resume}))(t)
	t.Cleanup(s.Close)
	end := make(chan error, 1)
	w.Dir, w.Resume = filepath.Join(root, "shards"), resume
	if err := s.submit(t.Context()); err != nil {
		end <- err
		return s, end
	}
	go func() {
		_, err := s.Run(t.Context(), w)
		end <- err
	}()
	return s, end
}

func jobOf(j Job) func(context.Context) (Job, error) {
	return func(context.Context) (Job, error) { return j, nil }
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited in vain: ", what)
		}
	}
}

// TestLiar commits what is not there, again and again: the shard is set aside.
func TestLiar(t *testing.T) {
	t.Parallel()
	c := dialed(t)
	w := run.Work{Manifest: run.Manifest{Command: "test", Shards: 2, Settings: map[string]string{}}}
	s, end := submitting(t, c, t.TempDir(), Job{}, w, false)
	var st *stage
	eventually(t, "the stage is there", func() bool {
		all, _ := s.l.stages(t.Context())
		if len(all) == 1 {
			st, _ = s.l.join(t.Context(), all[0], false)
		}
		return st != nil
	})
	var lies int
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var liar sync.WaitGroup
	liar.Go(func() {
		for ctx.Err() == nil {
			l, err := st.lease(ctx)
			if err != nil {
				return
			}
			c := commitRecord{Digest: hexSum("true"), Size: 4, Worker: "liar"}
			if l.Shard == 1 {
				lies++
				c.Digest = []string{hexSum("false"), "no digest"}[lies%2]
			} else {
				s.blobs.put(ctx, resultBlob(1, 0, c.Digest), strings.NewReader("true"))
			}
			l.commit(ctx, c)
			l.done(ctx)
		}
	})
	var failed *run.FailedError
	if err := <-end; !errors.As(err, &failed) || len(failed.Failures) != 1 || failed.Failures[0].Shard != 1 || !strings.Contains(failed.Failures[0].Cause(), "liar") {
		t.Errorf("the run ended with %v", err)
	}
	cancel()
	liar.Wait()
	if lies != run.MaxAttempts {
		t.Errorf("%d lies were believed", lies)
	}
}

// TestRunsTakeTurns has somebody hold the last shard of a run for long: a worker goes on
// to a later run meanwhile, and comes back, be the later one long.
func TestRunsTakeTurns(t *testing.T) {
	t.Parallel()
	t.Run("a short run", func(t *testing.T) {
		t.Parallel()
		takeTurns(t, 1, comeBack)
	})
	t.Run("a long run", func(t *testing.T) {
		t.Parallel()
		takeTurns(t, 1000, 300*time.Millisecond)
	})
}

func takeTurns(t *testing.T, shards int, comeBack time.Duration) {
	c := dialed(t)
	p := run.Program{Version: "v1", Kernels: "plain"}
	w := run.Work{Manifest: run.Manifest{Command: "test", Shards: 1, Settings: map[string]string{}, Program: p}}
	w.Do = func(ctx context.Context, _ int, to io.Writer) error {
		pause(ctx, 2*time.Millisecond)
		_, err := io.WriteString(to, "done")
		return err
	}
	first, one := submitting(t, c, t.TempDir(), Job{Program: p, Args: []string{"1"}}, w, false)
	var held *lease
	eventually(t, "the first run's shard is leased", func() bool {
		all, _ := first.l.stages(t.Context())
		if len(all) == 1 {
			if st, err := first.l.join(t.Context(), all[0], false); err == nil {
				held, _ = st.lease(t.Context())
			}
		}
		return held != nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	var workers sync.WaitGroup
	defer workers.Wait()
	defer cancel()
	work := func(name string) <-chan error {
		end := make(chan error, 1)
		scratch := t.TempDir()
		workers.Go(func() {
			end <- c.Work(ctx, WorkerOptions{Name: name, Idle: 300 * time.Millisecond, Scratch: scratch, Program: p, comeBack: comeBack, Execute: func(ctx context.Context, k Task) error {
				w := w
				fmt.Sscan(k.Args[0], &w.Manifest.Shards)
				w.Dir = filepath.Join(k.Root, "shards")
				_, err := k.Pool.Run(ctx, w)
				return err
			}})
		})
		return end
	}
	worker := work("w") // begins with the first run, where it waits
	eventually(t, "the worker takes part", func() bool {
		all, err := first.l.workers(t.Context())
		return err == nil && len(all) == 1
	})
	later := w
	later.Manifest.Shards = shards
	second, two := submitting(t, c, t.TempDir(), Job{Program: p, Args: []string{fmt.Sprint(shards)}}, later, false)
	if shards > 1 {
		eventually(t, "the later run is under way", func() bool {
			all, err := second.l.workers(t.Context())
			return err == nil && len(all) == 1
		})
		held.giveBack()
		must.Do(t, <-one)
		if len(two) > 0 {
			t.Error("the worker came back to the first run after the later one only")
		}
		return
	}
	must.Do(t, <-two)
	must.Do(t, second.Finish(t.Context()))
	held.giveBack()
	must.Do(t, <-worker)
	again := work("again") // the first waits to see whether others come back
	must.Do(t, <-one)
	<-again
}

// TestResumedOtherwise resumes a run with what does not fit its folder: the cluster's run
// stays what it was.
func TestResumedOtherwise(t *testing.T) {
	t.Parallel()
	c := dialed(t)
	root := t.TempDir()
	w := run.Work{Manifest: run.Manifest{Command: "test", Shards: 0, Settings: map[string]string{"a": "1"}}}
	s, end := submitting(t, c, root, Job{Args: []string{"as it was"}}, w, false)
	if err := <-end; err != nil { // of no shards, which are all done
		t.Fatal(err)
	}
	s.Close()
	w.Manifest.Settings = map[string]string{"a": "2"}
	s, end = submitting(t, c, root, Job{Args: []string{"otherwise"}}, w, true)
	var mismatch *run.MismatchError
	if err := <-end; !errors.As(err, &mismatch) {
		t.Errorf("error %v", err)
	}
	s.Close()
	all, err := c.Runs(t.Context())
	if err != nil || len(all) != 1 || all[0].Job.Args[0] != "as it was" {
		t.Errorf("%+v, %v", all, err)
	}
}

// TestFinishWithoutServer tidies the folder, and leaves what says where the run is.
func TestFinishWithoutServer(t *testing.T) {
	t.Parallel()
	url, stop := serving(t, ServerOptions{})
	c := must.Get(Connect(t.Context(), Dial{URL: url}))(t)
	defer c.Close()
	root := t.TempDir()
	s, end := submitting(t, c, root, Job{}, run.Work{Manifest: run.Manifest{Command: "test", Settings: map[string]string{}}}, false)
	must.Do(t, <-end)
	lay(t, root, map[string]string{"shards/" + mergedFile: ""})
	stop()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	must.Fail(t, s.Finish(ctx)) // no server is named
	_, merged := os.Stat(filepath.Join(root, "shards"))
	_, known := os.Stat(filepath.Join(root, submissionFile))
	if merged == nil || known != nil {
		t.Errorf("merged shards: %v, where the run is: %v", merged, known)
	}
}
