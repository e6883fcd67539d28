package training

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"tattle/internal/data/dataset"
	"tattle/internal/file"
	"tattle/internal/reveal/curious"
	"tattle/internal/run"
)

// Source says how labelled data were read, so that they can be read again.
type Source struct {
	Path string `json:"path,omitempty"` // absolute
	dataset.Options
	HoldOut bool `json:"hold_out,omitempty"` // trained on the teacher's part alone
}

// Open reads the data, in three parts. All of the training part is in whole; parts has
// only what is trained on. progress, unless nil, is called with the examples read.
func (s *Source) Open(ctx context.Context, progress func(done, total int)) (parts, whole *dataset.Parts, err error) {
	if _, err := os.Stat(s.Path); err != nil && s.Path != "" {
		return nil, nil, err
	}
	o := s.Options
	o.Progress = progress
	whole, err = dataset.OpenParts(ctx, s.Path, o)
	if err != nil {
		return nil, nil, err
	}
	if parts = whole; s.HoldOut {
		parts, _ = curious.SplitTeacher(whole, s.Seed)
	}
	return parts, whole, nil
}

// write writes source.json into dir; it does nothing if s is nil.
func (s *Source) write(files *file.Dir, dir string) error {
	if s == nil {
		return nil
	}
	return files.Write(filepath.Join(dir, SourceFile), func(w io.Writer) error { return run.WriteJSON(w, s) })
}

// readSource reads the source.json in dir, nil if there is none.
func readSource(dir string) (*Source, error) {
	path := filepath.Join(dir, SourceFile)
	b, err := file.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s := new(Source)
	if err := json.Unmarshal(b, s); err != nil {
		return nil, fmt.Errorf("%s: %w: it was changed, train again", path, err)
	}
	return s, nil
}
