package run

import (
	"archive/tar"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"tattle/internal/file"
)

// Pack writes a folder of plain files and folders as one archive, a tar without times, owners
// and modes: the same bytes for the same files. It returns an error if there are links or
// anything else.
func Pack(files *file.Dir, w io.Writer, dir string) error {
	names, err := contents(dir)
	if err != nil {
		return err
	}
	root, err := files.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	t := tar.NewWriter(w)
	for _, name := range names {
		if err := archiveOne(t, root.FS(), name); err != nil {
			return fmt.Errorf("pack %s: %w", file.Name(name), err)
		}
	}
	return t.Close()
}

// contents lists the names below a folder, in the order of the archive.
func contents(dir string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, p)
		if err != nil || name == "." {
			return err
		}
		if !d.IsDir() && !d.Type().IsRegular() {
			return fmt.Errorf("pack %s: it is neither a plain file nor a folder", p)
		}
		name = filepath.ToSlash(name)
		names = append(names, name)
		return packable(name)
	})
	slices.Sort(names)
	return names, err
}

func archiveOne(t *tar.Writer, from fs.FS, name string) error {
	f, err := from.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.IsDir() {
		return t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: 0o755})
	}
	if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: info.Size()}); err != nil {
		return err
	}
	n, err := io.Copy(t, f)
	if err == nil && n != info.Size() {
		err = errors.New("it changed while it was read")
	}
	return err
}

// packable returns an error for names that do not mean a file below a folder.
func packable(name string) error {
	if !fs.ValidPath(name) || name == "." || strings.ContainsRune(name, 0) || !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("the name %q does not stay in its folder", name)
	}
	return nil
}

// Unpack writes what Pack packed into a folder, which must not be there: whole and on disk,
// or not at all.
func Unpack(files *file.Dir, archive, dir string) (err error) {
	f, err := file.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if _, err := os.Lstat(dir); err == nil {
		return fmt.Errorf("unpack %s: %s is there already", archive, dir)
	}
	beside := filepath.Join(filepath.Dir(dir), fmt.Sprintf(".%s.%016x.tmp", filepath.Base(dir), rand.Uint64()))
	if err := files.Mkdir(beside); err != nil {
		return file.Cause(err)
	}
	defer files.RemoveAll(beside) // nothing, once it has its name
	if err := extract(files, f, info.Size(), beside); err != nil {
		return fmt.Errorf("unpack %s: %w", archive, err)
	}
	if err := syncAll(beside); err != nil {
		return err
	}
	if err := files.Rename(beside, dir); err != nil {
		return err
	}
	file.Sync(filepath.Dir(dir))
	return nil
}

// extract writes an archive of that size into a folder. It refuses names that lead out of the
// folder, links, and more bytes than the archive holds.
func extract(files *file.Dir, r io.Reader, size int64, dir string) error {
	root, err := files.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	t, last := tar.NewReader(r), ""
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name, err := entry(h, last)
		if err != nil {
			return err
		}
		last = name
		if size -= h.Size; size < 0 {
			return fmt.Errorf("%s: holds more than the archive", file.Name(name))
		}
		if err := extractOne(root, filepath.FromSlash(name), h, t); err != nil {
			return err
		}
	}
}

// syncAll puts the files and folders below a folder on disk.
func syncAll(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			file.Sync(path)
			return nil
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		return cmp.Or(f.Sync(), f.Close())
	})
}

// entry returns the name of an entry, which must come after the last.
func entry(h *tar.Header, last string) (string, error) {
	name := h.Name
	switch h.Typeflag {
	case tar.TypeDir:
		name = strings.TrimSuffix(name, "/")
	case tar.TypeReg:
	default:
		return "", fmt.Errorf("%q is neither a plain file nor a folder", h.Name)
	}
	if err := packable(name); err != nil {
		return "", err
	}
	if h.Size < 0 || h.Typeflag == tar.TypeDir && h.Size > 0 {
		return "", fmt.Errorf("%q has a size of %d", h.Name, h.Size)
	}
	if name <= last || path.Clean(name) != name {
		return "", fmt.Errorf("%q does not follow %q: it is not as it was packed", h.Name, last)
	}
	return name, nil
}

func extractOne(root *os.Root, name string, h *tar.Header, r io.Reader) error {
	if h.Typeflag == tar.TypeDir {
		return root.Mkdir(name, 0o777)
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	to, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, r)
	return cmp.Or(err, to.Close())
}
