// Package folders computes stages of a run each of whose shards is a folder, such as the
// models and the result of a training. A shard holds the folder as one archive. Once it is
// committed, by whichever process, it is unpacked below the run's folder, and stays there
// when other folders are computed later.
package folders

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"tattle/internal/file"
	"tattle/internal/run"
)

// A Stage is a stage of a run each of whose shards is a folder.
type Stage struct {
	Dir    string   // of the shards
	Root   string   // of the run; the folders are made below it
	Names  []string // of the folders to be computed, in their order: paths below Root with slashes
	AtOnce int      // folders that one process computes at a time; 0 is 1
	Pool   run.Pool
	Files  *file.Dir // changes the files in Root; nil: any files
	Set

	replaced bool // a stage that was begun is forgotten, wherever it is known
}

// A Set makes the folders of a stage, each of which has a name.
type Set interface {
	// Manifest returns the manifest of a stage of these folders, with Settings.
	Manifest(ctx context.Context, names []string) (run.Manifest, error)
	// Finished returns the files of a folder in dir that is complete, as paths with
	// slashes below dir: where the last one is there, so are the others. It returns nil
	// if the folder is not complete.
	Finished(name, dir string) (files []string, err error)
	// Make computes a folder into dir. Interrupted, it returns ctx's error.
	Make(ctx context.Context, name, dir string) error
	// Label returns the name of a folder for people, "" for one of another set.
	Label(name string) string
	// Unpacked is called after a folder was unpacked into dir.
	Unpacked(name, dir string) error
	// Done is called for each missing folder once it is complete, with the time that it
	// took if this process computed it.
	Done(name string, took time.Duration)
}

// Settings are those in the manifest of a stage.
type Settings struct {
	Common map[string]string `json:"training"`  // what all folders have in common
	Names  []string          `json:"trainings"` // of the folders, by shard
}

// An OtherError reports that a folder holds a stage of other folders.
type OtherError struct {
	Dir  string // of the stage
	Name string // of a folder in it that the set does not have
}

// Error names the folder that is not of the set.
func (e *OtherError) Error() string {
	return fmt.Sprintf("%s: trainings of another kind: there is no %q here", e.Dir, e.Name)
}

// missing returns the folders that are not complete.
func (s *Stage) missing() ([]string, error) { return s.unfinished(s.Names) }

// unfinished returns those of the names whose folders are not complete.
func (s *Stage) unfinished(names []string) ([]string, error) {
	var left []string
	for _, name := range names {
		files, err := s.Finished(name, s.at(name))
		if err != nil {
			return nil, err
		}
		if files == nil {
			left = append(left, name)
		}
	}
	return left, nil
}

// at returns the place of a folder.
func (s *Stage) at(name string) string { return filepath.Join(s.Root, filepath.FromSlash(name)) }

// Run computes the folders that are missing. It calls start with their names first.
func (s *Stage) Run(ctx context.Context, start func(missing []string) error) error {
	names, missing, err := s.begin(ctx)
	if err == nil {
		err = start(missing)
	}
	if err != nil || len(names) == 0 && !file.Exists(s.Dir) && !s.replaced {
		return err
	}
	f, err := s.compute(ctx, names, missing)
	if err != nil {
		return err
	}
	return f.Discard()
}

// begin returns the names of the shards: those of a stage that was begun if the same
// folders are missing, otherwise those asked for. What another stage has finished is
// unpacked before that stage is removed.
func (s *Stage) begin(ctx context.Context) (names, missing []string, err error) {
	was, theirs, err := s.begun()
	if err != nil {
		return nil, nil, err
	}
	if was == nil {
		missing, err = s.missing()
		return missing, missing, err
	}
	f, unlock, err := s.open(ctx, was, theirs)
	if err != nil {
		return nil, nil, err
	}
	defer unlock()
	left, err := s.takeOver(f, was)
	if err != nil {
		return nil, nil, err
	}
	if missing, err = s.missing(); err != nil {
		return nil, nil, err
	}
	if left, err = s.unfinished(left); err != nil || len(missing) > 0 && theirs == run.Current() && slices.Equal(left, missing) {
		return was, missing, err
	}
	s.replaced = true
	return missing, missing, f.Discard()
}

// begun returns the names in the stage that was begun, nil if there is none, and the
// program that began it.
func (s *Stage) begun() (names []string, by run.Program, err error) {
	if !file.Exists(filepath.Join(s.Dir, run.ManifestName)) {
		return nil, by, nil
	}
	data, err := run.ReadManifest(s.Dir)
	if err != nil {
		return nil, by, err
	}
	var m struct {
		Program  run.Program
		Settings Settings
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, by, err
	}
	for _, name := range m.Settings.Names {
		if s.Label(name) == "" {
			return nil, by, &OtherError{s.Dir, name}
		}
	}
	return m.Settings.Names, m.Program, nil
}

// open opens a stage that was begun by a program.
func (s *Stage) open(ctx context.Context, names []string, by run.Program) (f *run.Folder, unlock func(), err error) {
	m, err := s.Manifest(ctx, names)
	if err != nil {
		return nil, nil, err
	}
	m.Program = by
	return run.Work{Dir: s.Dir, Manifest: m, Resume: true}.Open(s.Files)
}

// takeOver unpacks what a stage has finished, and returns the names of the rest.
func (s *Stage) takeOver(f *run.Folder, names []string) (left []string, err error) {
	for i, name := range names {
		if !f.Done(i) {
			left = append(left, name)
		} else if err := s.take(f, i, name); err != nil {
			return nil, err
		}
	}
	return left, nil
}
