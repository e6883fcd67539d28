package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// NewFolder makes the folder name or, if that exists, name-2, name-3 and so on, and returns its
// name.
func NewFolder(name string) (string, error) {
	for i := 1; ; i++ {
		dir := name
		if i > 1 {
			dir = fmt.Sprintf("%s-%d", name, i)
		}
		if err := os.Mkdir(dir, 0o777); err == nil || !errors.Is(err, fs.ErrExist) {
			return dir, err
		}
	}
}

// Room returns an error if a file of so many bytes cannot be written into a folder.
func (d *Dir) Room(dir string, size int64) (err error) {
	f, err := d.createTemp(dir, "tattle")
	if err != nil {
		return err
	}
	defer d.Remove(filepath.Join(dir, filepath.Base(f.Name())))
	zeros := make([]byte, 1<<20)
	for ; size > 0 && err == nil; size -= int64(len(zeros)) {
		_, err = f.Write(zeros[:min(size, int64(len(zeros)))])
	}
	if err == nil {
		return f.Close()
	}
	f.Close()
	return fmt.Errorf("%s: %w", dir, errors.Unwrap(err)) // without the temporary file's name
}

// Holds reports whether such returns true for the path of a file in a folder, at any depth.
func Holds(dir string, such func(path string) bool) bool {
	found := errors.New("found")
	return found == filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && such(path) {
			return found
		}
		return nil
	})
}
