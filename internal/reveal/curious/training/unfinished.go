package training

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"tattle/internal/file"
	"tattle/internal/run"
)

// unfinishedFolder keeps the parts of a training after each epoch, in the training's folder, until it is done.
const unfinishedFolder = "unfinished"

// UnfinishedRoom is how many times the parameters an unfinished training takes while its file is
// replaced: twice the parameters, their two moments and those of the best epoch, as base64.
const UnfinishedRoom = 11

// unfinished keeps the parts of a training as files, which hold four numbers for each parameter. It
// implements curious.Unfinished.
type unfinished struct {
	files *file.Dir
	dir   string // of the training
	of    []byte // what determines the training: its settings, its data and the program
}

// newUnfinished returns what keeps a training with some settings and data in dir.
func newUnfinished(files *file.Dir, dir string, settings any, data string) *unfinished {
	of, err := json.Marshal([]any{settings, data, run.Current()})
	if err != nil {
		panic(err) // settings can always be written
	}
	return &unfinished{files, filepath.Join(dir, unfinishedFolder), of}
}

func (u *unfinished) path(part string) string { return filepath.Join(u.dir, part+".json") }

// digest returns the first line of a file: the SHA-256 of the training and of the lines below.
func (u *unfinished) digest(s []byte) []byte {
	sum := sha256.Sum256(append(bytes.Clone(u.of), s...))
	return hex.AppendEncode(nil, sum[:])
}

// Write implements curious.Unfinished.
func (u *unfinished) Write(part string, s any) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := u.files.MkdirAll(u.dir); err != nil {
		return err
	}
	return u.files.WriteBytes(u.path(part), bytes.Join([][]byte{u.digest(b), b}, []byte("\n")))
}

// Read implements curious.Unfinished.
func (u *unfinished) Read(part string, s any) (found bool, err error) {
	b, err := file.ReadFile(u.path(part))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	digest, b, _ := bytes.Cut(b, []byte("\n"))
	if !bytes.Equal(digest, u.digest(b)) {
		return false, fmt.Errorf("%s: damaged, or of another training or version of tattle: delete it, and the training starts again", u.path(part))
	}
	return true, json.Unmarshal(b, s)
}

// remove removes all parts.
func (u *unfinished) remove() error { return u.files.RemoveAll(u.dir) }
