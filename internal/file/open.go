package file

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Open opens a file for reading. It errs, without waiting for anybody, where the path
// leads to something else than a regular file: a folder, named pipe, device or socket.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path) // before it is opened, which devices may notice
	if err != nil {
		return nil, err
	}
	if err := regular(path, info); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0) // it may be a pipe by now
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = regular(path, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// regular returns an error if what is at a path is not a regular file.
func regular(path string, info fs.FileInfo) error {
	what := "is special"
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		what = "is a folder"
	case mode&fs.ModeNamedPipe != 0:
		what = "is a named pipe"
	case mode&fs.ModeSocket != 0:
		what = "is a socket"
	case mode&fs.ModeDevice != 0:
		what = "is a device"
	}
	return &fs.PathError{Op: "open", Path: path, Err: errors.New(what + ", not a regular file")}
}

// ReadFile returns the bytes of a file that Open opens.
func ReadFile(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// ReadFileAtMost returns the bytes of a file that Open opens, or ErrTooLong for more than limit bytes.
func ReadFileAtMost(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, ErrTooLong
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return data, nil
}

// ErrTooLong is the error for more bytes than the limit.
var ErrTooLong = errors.New("longer than the limit")

// ReadAtMost reads r to its end. Of a reader with more than limit bytes it returns the
// first limit bytes and ErrTooLong.
func ReadAtMost(r io.Reader, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if int64(len(b)) > limit {
		return b[:limit], ErrTooLong
	}
	return b, err
}

// DirFS is os.DirFS, but for files, which Open opens.
func DirFS(dir string) fs.FS { return folder{os.DirFS(dir), dir} }

type folder struct {
	fs.FS
	dir string
}

// Open implements fs.FS.
func (f folder) Open(name string) (fs.File, error) {
	info, err := fs.Stat(f.FS, name)
	if err != nil || info.IsDir() {
		return f.FS.Open(name)
	}
	return Open(filepath.Join(f.dir, filepath.FromSlash(name)))
}

// ReadFile implements fs.ReadFileFS.
func (f folder) ReadFile(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return ReadFile(filepath.Join(f.dir, filepath.FromSlash(name)))
}

// ReadDir implements fs.ReadDirFS.
func (f folder) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(f.FS, name) }

// Stat implements fs.StatFS.
func (f folder) Stat(name string) (fs.FileInfo, error) { return fs.Stat(f.FS, name) }

// Exists reports whether there is something at path that can be looked at.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// NotFoundError says that a path that somebody named does not exist, and what to give.
type NotFoundError struct{ Path, Give string }

func (e *NotFoundError) Error() string { return e.Path + ": no such file or folder: " + e.Give }

// Unwrap returns fs.ErrNotExist.
func (e *NotFoundError) Unwrap() error { return fs.ErrNotExist }
