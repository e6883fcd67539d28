package training

import (
	"encoding/json"
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
	return files.Write(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(u) })
}

// readUnfinished reads the file that write makes. If the file does not exist, it returns nil.
func readUnfinished(path string) (*unfinished, error) {
	b, err := file.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	u := new(unfinished)
	if err := json.Unmarshal(b, u); err != nil {
		return nil, fmt.Errorf("%s: not an unfinished training (%w): take the file away, and the training starts again", path, err)
	}
	return u, nil
}
