// Package npy reads and writes NumPy's array files: .npy, one array, and .npz,
// a zip archive of named arrays.
//
// Files come from outside. A reader allocates no more than a small multiple of
// the bytes that are really there, whatever a header claims (those of a deflated
// array are up to 1032 times as many as it takes in the file), and says in a
// FormatError which file and array are wrong. Written bytes depend on the arrays
// alone: archives carry no time stamps.
package npy

import (
	"fmt"

	"tattle/internal/file"
)

// FormatError says that a file, or one array of it, is not what this package
// reads.
type FormatError struct {
	File   string // path, or empty if only a reader is known
	Array  string // name in an archive, or empty
	Detail string
	Err    error // the error beneath, or nil
}

// Error returns one line: file, array and what is wrong.
func (e *FormatError) Error() string {
	s := e.Detail
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Array != "" {
		s = fmt.Sprintf("array %q: %s", e.Array, s)
	}
	if e.File != "" {
		s = file.Name(e.File) + ": " + s
	}
	return s
}

// Unwrap returns the error beneath.
func (e *FormatError) Unwrap() error { return e.Err }

func malformed(format string, args ...any) error {
	return &FormatError{Detail: fmt.Sprintf(format, args...)}
}

// locate says in which file and array an error arose.
func locate(err error, file, array string) error {
	if err == nil {
		return nil
	}
	if e, ok := err.(*FormatError); ok {
		return &FormatError{File: file, Array: array, Detail: e.Detail, Err: e.Err}
	}
	return &FormatError{File: file, Array: array, Detail: "reading", Err: err}
}
