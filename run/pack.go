package run

import "io"

// Pack writes a folder as one archive: the same bytes for the same files.
func Pack(w io.Writer, dir string) error { panic("not yet") }

// Unpack writes what Pack packed into a new folder.
func Unpack(path, dir string) error { panic("not yet") }
