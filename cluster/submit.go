package cluster

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tattle/internal/file"
	"tattle/run"
)

const (
	submissionFile   = "cluster.json" // in a run's folder
	submissionSchema = "tattle cluster 1"
	submissionFolder = ".cluster" // there, too, while somebody submits
	mergedFile       = ".merged"  // in the folder of a stage that is not needed here any more
)

// submitted is what submissionFile says.
type submitted struct {
	Schema string `json:"schema"`
	ID     string `json:"id"`
	URL    string `json:"url"`
}

// Submission is a run that was submitted: a pool whose work is done by the workers of
// a cluster, and collected here.
type Submission struct {
	c      *Conn
	job    Job
	o      SubmitOptions
	runs   registry
	l      *ledger
	blobs  blobs
	unlock func()
	stop   context.CancelFunc // of what watches the workers
}

// Submit hands a run to a cluster, or goes on with the one that the folder's
// cluster.json names. The folder is kept from other submitters until Finish or Close.
func (c *Conn) Submit(ctx context.Context, j Job, o SubmitOptions) (_ *Submission, err error) {
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
	if o.Replicas == 0 {
		o.Replicas = c.replicas
	}
	if o.Lease > 0 {
		j.Lease = o.Lease
	}
	if o.Root, err = filepath.Abs(o.Root); err != nil {
		return nil, err
	}
	s := &Submission{c: c, job: j, o: o}
	if s.unlock, err = lockRun(o.Root); err != nil {
		return nil, err
	}
	if err = s.begin(ctx); err != nil {
		s.Close()
		return nil, fmt.Errorf("submit the run: %w", err)
	}
	return s, nil
}

// lockRun keeps a run's folder to one submitter.
func lockRun(root string) (unlock func(), err error) {
	dir := filepath.Join(root, submissionFolder)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	release, err := file.Lock(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", root, err)
	}
	return func() {
		os.Remove(dir)
		release()
	}, nil
}

// Close lets go of the folder. The run stays in the cluster, where workers go on.
func (s *Submission) Close() {
	if s.stop != nil {
		s.stop()
		s.stop = nil
	}
	if s.unlock != nil {
		s.unlock()
		s.unlock = nil
	}
}

// ID returns the run's.
func (s *Submission) ID() string { return s.job.ID }

// begin puts into the cluster what it lacks of the run. That it is listed comes last.
func (s *Submission) begin(ctx context.Context) error {
	known, err := s.identify()
	if err != nil {
		return err
	}
	if s.runs, err = s.c.registry(ctx); err != nil {
		return err
	}
	if err := s.runs.sweep(ctx); err != nil {
		return err
	}
	e, listed, err := s.runs.get(ctx, s.job.ID)
	if err != nil {
		return err
	}
	if listed {
		s.job.Created = e.Job.Created
	}
	s.l, err = openLedger(ctx, s.c.js, s.job.ID, ledgerOptions{Replicas: s.o.Replicas, Lease: s.job.Lease, Log: s.o.Log})
	if err != nil {
		return explainReplicas(err, s.o.Replicas)
	}
	if s.blobs, err = openBlobs(ctx, s.l, true); err != nil {
		return err
	}
	if s.job.Shared == "" {
		for _, i := range s.job.Inputs {
			if err := putInput(ctx, s.blobs, pathFrom(s.job.Cwd, i.Path), i); err != nil {
				return err
			}
		}
	}
	if known {
		if err := s.restore(ctx); err != nil {
			return err
		}
	}
	if err := s.runs.put(ctx, entry{Job: s.job}); err != nil {
		return err
	}
	s.c.wake()
	s.watch()
	return nil
}

// identify finds the run's ID, in the folder where it is resumed and known there, and
// writes it there where it is not.
func (s *Submission) identify() (known bool, err error) {
	path := filepath.Join(s.o.Root, submissionFile)
	data, err := os.ReadFile(path)
	if err == nil && !s.o.Resume {
		return false, fmt.Errorf("%s holds a run already: resume it or name another folder", s.o.Root)
	}
	if err == nil {
		var was submitted
		if err := json.Unmarshal(data, &was); err != nil || was.Schema != submissionSchema || !isID(was.ID) {
			return false, fmt.Errorf("%s is not as it was written: remove it, and the run is submitted anew", path)
		}
		if was.URL != s.c.dial.URL {
			s.o.Log("the run was submitted to %s and goes on at %s", was.URL, s.c.dial.URL)
		}
		s.job.ID, known = was.ID, true
	} else if !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if s.job.ID == "" {
		s.job.ID = newID()
	}
	if s.job.Created.IsZero() {
		s.job.Created = time.Now().UTC()
	}
	data, err = json.MarshalIndent(submitted{submissionSchema, s.job.ID, s.c.dial.URL}, "", "  ")
	if err != nil {
		return known, err
	}
	return known, run.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(append(data, '\n'))
		return err
	})
}

