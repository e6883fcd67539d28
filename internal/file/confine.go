package file

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// confined are the folders that writes do not leave, by their absolute paths.
var confined = struct {
	sync.Mutex
	folders map[string]*confinement
}{folders: map[string]*confinement{}}

type confinement struct {
	*os.Root
	users int
}

// Confine restricts this package's functions that change files below a folder to that folder,
// until release is called: they do not follow a symbolic link that leads out of it, even one
// that appears meanwhile. The functions of package os are not restricted.
func Confine(dir string) (release func(), err error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	confined.Lock()
	defer confined.Unlock()
	c := confined.folders[path]
	if c == nil {
		root, err := os.OpenRoot(path)
		if err != nil {
			return nil, err
		}
		c = &confinement{Root: root}
		confined.folders[path] = c
	}
	c.users++
	return sync.OnceFunc(func() {
		confined.Lock()
		defer confined.Unlock()
		if c.users--; c.users == 0 {
			delete(confined.folders, path)
			c.Close()
		}
	}), nil
}

// rootOf returns the outermost confined folder above a path and the path within it, nil
// for none.
func rootOf(path string) (*os.Root, string) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, ""
	}
	confined.Lock()
	defer confined.Unlock()
	var root *os.Root
	var within string
	for dir := filepath.Dir(abs); len(confined.folders) > 0; dir = filepath.Dir(dir) {
		if c := confined.folders[dir]; c != nil {
			root, within = c.Root, strings.TrimPrefix(strings.TrimPrefix(abs, dir), string(filepath.Separator))
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return root, within
}

// OpenFile is os.OpenFile, for files to write.
func OpenFile(path string, flag int, perm os.FileMode) (*os.File, error) {
	if root, name := rootOf(path); root != nil {
		return root.OpenFile(name, flag, perm)
	}
	return os.OpenFile(path, flag, perm)
}

// Mkdir makes a folder.
func Mkdir(path string) error {
	if root, name := rootOf(path); root != nil {
		return root.Mkdir(name, 0o777)
	}
	return os.Mkdir(path, 0o777)
}

// MkdirAll makes a folder with those above it.
func MkdirAll(path string) error {
	if root, name := rootOf(path); root != nil {
		return root.MkdirAll(name, 0o777)
	}
	return os.MkdirAll(path, 0o777)
}

// MkdirTemp makes a new folder in dir whose name begins with prefix.
func MkdirTemp(dir, prefix string) (string, error) {
	for {
		path := filepath.Join(dir, prefix+strconv.FormatUint(rand.Uint64(), 36))
		switch err := Mkdir(path); {
		case err == nil:
			return path, nil
		case !os.IsExist(err):
			return "", err
		}
	}
}

// CreateTemp makes a hidden file in dir to be written, with name in its name. It is this
// process's until it is closed.
func CreateTemp(dir, name string) (*os.File, error) {
	path := filepath.Join(dir, fmt.Sprintf(".%s.%016x%s", name, rand.Uint64(), temporary))
	f, err := OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil {
		hold(f)
	}
	return f, err
}

// OpenRoot is os.OpenRoot.
func OpenRoot(path string) (*os.Root, error) {
	if root, name := rootOf(path); root != nil {
		return root.OpenRoot(name)
	}
	return os.OpenRoot(path)
}

// Remove is os.Remove.
func Remove(path string) error {
	if root, name := rootOf(path); root != nil {
		return root.Remove(name)
	}
	return os.Remove(path)
}

// RemoveAll is os.RemoveAll.
func RemoveAll(path string) error {
	if root, name := rootOf(path); root != nil {
		return root.RemoveAll(name)
	}
	return os.RemoveAll(path)
}

// Rename is os.Rename of two paths in one folder or below it.
func Rename(from, to string) error {
	return between(from, to, os.Rename, (*os.Root).Rename)
}

// Link is os.Link of two paths in one folder or below it.
func Link(from, to string) error {
	return between(from, to, os.Link, (*os.Root).Link)
}

// LinkOrCopy makes the file to with the content of from: the same file where the file
// system has hard links. A file that is there already stays as it is.
func LinkOrCopy(from, to string) error {
	if err := MkdirAll(filepath.Dir(to)); err != nil {
		return err
	}
	if err := Link(from, to); err == nil || errors.Is(err, os.ErrExist) {
		return nil
	}
	f, err := Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	w, err := OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return errors.Join(err, w.Close())
}

// between does something with two paths that lie in the same confined folder, or in none.
func between(from, to string, free func(from, to string) error, within func(r *os.Root, from, to string) error) error {
	root, name := rootOf(from)
	other, target := rootOf(to)
	switch {
	case root != other:
		return &os.LinkError{Op: "move", Old: from, New: to, Err: errors.New("one is in the folder of a run, and the other is not")}
	case root != nil:
		return within(root, name, target)
	}
	return free(from, to)
}

// lstat is os.Lstat.
func lstat(path string) (os.FileInfo, error) {
	if root, name := rootOf(path); root != nil {
		return root.Lstat(name)
	}
	return os.Lstat(path)
}
