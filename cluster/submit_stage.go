package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/nats-io/nats.go/jetstream"

	"tattle/internal/file"
	"tattle/run"
)

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
	return st, s.adopt(ctx, st, f)
}

func putFile(ctx context.Context, b blobs, name, path string) error {
	f, err := file.Open(path)
	if err != nil {
		return &run.StoreError{Dir: filepath.Dir(path), Err: err}
	}
	defer f.Close()
	return b.put(ctx, name, f)
}

// Run implements run.Pool: workers compute the shards, and the results are collected in
// the work's folder, which must lie in the run's.
func (s *Submission) Run(ctx context.Context, w run.Work) (*run.Folder, error) {
	if err := s.submit(ctx); err != nil {
		return nil, err
	}
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
		err = s.list(ctx)
	}
	if err == nil {
		err = s.reopen(ctx, st, f)
	}
	if err != nil {
		return f, s.gone(err)
	}
	s.c.wake()
	c := &collector{s: s, w: w, f: f, st: st, aside: map[int]failure{}, damages: map[int][]string{}}
	if err := c.collect(ctx); err != nil {
		if lie, ok := errors.AsType[*LieError](err); ok {
			err = errors.Join(err, c.drop(ctx, lie))
		}
		return f, s.gone(err)
	}
	f.OnDiscard(func() error {
		return file.Write(filepath.Join(f.Dir(), mergedFile), func(io.Writer) error { return nil })
	})
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
	if err := st.forgive(ctx); err != nil {
		return err
	}
	_, err := st.fill(ctx)
	return err
}

// gone says what mends it where the run was removed from the cluster, or cannot be read.
func (s *Submission) gone(err error) error {
	var bad *unreadableError
	if errors.As(err, &bad) {
		return fmt.Errorf("run %s: %w: somebody else wrote it: tattle runs --cluster %s --remove %s, then --resume submits it again, with what is finished", s.job.ID, err, s.c.dial.URL, s.job.ID)
	}
	if errors.Is(err, errNoStage) {
		return fmt.Errorf("run %s: %w; --resume makes it again, with what is finished", s.job.ID, err)
	}
	if errors.Is(err, errGone) {
		return fmt.Errorf("run %s: %w: somebody removed it; --resume submits it again, with what is finished", s.job.ID, errGone)
	}
	return err
}
