package file

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// Sweep removes the half-written files of killed processes in a folder and below: regular files
// with names that IsTemporary takes. It keeps those that a process holds open, and those in folders that a
// process has locked or shares.
func (d *Dir) Sweep(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case entry.IsDir() && path != dir && Locked(path):
			return fs.SkipDir
		case !entry.Type().IsRegular() || !IsTemporary(entry.Name()):
			return nil
		}
		f, err := Open(path)
		if err != nil {
			return nil // it does not exist any more, or must not be read
		}
		defer f.Close()
		if held(f) {
			return nil
		}
		if err := d.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}
