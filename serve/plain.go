package serve

import (
	"errors"
	"io/fs"
	"os"
	"strings"
)

var errNotPlain = errors.New("is not a plain file")

// plainFile describes a file that may be opened: no pipe, on which opening would
// wait, and no part of its name a link, which could lead to what is hidden. (That
// links lead nowhere outside the folder, os.Root sees to.)
func plainFile(root *os.Root, name string) (fs.FileInfo, error) {
	for at := 0; ; {
		next := strings.IndexByte(name[at:], '/')
		if next < 0 {
			break
		}
		at += next
		if info, err := root.Lstat(name[:at]); err != nil || !info.IsDir() {
			return nil, errors.Join(err, errNotPlain)
		}
		at++
	}
	info, err := root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = errNotPlain
	}
	return info, err
}

// openPlain opens a plain file, and describes it. It goes down folder by folder, and
// what it opened must be what it saw to be no link, so that no swap in between leads
// elsewhere.
func openPlain(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	at := root
	for {
		folder, rest, below := strings.Cut(name, "/")
		if !below {
			break
		}
		next, err := enter(at, folder)
		if at != root {
			at.Close()
		}
		if err != nil {
			return nil, nil, err
		}
		at, name = next, rest
	}
	if at != root {
		defer at.Close()
	}
	return openHere(at, name)
}

// enter opens a folder that is no link.
func enter(at *os.Root, folder string) (*os.Root, error) {
	seen, err := at.Lstat(folder)
	if err != nil {
		return nil, err
	}
	next, err := at.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	if is, err := next.Stat("."); err != nil || !os.SameFile(seen, is) {
		next.Close()
		return nil, errors.Join(err, errNotPlain)
	}
	return next, nil
}

// openHere opens a plain file of a folder.
func openHere(at *os.Root, name string) (*os.File, fs.FileInfo, error) {
	seen, err := plainFile(at, name)
	if err != nil {
		return nil, nil, err
	}
	f, err := at.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	is, err := f.Stat()
	if err != nil || !os.SameFile(seen, is) {
		f.Close()
		return nil, nil, errors.Join(err, errNotPlain)
	}
	return f, is, nil
}
