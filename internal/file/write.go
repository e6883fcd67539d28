// Package file writes files whole or not at all, keeps folders to one process at
// a time, and prints names from outside in one line.
package file

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// temporary ends the names of files that are still being written.
const temporary = ".tmp"

// Write writes a file whole or not at all: to a hidden file beside it,
// which takes its name once all is on disk. Where write fails or panics, what
// stood at path before still stands there, and nothing else is left. Only a
// crash of the machine or the process may leave the hidden file. Where path is
// a link, what it points to is written; it errs where that is no plain file.
func Write(path string, write func(io.Writer) error) error {
	if err := replace(path, write); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func replace(path string, write func(io.Writer) error) error {
	path, err := target(path)
	if err != nil {
		return err
	}
	name := fmt.Sprintf(".%s.%016x%s", filepath.Base(path), rand.Uint64(), temporary)
	beside := filepath.Join(filepath.Dir(path), name)
	f, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return cause(err)
	}
	finished := false
	defer func() {
		if !finished {
			f.Close()
			os.Remove(beside)
		}
	}()
	b := bufio.NewWriterSize(hidden{f}, 1<<16)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return cause(err)
	}
	if err := f.Close(); err != nil {
		return cause(err)
	}
	if err := os.Rename(beside, path); err != nil {
		return cause(err)
	}
	finished = true
	syncFolder(filepath.Dir(path))
	return nil
}

// target follows links, and refuses what must not be replaced: a folder or a
// device.
func target(path string) (string, error) {
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return path, nil
	}
	if err != nil {
		return "", cause(err)
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("something else than a file is there: name another")
	}
	end, err := filepath.EvalSymlinks(path)
	return end, cause(err)
}

// syncFolder puts a new name on disk. Not every system can; what is lost there
// in a crash of the machine is the name and not half the file.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		d.Sync()
		d.Close()
	}
}

// hidden is a file whose errors do not tell its name.
type hidden struct{ f *os.File }

func (h hidden) Write(b []byte) (int, error) {
	n, err := h.f.Write(b)
	return n, cause(err)
}

// IsTemporary reports whether a name is one of Write's hidden files.
func IsTemporary(name string) bool {
	stem, ok := strings.CutSuffix(name, temporary)
	at := strings.LastIndexByte(stem, '.')
	if !ok || at <= 0 || stem[0] != '.' || len(stem)-at-1 != 16 {
		return false
	}
	_, err := strconv.ParseUint(stem[at+1:], 16, 64)
	return err == nil
}

// cause strips the hidden file's name, which says nothing to the reader.
func cause(err error) error {
	switch e := err.(type) {
	case *os.PathError:
		return e.Err
	case *os.LinkError:
		return e.Err
	}
	return err
}
