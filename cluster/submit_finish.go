package cluster

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"tattle/internal/file"
)

// Finish ends the run: all that the cluster keeps of it goes, but for the entry that
// says that it is finished, and so do the shards that were merged here.
// What lies here is tidied in any case.
func (s *Submission) Finish(ctx context.Context) error {
	defer s.Close()
	ended := s.end(ctx)
	if err := discardMerged(s.o.Root); err != nil || ended != nil {
		return errors.Join(ended, err)
	}
	if err := file.Remove(filepath.Join(s.o.Root, submissionFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// end records in the cluster that the run is finished.
func (s *Submission) end(ctx context.Context) error {
	stages, err := s.l.states(ctx)
	if err != nil && !errors.Is(err, errGone) {
		return err
	}
	for k := range stages {
		stages[k].Failures = stages[k].Failures[:min(len(stages[k].Failures), keptFailures)]
	}
	if err := s.runs.put(ctx, entry{Job: s.job, Finished: time.Now().UTC(), Stages: stages}); err != nil {
		return err
	}
	s.c.wake()
	return s.c.clear(ctx, s.job.ID)
}

const keptFailures = 10 // of a stage, in the entry of a finished run

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
			err = file.Remove(filepath.Join(dir, manifestFile))
		}
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			err = file.RemoveAll(dir)
		}
	}
	return err
}
