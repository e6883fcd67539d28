package training

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"tattle/internal/file"
	"tattle/internal/protect/measure"
	"tattle/internal/run"
)

// UnfinishedFolder keeps the parts of a training after each epoch, in the training's folder, until it is done.
const UnfinishedFolder = "unfinished"

// KeptEpochs says what is kept of an interrupted training.
const KeptEpochs = "training goes on from its last finished epoch"

// UnfinishedRoom is how many times the parameters an unfinished training takes while its file is
// replaced: twice the parameters, their two moments and those of the best epoch.
const UnfinishedRoom = 8

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
	return &unfinished{files, filepath.Join(dir, UnfinishedFolder), of}
}

func (u *unfinished) path(part string) string { return filepath.Join(u.dir, part+".state") }

// digest returns how a file begins: with the SHA-256 of the training and of what follows.
func (u *unfinished) digest(s []byte) []byte {
	h := sha256.New()
	h.Write(u.of)
	h.Write(s)
	return h.Sum(nil)
}

// Write implements curious.Unfinished.
func (u *unfinished) Write(part string, s any) error {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(s); err != nil {
		return err
	}
	if err := u.files.MkdirAll(u.dir); err != nil {
		return err
	}
	return u.files.WriteBytes(u.path(part), append(u.digest(b.Bytes()), b.Bytes()...))
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
	n := min(sha256.Size, len(b))
	if !bytes.Equal(b[:n], u.digest(b[n:])) {
		return false, &measure.OptionError{Err: fmt.Errorf("%s: of other flags or another version of tattle, or damaged: give the flags of the run that was interrupted, or delete the file to begin again", u.path(part))}
	}
	return true, gob.NewDecoder(bytes.NewReader(b[n:])).Decode(s)
}

// remove removes all parts.
func (u *unfinished) remove() error { return u.files.RemoveAll(u.dir) }
