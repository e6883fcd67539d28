package run

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"

	"tattle/internal/file"
)

// WriteFile writes a file whole or not at all: to a hidden file beside it, which takes
// its name once all is on disk. Where write fails or panics, what stood at path before
// still stands there, and nothing else is left. Only a crash of the machine or the
// process may leave the hidden file. A symbolic link at path is replaced; WriteFile
// returns an error if something else than a regular file is at path.
func WriteFile(path string, write func(io.Writer) error) error { return file.Write(path, write) }

// Digest returns the SHA-256 of a file in hexadecimal.
func Digest(path string) (string, error) {
	f, err := file.Open(path)
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

// WriteJSON writes v as JSON that people can read.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "\t")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
