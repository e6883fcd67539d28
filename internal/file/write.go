// Package file writes files whole or not at all, keeps folders to one process at
// a time, and prints names from outside in one line.
package file

import (
	"bufio"
	"errors"
	"fmt"
	"io"
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
// crash of the machine or the process may leave the hidden file. A symbolic link at
// path is replaced, and the file that it points to stays as it is. Write returns an error if
// something else than a regular file is at path.
func Write(path string, write func(io.Writer) error) error {
	if err := replace(path, write); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func replace(path string, write func(io.Writer) error) error {
	if err := replaceable(path); err != nil {
		return err
	}
	beside, _, err := Hide(filepath.Dir(path), filepath.Base(path), write)
	if err != nil {
		return err
	}
	if err := Rename(beside, path); err != nil {
		Remove(beside)
		return Cause(err)
	}
	Sync(filepath.Dir(path))
	return nil
}

// A DiskError says that a file could not be kept, whatever was to be written.
type DiskError struct{ Err error }

// Error is the cause's.
func (e *DiskError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *DiskError) Unwrap() error { return e.Err }

// Hide writes a hidden file in a folder, whole and on disk, and returns where: it is to
// be renamed, or removed. What write fails of is returned as it is; what the disk fails
// of is a *DiskError. Nothing is left where Hide errs or write panics.
func Hide(dir, name string, write func(io.Writer) error) (path string, size int64, err error) {
	f, err := CreateTemp(dir, name)
	if err != nil {
		return "", 0, &DiskError{Cause(err)}
	}
	beside, finished := filepath.Join(dir, filepath.Base(f.Name())), false
	defer func() {
		if !finished {
			f.Close()
			Remove(beside)
		}
	}()
	disk := &disk{file: f}
	b := bufio.NewWriterSize(disk, 1<<16)
	if err = write(b); err == nil {
		err = b.Flush()
	}
	if disk.err == nil && err != nil {
		return "", 0, err
	}
	if err = disk.err; err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return "", 0, &DiskError{Cause(err)}
	}
	finished = true
	return beside, disk.size, nil
}

// disk is a file that remembers how much it took, and what it failed of.
type disk struct {
	file *os.File
	size int64
	err  error
}

func (d *disk) Write(b []byte) (int, error) {
	n, err := d.file.Write(b)
	d.size += int64(n)
	if err != nil {
		d.err = Cause(err)
	}
	return n, d.err
}

// replaceable returns an error if path must not be replaced: a folder or a device.
func replaceable(path string) error {
	info, err := lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return Cause(err)
	case !info.Mode().IsRegular() && info.Mode().Type() != os.ModeSymlink:
		return errors.New("this is not a regular file: name another")
	}
	return nil
}

// MkdirAllSynced is MkdirAll, and puts the names of the folders on disk.
func MkdirAllSynced(dir string) error {
	if err := MkdirAll(dir); err != nil {
		return err
	}
	above, err := filepath.Abs(dir)
	for err == nil && above != filepath.Dir(above) {
		above = filepath.Dir(above)
		Sync(above)
	}
	return err
}

// Sync puts the names in a folder on disk. Not every system can; what is lost there
// in a crash of the machine is the name and not half the file.
func Sync(dir string) {
	if d, err := os.Open(dir); err == nil {
		d.Sync()
		d.Close()
	}
}

// IsTemporary reports whether a name is one of CreateTemp's.
func IsTemporary(name string) bool {
	stem, ok := strings.CutSuffix(name, temporary)
	at := strings.LastIndexByte(stem, '.')
	if !ok || at <= 0 || stem[0] != '.' || len(stem)-at-1 != 16 {
		return false
	}
	_, err := strconv.ParseUint(stem[at+1:], 16, 64)
	return err == nil
}

// Cause strips a hidden file's name, which says nothing to the reader.
func Cause(err error) error {
	switch e := err.(type) {
	case *os.PathError:
		return e.Err
	case *os.LinkError:
		return e.Err
	}
	return err
}
