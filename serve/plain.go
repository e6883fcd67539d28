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

// openPlain opens a plain file, and says how long it is.
func openPlain(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	info, err := plainFile(root, name)
	if err != nil {
		return nil, nil, err
	}
	f, err := root.Open(name)
	return f, info, err
}
