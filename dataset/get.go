package dataset

import (
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tattle/internal/file"
)

// GetOptions says how to fetch; the zero value is the default.
type GetOptions struct {
	BaseURL  string                  // fetches every file from below this address instead of its home
	Progress func(done, total int64) // called now and then with the bytes that are there of all files

	patience patience // of tests
}

// patience is what is borne of a server.
type patience struct {
	idle    time.Duration // without a byte, before a connection is given up
	retries int           // in a row that bring nothing
	backoff time.Duration // before the first retry; it doubles up to 32 times
}

var defaultPatience = patience{idle: 30 * time.Second, retries: 5, backoff: time.Second}

// Get fetches a public data set into dir, where [Open] can read it. Files that
// are there and right are not fetched again. A file grows beside its place with
// ".part" in its name and moves there when its SHA-256 is right; a download that
// broke off is taken up where it ended. Get returns an error if another fetches into dir.
func Get(ctx context.Context, name, dir string, o GetOptions) error {
	d, err := Info(name)
	if err != nil {
		return err
	}
	return d.get(ctx, dir, o)
}

func (d Description) get(ctx context.Context, dir string, o GetOptions) error {
	if o.Progress == nil {
		o.Progress = func(int64, int64) {}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("cannot make the folder: %w", err)
	}
	unlock, err := file.Lock(dir)
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	defer unlock()
	total := d.Bytes()
	var before int64
	for _, remote := range d.Files {
		f := fetch{RemoteFile: remote, path: filepath.Join(dir, remote.Name), patience: cmp.Or(o.patience, defaultPatience)}
		if o.BaseURL != "" {
			f.URL = strings.TrimSuffix(o.BaseURL, "/") + "/" + remote.Name
		}
		f.progress = func(done int64) { o.Progress(min(before+min(done, remote.Size), total), total) }
		if err := f.get(ctx); err != nil {
			return fmt.Errorf("%s: %w", remote.Name, err)
		}
		before += remote.Size
		o.Progress(before, total)
	}
	return nil
}

// get brings one file, or what is wanted of one archive, into place. A .part
// whose SHA-256 is wrong is thrown away and fetched once more: what was kept of
// an earlier run may have been of another version.
func (f *fetch) get(ctx context.Context) error {
	if f.present(ctx) {
		return nil
	}
	err := f.verify(ctx, f.part())
	for tries := 0; err != nil && tries < 2; tries++ {
		if err := f.download(ctx); err != nil {
			return err
		}
		if err = f.verify(ctx, f.part()); err == nil {
			break
		}
		if wrong := new(digestError); !errors.As(err, &wrong) {
			return err
		}
		os.Remove(f.part())
	}
	if err != nil {
		return err
	}
	if f.members == nil {
		return os.Rename(f.part(), f.path)
	}
	if err := unpack(ctx, f.part(), filepath.Dir(f.path), f.members); err != nil {
		return err
	}
	return os.Remove(f.part())
}

// present reports whether what is wanted is in place and right.
func (f *fetch) present(ctx context.Context) bool {
	if f.members != nil {
		return unpacked(ctx, filepath.Dir(f.path), f.members)
	}
	return f.verify(ctx, f.path) == nil
}

// digestError says that a file is whole but not the published one.
type digestError struct{ detail string }

func (e *digestError) Error() string { return e.detail }

// verify compares the SHA-256 of a file's contents with the published one. It
// reads no more than the published file holds.
func (f *fetch) verify(ctx context.Context, path string) error {
	stored, err := file.Open(path)
	if err != nil {
		return err
	}
	defer stored.Close()
	contents := file.Reader(ctx, stored)
	if f.members == nil && strings.HasSuffix(f.Name, ".gz") {
		if contents, err = gzip.NewReader(contents); ctx.Err() != nil {
			return context.Cause(ctx)
		} else if err != nil {
			return &digestError{fmt.Sprintf("what %s sent is not the published file (%v)", f.URL, err)}
		}
	}
	h := sha256.New()
	_, err = io.Copy(h, io.LimitReader(contents, f.contents+1))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if pathError := new(fs.PathError); errors.As(err, &pathError) {
		return err
	}
	if err != nil {
		return &digestError{fmt.Sprintf("what %s sent is damaged (%v): try again", f.URL, err)}
	}
	if sum := hex.EncodeToString(h.Sum(nil)); sum != f.SHA256 {
		return &digestError{fmt.Sprintf("what %s sent is not the published file: SHA-256 %s, want %s", f.URL, sum, f.SHA256)}
	}
	return nil
}
