package run

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"tattle/internal/file"
)

// Folder keeps the finished shards of a run on disk: for shard i a file and,
// beside it, the file's SHA-256 in the form that sha256sum -c reads. A shard
// counts as done only where the two agree. It is safe for concurrent use; one
// process at a time should have the folder open.
type Folder struct {
	dir     string
	corrupt []int

	mu    sync.Mutex
	state []state
}

type state uint8

const (
	todo state = iota
	writing
	done
)

// Create starts a run in a folder, which it makes where there is none. It errs
// where the folder already holds a run.
func Create(dir string, m Manifest) (*Folder, error) {
	data, err := m.encode()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("start a run: %w", err)
	}
	path := filepath.Join(dir, manifestName)
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("%s already holds a run: resume it or name another folder", dir)
	} else if !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("start a run: %w", err)
	}
	err = WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &Folder{dir: dir, state: make([]state, m.Shards)}, nil
}

// Open goes on with the run in a folder. It errs where there is none, and with
// a *MismatchError where it is another run than m. Shards that are not as they
// were committed count as not done; Corrupt tells which. What an interrupted
// process left half-written is removed.
func Open(dir string, m Manifest) (*Folder, error) {
	if err := m.check(dir); err != nil {
		return nil, err
	}
	f := &Folder{dir: dir, state: make([]state, m.Shards)}
	if err := f.sweep(); err != nil {
		return nil, err
	}
	for i := range f.state {
		sum, err := os.ReadFile(f.digestPath(i))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("resume: %w", err)
		}
		found, err := Digest(f.Path(i))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("resume: %w", err)
		}
		if string(sum) == f.digestLine(i, found) {
			f.state[i] = done
		} else {
			f.corrupt = append(f.corrupt, i)
		}
	}
	return f, nil
}

// sweep removes what was left half-written.
func (f *Folder) sweep() error {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return fmt.Errorf("resume: %w", err)
	}
	for _, e := range entries {
		if file.IsTemporary(e.Name()) {
			if err := os.Remove(filepath.Join(f.dir, e.Name())); err != nil {
				return fmt.Errorf("resume: %w", err)
			}
		}
	}
	return nil
}

// Len returns the number of shards.
func (f *Folder) Len() int { return len(f.state) }

// Done reports whether shard i is finished.
func (f *Folder) Done(i int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state[i] == done
}

// Remaining returns the shards still to do, in order.
func (f *Folder) Remaining() []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	var left []int
	for i, s := range f.state {
		if s != done {
			left = append(left, i)
		}
	}
	return left
}

// Corrupt returns the shards that Open found to be other than what had been
// committed. They are to be done again.
func (f *Folder) Corrupt() []int { return f.corrupt }

// Path returns the file of shard i, whether or not it is there.
func (f *Folder) Path(i int) string {
	return filepath.Join(f.dir, f.name(i))
}

func (f *Folder) name(i int) string { return fmt.Sprintf("shard-%06d", i) }

func (f *Folder) digestPath(i int) string { return f.Path(i) + ".sha256" }

func (f *Folder) digestLine(i int, digest string) string {
	return digest + "  " + f.name(i) + "\n"
}

// Commit writes shard i and marks it done. Where write fails, shard i is as it
// was before. It errs where there is no shard i, or it is done or being written.
func (f *Folder) Commit(i int, write func(io.Writer) error) error {
	if err := f.claim(i); err != nil {
		return err
	}
	outcome := todo // also where write panics
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.state[i] = outcome
	}()
	digest := sha256.New()
	err := WriteFile(f.Path(i), func(w io.Writer) error { return write(io.MultiWriter(w, digest)) })
	if err != nil {
		return err
	}
	line := f.digestLine(i, hex.EncodeToString(digest.Sum(nil)))
	err = WriteFile(f.digestPath(i), func(w io.Writer) error {
		_, err := io.WriteString(w, line)
		return err
	})
	if err != nil {
		return err
	}
	outcome = done
	return nil
}

// claim marks shard i as being written.
func (f *Folder) claim(i int) error {
	if i < 0 || i >= len(f.state) {
		return fmt.Errorf("shard %d of a run of %d", i, len(f.state))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch f.state[i] {
	case done:
		return fmt.Errorf("shard %d is already done", i)
	case writing:
		return fmt.Errorf("shard %d is already being written", i)
	}
	f.state[i] = writing
	return nil
}
