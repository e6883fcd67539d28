package training

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"tattle/internal/engine/nn/train"
	"tattle/internal/file"
	"tattle/internal/reveal/curious"
)

// unfinished is a training as it was after an epoch.
type unfinished struct {
	State    train.State
	Measured []curious.HistoryEpoch
}

// write keeps the training in a file.
func (u *unfinished) write(files *file.Dir, path string) error {
	return files.Write(path, func(w io.Writer) error { return gob.NewEncoder(w).Encode(u) })
}

// readUnfinished reads the file that write makes. If the file does not exist, it returns nil.
func readUnfinished(path string) (*unfinished, error) {
	f, err := file.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	u := new(unfinished)
	if err := gob.NewDecoder(f).Decode(u); err != nil {
		return nil, fmt.Errorf("%s: not an unfinished training (%w): take the file away, and the training starts again", path, err)
	}
	return u, nil
}
