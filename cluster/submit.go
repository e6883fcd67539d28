package cluster

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

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

// Submission is a run that is submitted once it has work: a pool whose work is done by the
// workers of a cluster, and collected here.
type Submission struct {
	c      *Conn
	o      SubmitOptions
	job    Job // with an ID once it is submitted
	runs   registry
	l      *ledger
	blobs  blobs
	checks *checker
	unlock func()
	begun  time.Time
	listed bool
	told   map[string]string // by worker, why it was refused
	asked  bool              // a person, for workers
}

// Submit returns a pool that hands a run to a cluster when there is work for the first time, or
// goes on with the run that the folder's cluster.json names. The folder is then kept from other
// submitters until Finish or Close.
func (c *Conn) Submit(o SubmitOptions) (s *Submission, err error) {
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
	if o.Replicas == 0 {
		o.Replicas = c.replicas
	}
	if !(o.Check >= 0 && o.Check <= 1) {
		return nil, fmt.Errorf("the rate of checks is %v: must be from 0 to 1", o.Check)
	}
	if o.Root, err = filepath.Abs(o.Root); err != nil {
		return nil, err
	}
	return &Submission{c: c, o: o, checks: &checker{count: Checked{Rate: o.Check}, workers: map[string]int{}}, told: map[string]string{}}, nil
}

// submit hands the run over, once.
func (s *Submission) submit(ctx context.Context) (err error) {
	if s.l != nil {
		return nil
	}
	if s.job, err = s.o.Job(ctx); err != nil {
		return err
	}
	s.job.Lease = s.o.Lease
	if s.unlock, err = lockRun(s.o.Root); err != nil {
		return err
	}
	if err = s.begin(ctx); err != nil {
		err = fmt.Errorf("submit the run: %w", s.gone(err))
		s.job.ID, s.l = "", nil
		s.Close()
	}
	return err
}

// lockRun keeps a run's folder to one submitter.
func lockRun(root string) (unlock func(), err error) {
	dir := filepath.Join(root, submissionFolder)
	if err := file.MkdirAll(dir); err != nil {
		return nil, err
	}
	release, err := file.Lock(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", root, err)
	}
	return func() {
		file.Remove(dir)
		release()
	}, nil
}

// Close lets go of the folder. The run stays in the cluster, where workers go on.
func (s *Submission) Close() {
	if s.unlock != nil {
		s.unlock()
		s.unlock = nil
	}
}

// ID returns the run's; "" if there was no work yet.
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
	} else if err := s.runs.put(ctx, entry{Job: s.job}); err != nil { // workers come once something is queued
		return err
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
	s.begun = time.Now()
	return nil
}

// list lists the run as it is now, once its work has begun: a folder that holds another run errs
// before, and then nothing has changed.
func (s *Submission) list(ctx context.Context) error {
	if s.listed {
		return nil
	}
	if err := s.runs.put(ctx, entry{Job: s.job}); err != nil {
		return err
	}
	s.listed = true
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
		was, err := parseSubmitted(path, data)
		if err != nil {
			return false, err
		}
		if was.URL != s.c.dial.URL {
			s.o.Log("the run was submitted to %s and goes on at %s: if these are not the same servers, tattle runs --cluster %s --remove %s ends it there", was.URL, s.c.dial.URL, was.URL, was.ID)
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
	return known, file.WriteBytes(path, append(data, '\n'))
}

// readSubmitted reads what a run's folder says of its submission.
func readSubmitted(root string) (was submitted, err error) {
	path := filepath.Join(root, submissionFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return was, err
	}
	return parseSubmitted(path, data)
}

// SubmittedTo says which run a folder was submitted as, and where; "" if it was not.
func SubmittedTo(root string) (id, url string) {
	was, err := readSubmitted(root)
	if err != nil {
		return "", ""
	}
	return was.ID, was.URL
}

func parseSubmitted(path string, data []byte) (was submitted, err error) {
	if err := json.Unmarshal(data, &was); err != nil || was.Schema != submissionSchema || !isID(was.ID) {
		return was, fmt.Errorf("%s is not as it was written: remove it, and the run is submitted anew", path)
	}
	return was, nil
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

// explainReplicas adds advice where a cluster has too few servers.
func explainReplicas(err error, replicas int) error {
	if noRoom(err) {
		return fmt.Errorf("%w: are %d servers up? --replicas says how many keep each entry", err, replicas)
	}
	return err
}

// restore adds the stages that are finished in the folder to the ledger, if it has lost them:
// workers need them to reach the stages that follow.
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
		return nil, nil // the code that needs it returns an error
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