func newID() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

func isID(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 8
}

// explainReplicas adds the mend where a cluster has too few servers.
func explainReplicas(err error, replicas int) error {
	var api *jetstream.APIError
	if errors.As(err, &api) && (api.ErrorCode == 10005 || api.ErrorCode == 10074) {
		return fmt.Errorf("%w: are there %d servers? --replicas says how many keep each entry", err, replicas)
	}
	return err
}

// restore tells the ledger of the stages that lie finished in the folder, where it has
// forgotten them: workers need them to come to those that follow.
func (s *Submission) restore(ctx context.Context) error {
	have, err := s.l.stages(ctx)
	if err != nil || len(have) > 0 {
		return err
	}
	return filepath.WalkDir(s.o.Root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() != manifestFile {
			return err
		}
		f, err := joinComplete(filepath.Dir(path))
		if f == nil || err != nil {
			return err
		}
		s.o.Log("the cluster has forgotten the run: %s is handed to it again", f.Dir())
		st, err := s.announce(ctx, f)
		if err != nil {
			return err
		}
		return st.finish(ctx)
	})
}

const manifestFile = "manifest.json"

// joinComplete returns the folder of a stage whose shards are all there, else nil.
func joinComplete(dir string) (*run.Folder, error) {
	data, err := run.ReadManifest(dir)
	if err != nil {
		return nil, nil // whoever needs it says so
	}
	m, err := run.ParseManifest(data)
	if err != nil {
		return nil, nil
	}
	f, err := run.Join(dir, m)
	if err != nil || len(f.Remaining()) > 0 {
		return nil, nil
	}
	return f, nil
}

// stageName is what the folder of a stage is called in a run.
func stageName(root, dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(root, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s does not lie in the run's folder %s", dir, root)
	}
	return filepath.ToSlash(rel), nil
}

func manifestBlob(digest string) string { return "manifest." + digest }

func resultBlob(stage, shard int, digest string) string {
	return fmt.Sprintf("result.%d.%d.%s", stage, shard, digest)
}

// announce makes a stage known, with what its folder has of it.
func (s *Submission) announce(ctx context.Context, f *run.Folder) (*stage, error) {
	name, err := stageName(s.o.Root, f.Dir())
	if err != nil {
		return nil, err
	}
	digest := run.ManifestDigest(f.Manifest())
	if err := s.blobs.put(ctx, manifestBlob(digest), bytes.NewReader(f.Manifest())); err != nil {
		return nil, err
	}
	st, err := s.l.stage(ctx, name, digest, f.Len())
	if err != nil {
		return nil, err
	}
	if err := st.adopt(ctx, f); err != nil {
		return nil, err
	}
	return st, s.lend(ctx, st, f)
}

// lend gives the cluster the results that it knows of from the folder only.
func (s *Submission) lend(ctx context.Context, st *stage, f *run.Folder) error {
	if s.job.Shared != "" {
		return nil
	}
	commits, _, err := st.read(ctx)
	if err != nil {
		return err
	}
	var small []int
	for _, i := range slices.Sorted(maps.Keys(commits)) {
		c := commits[i]
		if c.Worker != byFolder || !f.Done(i) {
			continue
		}
		info, err := os.Stat(f.Path(i))
		if err != nil {
			return &run.StoreError{Dir: f.Dir(), Err: err}
		}
		if info.Size() <= tinyBlob {
			small = append(small, i)
		} else if err := putFile(ctx, s.blobs, resultBlob(st.Number, i, c.Digest), f.Path(i)); err != nil {
			return err
		}
	}
	return st.all(ctx, "give the cluster what the folder holds", small, func(js jetstream.JetStream, i int) (jetstream.PubAckFuture, error) {
		data, err := os.ReadFile(f.Path(i))
		if err != nil {
			return nil, err
		}
		key := blobKey(resultBlob(st.Number, i, commits[i].Digest))
		return js.PublishAsync("$KV."+bucketName(s.l.id)+"."+key, append([]byte{'s'}, data...), jetstream.WithStallWait(attempt))
	}, func(_ int, err error) error { return err })
}

