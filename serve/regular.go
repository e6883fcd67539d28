package serve

import (
	"errors"
	"io/fs"
	"os"
	"strings"
)

var errNotRegular = errors.New("is not a regular file")

// regularFile describes a regular file: opening a pipe would wait. No part of its path may be
// a link, which could lead to a hidden file. (os.Root makes sure that links do not lead out
// of the folder.)
func regularFile(root *os.Root, name string) (fs.FileInfo, error) {
	for at := 0; ; {
		next := strings.IndexByte(name[at:], '/')
		if next < 0 {
			break
		}
		at += next
		if info, err := root.Lstat(name[:at]); err != nil || !info.IsDir() {
			return nil, errors.Join(err, errNotRegular)
		}
		at++
	}
	info, err := root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	return info, err
}

// openRegular opens a regular file, and describes it. It opens folder by folder, and checks
// that it opened what it had seen not to be a link, so that a file swapped for a link in
// between is not followed.
func openRegular(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	at := root
	for {
		folder, rest, below := strings.Cut(name, "/")
		if !below {
			break
		}
		next, err := openFolder(at, folder)
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

// openFolder opens a folder that is not a link.
func openFolder(at *os.Root, folder string) (*os.Root, error) {
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
		return nil, errors.Join(err, errNotRegular)
	}
	return next, nil
}

// openHere opens a regular file of a folder.
func openHere(at *os.Root, name string) (*os.File, fs.FileInfo, error) {
	seen, err := regularFile(at, name)
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
		return nil, nil, errors.Join(err, errNotRegular)
	}
	return f, is, nil
}
