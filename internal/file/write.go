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

// Write writes a file whole or not at all: it writes a hidden file in the same folder, and
// renames it once all is on disk. If write fails or panics, a file that was at path before stays
// unchanged, and the hidden file is removed. Only a crash of the machine or the process may leave
// it. A symbolic link at path is replaced, and the file that it points to stays unchanged. Write
// returns an error if path exists and is neither a regular file nor a link.
func (d *Dir) Write(path string, write func(io.Writer) error) error {
	return d.replace(path, func(to *disk) error { return inOrder(to, write) })
}

// WriteBytes is Write of these bytes.
func (d *Dir) WriteBytes(path string, data []byte) error {
	return d.Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteAt is Write for content that is not written in order.
func (d *Dir) WriteAt(path string, write func(io.WriterAt) error) error {
	return d.replace(path, func(to *disk) error { return write(to) })
}

// Write is Write of a nil *Dir.
func Write(path string, write func(io.Writer) error) error { return (*Dir)(nil).Write(path, write) }

// WriteBytes is WriteBytes of a nil *Dir.
func WriteBytes(path string, data []byte) error { return (*Dir)(nil).WriteBytes(path, data) }

func (d *Dir) replace(path string, write func(*disk) error) error {
	err := d.replaceable(path)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	beside, err := d.hide(filepath.Dir(path), filepath.Base(path), write)
	if err == nil {
		if err = d.Rename(beside, path); err != nil {
			d.Remove(beside)
			err = Cause(err)
		}
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	Sync(filepath.Dir(path))
	return nil
}

// A DiskError is a failure of the disk or the file system, not of the content to be written.
type DiskError struct{ Err error }

// Error returns the message of the cause.
func (e *DiskError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *DiskError) Unwrap() error { return e.Err }

// Hide writes a hidden file in a folder, whole and on disk, and returns its path. The
// caller must rename or remove it. An error of write is returned unchanged; a failure of the
// disk is a *DiskError. If Hide fails or write panics, no file is left.
func (d *Dir) Hide(dir, name string, write func(io.Writer) error) (path string, err error) {
	return d.hide(dir, name, func(to *disk) error { return inOrder(to, write) })
}

// inOrder writes through a buffer.
func inOrder(to *disk, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(to, 1<<16)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}

// hide is Hide for a file that is written in any order.
func (d *Dir) hide(dir, name string, write func(*disk) error) (path string, err error) {
	f, err := d.createTemp(dir, name)
	if err != nil {
		return "", &DiskError{Cause(err)}
	}
	beside, finished := filepath.Join(dir, filepath.Base(f.Name())), false
	defer func() {
		if !finished {
			f.Close()
			d.Remove(beside)
		}
	}()
	disk := &disk{file: f}
	err = write(disk)
	if disk.err == nil && err != nil {
		return "", err
	}
	if err = disk.err; err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return "", &DiskError{Cause(err)}
	}
	finished = true
	return beside, nil
}

// disk is a file that keeps its error.
type disk struct {
	file *os.File
	err  error
}

func (d *disk) WriteAt(b []byte, offset int64) (int, error) {
	n, err := d.file.WriteAt(b, offset)
	if err != nil {
		d.err = Cause(err)
	}
	return n, d.err
}

func (d *disk) Write(b []byte) (int, error) {
	n, err := d.file.Write(b)
	if err != nil {
		d.err = Cause(err)
	}
	return n, d.err
}

// replaceable returns an error if path must not be replaced: a folder or a device.
func (d *Dir) replaceable(path string) error {
	info, err := d.lstat(path)
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

// MkdirAllSynced is MkdirAll, and writes the names of the folders to disk.
func (d *Dir) MkdirAllSynced(dir string) error {
	if err := d.MkdirAll(dir); err != nil {
		return err
	}
	above, err := filepath.Abs(dir)
	for err == nil && above != filepath.Dir(above) {
		above = filepath.Dir(above)
		Sync(above)
	}
	return err
}

// Sync writes the names in a folder to disk. Not every system can. On such a system a crash of
// the machine may lose a name, but does not leave half a file.
func Sync(dir string) {
	if d, err := os.Open(dir); err == nil {
		d.Sync()
		d.Close()
	}
}

// IsTemporary reports whether the hidden files of a *Dir have names like this one.
func IsTemporary(name string) bool {
	stem, ok := strings.CutSuffix(name, temporary)
	at := strings.LastIndexByte(stem, '.')
	if !ok || at <= 0 || stem[0] != '.' || len(stem)-at-1 != 16 {
		return false
	}
	_, err := strconv.ParseUint(stem[at+1:], 16, 64)
	return err == nil
}

// Cause removes the name of a hidden file from an error, because it means nothing to a reader.
func Cause(err error) error {
	switch e := err.(type) {
	case *os.PathError:
		return e.Err
	case *os.LinkError:
		return e.Err
	}
	return err
}