func putFile(ctx context.Context, b blobs, name, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return b.put(ctx, name, f)
}

// Run implements run.Pool: workers compute the shards, and the results are collected in
// the work's folder, which must lie in the run's.
func (s *Submission) Run(ctx context.Context, w run.Work) (*run.Folder, error) {
	f, unlock, err := w.Open()
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := forgive(f); err != nil {
		return f, err
	}
	st, err := s.announce(ctx, f)
	if err == nil {
		err = s.reopen(ctx, st, f)
	}
	if err != nil {
		return f, s.gone(err)
	}
	s.c.wake()
	c := &collector{s: s, w: w, f: f, st: st, aside: map[int]failure{}}
	if err := c.collect(ctx); err != nil {
		return f, s.gone(err)
	}
	f.OnDiscard(func() error { return os.WriteFile(filepath.Join(f.Dir(), mergedFile), nil, 0o666) })
	if len(c.aside) > 0 {
		return f, c.failed()
	}
	if err := s.close(ctx, st); err != nil {
		return f, s.gone(err)
	}
	s.c.wake()
	return f, nil
}

// close notes that a stage is complete. What its queue still holds is done.
func (s *Submission) close(ctx context.Context, st *stage) error {
	if err := st.finish(ctx); err != nil {
		return err
	}
	return s.l.retry(ctx, "empty the queue", attempt, func(ctx context.Context) error {
		return s.l.queue.Purge(ctx, jetstream.WithPurgeSubject(s.l.subject(st.Number, "*")))
	})
}

// forgive lets what was set aside be tried anew.
func forgive(f *run.Folder) error {
	failures, err := f.Failures()
	for _, failure := range failures {
		if err == nil {
			err = f.Retry(failure.Shard)
		}
	}
	return err
}

// reopen queues what the stage lacks.
func (s *Submission) reopen(ctx context.Context, st *stage, f *run.Folder) error {
	if st.Done && len(f.Remaining()) > 0 {
		st.Done = false
		if err := s.l.note(ctx, st.stageInfo, false); err != nil {
			return err
		}
	}
	if err := st.forgive(ctx, false); err != nil {
		return err
	}
	_, err := st.fill(ctx)
	return err
}

// gone says what mends it where the run was removed from the cluster.
func (s *Submission) gone(err error) error {
	if errors.Is(err, errGone) {
		return fmt.Errorf("run %s: %w: somebody removed it; --resume submits it again, with what is finished", s.job.ID, errGone)
	}
	return err
}

// watch tells, once each, which workers do not take part, and why.
func (s *Submission) watch() {
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	told := map[string]string{}
	go s.l.watchWorkers(ctx, func(w WorkerState) {
		if w.Refused != "" && told[w.Name] != w.Refused {
			told[w.Name] = w.Refused
			s.o.Log("worker %s refused: %s", file.Name(w.Name), w.Refused)
		}
	})
}

// Finish ends the run: all that the cluster keeps of it goes, but for the entry that
// says that it is finished, and so do the shards that were merged here.
func (s *Submission) Finish(ctx context.Context) error {
	defer s.Close()
	stages, err := s.l.states(ctx)
	if err != nil && !errors.Is(err, errGone) {
		return err
	}
	if err := s.runs.put(ctx, entry{Job: s.job, Finished: time.Now().UTC(), Stages: stages}); err != nil {
		return err
	}
	s.stop()
	s.c.wake()
	if err := s.c.clear(ctx, s.job.ID); err != nil {
		return err
	}
	if err := discardMerged(s.o.Root); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(s.o.Root, submissionFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// discardMerged removes the folders of stages that were merged and kept for workers.
func discardMerged(root string) error {
	var merged []string
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Name() == mergedFile {
			merged = append(merged, filepath.Dir(path))
		}
		return err
	})
	for _, dir := range merged {
		if err == nil {
			err = os.Remove(filepath.Join(dir, manifestFile))
		}
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			err = os.RemoveAll(dir)
		}
	}
	return err
}
