package folders

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"tattle/internal/file"
	"tattle/internal/run"
)

// take unpacks shard i, which is committed, unless its folder is complete.
func (s *Stage) take(f *run.Folder, i int, name string) error {
	dir := s.at(name)
	if files, err := s.Finished(name, dir); files != nil || err != nil {
		return err
	}
	err := s.unpack(f.Path(i), name, dir)
	if err == nil {
		err = s.Unpacked(name, dir)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.Label(name), err)
	}
	return nil
}

// unpack puts the files of an archive into the folder with that name, in the order that
// Finished returns. It returns an error unless the archive holds that folder, complete.
func (s *Stage) unpack(archive, name, dir string) error {
	if err := s.Files.MkdirAll(dir); err != nil {
		return err
	}
	beside, err := s.aside()
	if err != nil {
		return err
	}
	defer s.Files.RemoveAll(beside)
	from := filepath.Join(beside, "folder")
	if err := run.Unpack(s.Files, archive, from); err != nil {
		return err
	}
	files, err := s.Finished(name, from)
	if err == nil && files == nil {
		err = fmt.Errorf("%s is not the archive of a finished training", archive)
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := s.move(from, dir, filepath.FromSlash(f)); err != nil {
			return err
		}
	}
	return nil
}

// aside makes a temporary folder within the stage's, which is removed with the stage
// even if the process is killed.
func (s *Stage) aside() (string, error) { return s.Files.MkdirTemp(s.Dir, ".folder-") }

// move moves a file below one folder to the same place below another.
func (s *Stage) move(from, to, name string) error {
	if err := s.Files.MkdirAll(filepath.Dir(filepath.Join(to, name))); err != nil {
		return err
	}
	return s.Files.Rename(filepath.Join(from, name), filepath.Join(to, name))
}

// pack writes files of dir, which may hold others, as an archive.
func (s *Stage) pack(w io.Writer, dir string, files []string) error {
	beside, err := s.aside()
	if err != nil {
		return err
	}
	defer s.Files.RemoveAll(beside)
	for _, name := range files {
		name = filepath.FromSlash(name)
		if err := s.Files.LinkOrCopy(filepath.Join(dir, name), filepath.Join(beside, name)); err != nil {
			return err
		}
	}
	return run.Pack(s.Files, w, beside)
}

// sweep removes what a process that was killed has left half-written in a folder.
func (s *Stage) sweep(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		if file.IsTemporary(entry.Name()) {
			err = errors.Join(err, s.Files.Remove(filepath.Join(dir, entry.Name())))
		}
	}
	return err
}
