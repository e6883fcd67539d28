package file

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// A Dir changes files in a folder and below, and nowhere else: its methods do not follow a symbolic
// link that leads out of the folder, even one that appears meanwhile. They take the paths that
// package os takes, and return an error for a path outside. A nil *Dir has no folder: its methods
// take any path and follow links.
type Dir struct {
	root *os.Root
	path string // absolute
}

// OpenDir returns the Dir of a folder. The caller must close it.
func OpenDir(path string) (*Dir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Dir{root, path}, nil
}

// Close ends the use of the Dir.
func (d *Dir) Close() error { return d.root.Close() }

// name returns a path relative to the folder. It begins with .. for a path outside, which os.Root refuses.
func (d *Dir) name(path string) string {
	path, err := filepath.Abs(path)
	if err == nil {
		path, err = filepath.Rel(d.path, path)
	}
	if err != nil {
		return ".."
	}
	return path
}

// For returns d for a path in its folder, and nil for a path outside: for files that a user names.
func (d *Dir) For(path string) *Dir {
	if d == nil || !filepath.IsLocal(d.name(path)) {
		return nil
	}
	return d
}

// OpenFile is os.OpenFile, for files to write.
func (d *Dir) OpenFile(path string, flag int, perm os.FileMode) (*os.File, error) {
	if d != nil {
		return d.root.OpenFile(d.name(path), flag, perm)
	}
	return os.OpenFile(path, flag, perm)
}

// Mkdir makes a folder.
func (d *Dir) Mkdir(path string) error {
	if d != nil {
		return d.root.Mkdir(d.name(path), 0o777)
	}
	return os.Mkdir(path, 0o777)
}

// MkdirAll makes a folder with those above it.
func (d *Dir) MkdirAll(path string) error {
	if d != nil {
		return d.root.MkdirAll(d.name(path), 0o777)
	}
	return os.MkdirAll(path, 0o777)
}

// MkdirTemp makes a new folder in dir whose name begins with prefix.
func (d *Dir) MkdirTemp(dir, prefix string) (string, error) {
	for {
		path := filepath.Join(dir, prefix+strconv.FormatUint(rand.Uint64(), 36))
		switch err := d.Mkdir(path); {
		case err == nil:
			return path, nil
		case !os.IsExist(err):
			return "", err
		}
	}
}

// createTemp makes a hidden file in dir to be written, with name in its name. It is this
// process's until it is closed.
func (d *Dir) createTemp(dir, name string) (*os.File, error) {
	path := filepath.Join(dir, fmt.Sprintf(".%s.%016x%s", name, rand.Uint64(), temporary))
	f, err := d.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil {
		hold(f)
	}
	return f, err
}

// OpenRoot is os.OpenRoot.
func (d *Dir) OpenRoot(path string) (*os.Root, error) {
	if d != nil {
		return d.root.OpenRoot(d.name(path))
	}
	return os.OpenRoot(path)
}

// Remove is os.Remove.
func (d *Dir) Remove(path string) error {
	if d != nil {
		return d.root.Remove(d.name(path))
	}
	return os.Remove(path)
}

// RemoveAll is os.RemoveAll.
func (d *Dir) RemoveAll(path string) error {
	if d != nil {
		return d.root.RemoveAll(d.name(path))
	}
	return os.RemoveAll(path)
}

// Rename is os.Rename.
func (d *Dir) Rename(from, to string) error {
	if d != nil {
		return d.root.Rename(d.name(from), d.name(to))
	}
	return os.Rename(from, to)
}

// Link is os.Link.
func (d *Dir) Link(from, to string) error {
	if d != nil {
		return d.root.Link(d.name(from), d.name(to))
	}
	return os.Link(from, to)
}

// LinkOrCopy makes the file to with the content of from: the same file where the file
// system has hard links. A file that is there already stays as it is.
func (d *Dir) LinkOrCopy(from, to string) error {
	if err := d.MkdirAll(filepath.Dir(to)); err != nil {
		return err
	}
	if err := d.Link(from, to); err == nil || errors.Is(err, os.ErrExist) {
		return nil
	}
	f, err := Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	w, err := d.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return errors.Join(err, w.Close())
}

// Chtimes is os.Chtimes.
func (d *Dir) Chtimes(path string, accessed, modified time.Time) error {
	if d != nil {
		return d.root.Chtimes(d.name(path), accessed, modified)
	}
	return os.Chtimes(path, accessed, modified)
}

// lstat is os.Lstat.
func (d *Dir) lstat(path string) (os.FileInfo, error) {
	if d != nil {
		return d.root.Lstat(d.name(path))
	}
	return os.Lstat(path)
}
