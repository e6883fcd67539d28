package file

import "errors"

// ErrLocked says that another process works in a folder.
var ErrLocked = errors.New("another run works in this folder: wait for it, or name another folder")
