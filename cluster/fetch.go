package cluster

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"tattle/internal/file"
	"tattle/run"
)

// inputBlob names an input in the cluster: a file as it is, a folder as a tar.
func inputBlob(i Input) string { return "input." + i.SHA256 }

// putInput sends an input to the cluster, and returns an error if it is no longer what
// was hashed.
func putInput(ctx context.Context, b blobs, path string, i Input) error {
	if there, err := b.has(ctx, inputBlob(i)); there || err != nil {
		return err
	}
	r, w := io.Pipe()
	go func() {
		found, err := writeInput(ctx, w, path, i.Folder)
		if err == nil && found != i.SHA256 {
			err = fmt.Errorf("%s %s: was changed while it was read", i.Name, i.Path)
		}
		w.CloseWithError(err)
	}()
	err := b.put(ctx, inputBlob(i), r)
	r.CloseWithError(errors.New("nobody reads on"))
	return err
}

// writeInput writes what an input consists of and returns its digest.
func writeInput(ctx context.Context, w io.Writer, path string, folder bool) (digest string, err error) {
	if !folder {
		return copyFile(ctx, w, path)
	}
	files, err := listFolder(path)
	if err != nil {
		return "", err
	}
	t, h := tar.NewWriter(w), sha256.New()
	for _, name := range files {
		full := filepath.Join(path, filepath.FromSlash(name))
		info, err := os.Stat(full)
		if err != nil {
			return "", err
		}
		if err := t.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: info.Size(), Format: tar.FormatPAX}); err != nil {
			return "", err
		}
		d, err := copyFile(ctx, t, full)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, listLine, d, name)
	}
	return hex.EncodeToString(h.Sum(nil)), t.Close()
}

func copyFile(ctx context.Context, w io.Writer, path string) (digest string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(w, h), file.Reader(ctx, f))
	return hex.EncodeToString(h.Sum(nil)), err
}

// readInput makes of what writeInput wrote the file or folder path. It writes no more
// than the input's size.
func readInput(ctx context.Context, r io.Reader, path string, i Input) error {
	left := i.Size
	if !i.Folder {
		return writeLimited(path, r, &left)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	for t := tar.NewReader(file.Reader(ctx, r)); ; {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if errors.Is(err, tar.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("%w: %w", errDamaged, err)
		}
		if err != nil {
			return err
		}
		name := filepath.FromSlash(h.Name)
		if h.Typeflag != tar.TypeReg || !filepath.IsLocal(name) {
			return fmt.Errorf("%w: %q is no file of a folder", errDamaged, h.Name)
		}
		full := filepath.Join(path, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			return err
		}
		if err := writeLimited(full, t, &left); err != nil {
			return err
		}
	}
}

// writeLimited writes a new file of at most left bytes, and lowers left.
func writeLimited(path string, r io.Reader, left *int64) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(f, io.LimitReader(r, *left+1))
	*left -= n
	if err == nil && *left < 0 {
		err = fmt.Errorf("%w: there is more of it than there should be", errDamaged)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// A cache keeps inputs by digest, for this run and later ones. Several workers may
// share it.
type cache struct {
	dir  string
	most int64 // bytes
}

const (
	defaultCache = 32 << 30
	longestName  = 200       // bytes
	inUse        = time.Hour // since its last use an input may still be in use
	touchEvery   = 10 * time.Minute
	fetching     = ".fetch-" // begins the names of what is not whole yet
)

// get returns where an input is, which it fetches unless it is there and whole.
func (c cache) get(ctx context.Context, b blobs, i Input) (path string, err error) {
	if !run.IsDigest(i.SHA256) {
		return "", refuse("%s: its digest is %.80q", i.Name, i.SHA256)
	}
	home := filepath.Join(c.dir, i.SHA256)
	path = filepath.Join(home, baseOf(i.Path))
	if c.whole(ctx, path, i) {
		c.touch(home)
		return path, nil
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	err = os.RemoveAll(home)
	if err == nil {
		err = os.MkdirAll(c.dir, 0o700)
	}
	var fresh string
	if err == nil {
		fresh, err = os.MkdirTemp(c.dir, fetching+"*")
	}
	if err != nil {
		return "", &run.StoreError{Dir: c.dir, Err: err}
	}
	defer os.RemoveAll(fresh)
	c.evict(i.Size)
	if err := c.fetch(ctx, b, filepath.Join(fresh, baseOf(i.Path)), i); err != nil {
		return "", fmt.Errorf("%s %s: %w", i.Name, file.Name(i.Path), err)
	}
	if err := os.Rename(fresh, home); err != nil && !c.whole(ctx, path, i) {
		return "", &run.StoreError{Dir: c.dir, Err: err}
	}
	return path, nil
}

// fetch makes path out of what the cluster has.
func (c cache) fetch(ctx context.Context, b blobs, path string, i Input) error {
	r, w := io.Pipe()
	go func() { w.CloseWithError(b.get(ctx, inputBlob(i), w)) }()
	err := readInput(ctx, r, path, i)
	var cause *fs.PathError
	switch {
	case misnamed(err):
		err = fmt.Errorf("%w: %w", errDamaged, err)
	case errors.As(err, &cause):
		err = &run.StoreError{Dir: c.dir, Err: err}
	}
	if err == nil {
		_, err = io.Copy(io.Discard, r) // what follows a tar's end
	}
	r.CloseWithError(errors.New("nobody reads on"))
	if err != nil {
		return err
	}
	if !c.whole(ctx, path, i) {
		return fmt.Errorf("%w on its way through the cluster", errDamaged)
	}
	return nil
}

// misnamed says that a file cannot be made under a name, or was there already.
func misnamed(err error) bool {
	for _, e := range []error{syscall.EEXIST, syscall.ENOTDIR, syscall.EISDIR, syscall.ENAMETOOLONG, syscall.EINVAL} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

func (c cache) whole(ctx context.Context, path string, i Input) bool {
	digest, _, folder, err := hashInput(ctx, path)
	return err == nil && digest == i.SHA256 && folder == i.Folder
}

// baseOf is the last name of a path: what a file is called says how it is read.
func baseOf(path string) string {
	base := strings.TrimLeft(filepath.Base(filepath.Clean(path)), ".")
	if base == "" || base == string(filepath.Separator) || strings.ContainsRune(base, 0) {
		return "input"
	}
	return strings.TrimLeft(base[max(len(base)-longestName, 0):], ".")
}

func (c cache) touch(path string) { os.Chtimes(path, time.Time{}, time.Now()) }

// evict removes what was not used for longest, as far as there must be room for so many bytes.
func (c cache) evict(room int64) {
	type kept struct {
		path string
		used time.Time
		size int64
	}
	entries, _ := os.ReadDir(c.dir)
	var all []kept
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue
		}
		path := filepath.Join(c.dir, e.Name())
		if strings.HasPrefix(e.Name(), fetching) && time.Since(info.ModTime()) > 24*inUse {
			os.RemoveAll(path) // the process that fetched it has ended
			continue
		}
		if !run.IsDigest(e.Name()) {
			continue // not ours
		}
		size := sizeOf(path)
		room += size
		if time.Since(info.ModTime()) > inUse {
			all = append(all, kept{path, info.ModTime(), size})
		}
	}
	slices.SortFunc(all, func(a, b kept) int { return a.used.Compare(b.used) })
	for _, k := range all {
		if room <= c.most {
			return
		}
		if os.RemoveAll(k.path) == nil {
			room -= k.size
		}
	}
}

func sizeOf(dir string) (size int64) {
	filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if info, err := e.Info(); err == nil {
				size += info.Size()
			}
		}
		return nil
	})
	return size
}
