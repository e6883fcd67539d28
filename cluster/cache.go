package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tattle/internal/file"
	"tattle/run"
)

// A cache keeps inputs by digest, for this run and later ones, in a folder that several
// workers may share.
type cache string

const (
	keptFor     = 7 * 24 * time.Hour // an input since its last use
	longestName = 200                // bytes
	fetching    = ".fetch-"          // begins the names of what is not whole yet
)

// get returns where an input is, which it fetches unless it is there and whole.
func (c cache) get(ctx context.Context, b blobs, i Input) (path string, err error) {
	if !run.IsDigest(i.SHA256) {
		return "", refuse("%s: its digest is %.80q", i.Name, i.SHA256)
	}
	home := filepath.Join(string(c), i.SHA256)
	path = filepath.Join(home, baseOf(i.Path))
	if digest, _, folder, err := hashInput(ctx, path); err == nil && digest == i.SHA256 && folder == i.Folder {
		c.touch(path)
		return path, nil
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	c.sweep()
	err = errors.Join(os.RemoveAll(home), os.MkdirAll(string(c), 0o700))
	if err == nil {
		err = c.fetch(ctx, b, home, i)
	}
	switch {
	case err == nil:
		return path, nil
	case errors.Is(err, errDamaged):
		return "", refuse("%s %s: %w", i.Name, file.Name(i.Path), err)
	case errors.As(err, new(*os.PathError)), errors.As(err, new(*os.LinkError)):
		return "", &run.StoreError{Dir: string(c), Err: err}
	}
	return "", fmt.Errorf("%s %s: %w", i.Name, file.Name(i.Path), err)
}

// fetch makes the folder home, with an input in it, of what the cluster has.
func (c cache) fetch(ctx context.Context, b blobs, home string, i Input) error {
	fresh, err := os.MkdirTemp(string(c), fetching+"*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	path := filepath.Join(fresh, baseOf(i.Path))
	to := path
	if i.Folder {
		to = filepath.Join(fresh, ".archive")
	}
	f, err := os.OpenFile(to, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := b.get(ctx, inputBlob(i), i.SHA256, i.Size, f); err != nil {
		return err
	}
	if i.Folder {
		if err := extract(f, i.Size, path); err != nil {
			return err
		}
	}
	if err := os.Rename(fresh, home); err != nil && !file.Exists(home) { // unless another worker was faster
		return err
	}
	return nil
}

// extract makes a folder of its archive, and removes that.
func extract(archive *os.File, size int64, dir string) error {
	if _, err := archive.Seek(0, 0); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	if err := run.Extract(archive, size, dir); err != nil {
		if run.IsFull(err) {
			return err
		}
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return os.Remove(archive.Name())
}

// baseOf is the last name of a path: what a file is called says how it is read.
func baseOf(path string) string {
	base := strings.TrimLeft(filepath.Base(filepath.Clean(path)), ".")
	if base == "" || base == string(filepath.Separator) || strings.ContainsRune(base, 0) {
		return "input"
	}
	return strings.TrimLeft(base[max(len(base)-longestName, 0):], ".")
}

// touch notes that an input is used.
func (c cache) touch(path string) { os.Chtimes(filepath.Dir(path), time.Time{}, time.Now()) }

// sweep removes the inputs that were not used for long, and what was never whole.
func (c cache) sweep() {
	entries, _ := os.ReadDir(string(c))
	for _, e := range entries {
		ours := run.IsDigest(e.Name()) || strings.HasPrefix(e.Name(), fetching)
		if info, err := e.Info(); ours && err == nil && time.Since(info.ModTime()) > keptFor {
			os.RemoveAll(filepath.Join(string(c), e.Name()))
		}
	}
}
