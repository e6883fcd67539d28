package run

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// temporary ends the names of files that are still being written.
const temporary = ".tmp"

// WriteFile writes a file whole or not at all: to a hidden file beside it,
// which takes its name once all is on disk. Where write fails or panics, what
// stood at path before still stands there, and nothing else is left. Only a
// crash of the machine or the process may leave the hidden file.
func WriteFile(path string, write func(io.Writer) error) (err error) {
	name := fmt.Sprintf(".%s.%016x%s", filepath.Base(path), rand.Uint64(), temporary)
	beside := filepath.Join(filepath.Dir(path), name)
	f, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, cause(err))
	}
	finished := false
	defer func() {
		if !finished {
			f.Close()
			os.Remove(beside)
		}
	}()
	b := bufio.NewWriterSize(f, 1<<16)
	if err := write(b); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write %s: %w", path, cause(err))
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("write %s: %w", path, cause(err))
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("write %s: %w", path, cause(err))
	}
	if err := os.Rename(beside, path); err != nil {
		return fmt.Errorf("write %s: %w", path, cause(err))
	}
	finished = true
	return nil
}

// cause strips the hidden file's name, which says nothing to the reader.
func cause(err error) error {
	switch e := err.(type) {
	case *os.PathError:
		return e.Err
	case *os.LinkError:
		return e.Err
	}
	return err
}

// Digest returns the SHA-256 of a file in hexadecimal.
func Digest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
