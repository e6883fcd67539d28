//go:build unix

package onnx

import (
	"path/filepath"
	"syscall"
	"testing"

	"tattle/internal/must"
)

// TestNamedPipe: a pipe in the place of the weights is refused, not waited for.
func TestNamedPipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Skip(err)
	}
	f := newFile(2).tensor(beside("w", "pipe", 0, 8, typeFloat, 2, 1)).node("MatMul", "y", in("x", "w"))
	must.Fail(t, must.Err(Read(writeFile(t, filepath.Join(dir, "m.onnx"), f.bytes()))), "which is not a regular file")
}
