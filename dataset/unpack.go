package dataset

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tattle/internal/file"
)

// sumsFile lists what an archive was unpacked to.
const sumsFile = "SHA256SUMS"

// unpack writes the wanted members of a .tar.gz to dir. No name in the archive
// is used as a path: a member goes where the catalogue says, and whatever else
// the archive holds is passed over. The files appear only when all are whole.
func unpack(ctx context.Context, archive, dir string, members []member) error {
	packed, err := file.Open(archive)
	if err != nil {
		return err
	}
	defer packed.Close()
	zip, err := gzip.NewReader(file.Reader(ctx, packed))
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	wanted, sums := make(map[string]member), ""
	defer os.Remove(partial(dir, sumsFile)) // where it has not moved on
	for _, m := range members {
		wanted[m.path] = m
		defer os.Remove(partial(dir, m.name))
	}
	for in := tar.NewReader(zip); len(wanted) > 0; {
		header, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("archive: %w", err)
		}
		m, ok := wanted[header.Name]
		if !ok {
			continue
		}
		if header.Typeflag != tar.TypeReg || header.Size != m.size {
			return fmt.Errorf("archive: %s is not a file of %d bytes", m.path, m.size)
		}
		sum, err := writeNew(partial(dir, m.name), in)
		if err != nil {
			return err
		}
		sums += sumLine(sum, m.name)
		delete(wanted, header.Name)
	}
	for path := range wanted {
		return fmt.Errorf("archive: has no %s", path)
	}
	for _, m := range members {
		if err := os.Rename(partial(dir, m.name), filepath.Join(dir, m.name)); err != nil {
			return err
		}
	}
	if _, err := writeNew(partial(dir, sumsFile), strings.NewReader(sums)); err != nil {
		return err
	}
	return os.Rename(partial(dir, sumsFile), filepath.Join(dir, sumsFile))
}

// unpacked reports whether the members are in dir as unpack wrote them.
func unpacked(ctx context.Context, dir string, members []member) bool {
	sums, err := file.ReadFile(filepath.Join(dir, sumsFile))
	if err != nil {
		return false
	}
	for _, m := range members {
		f, err := file.Open(filepath.Join(dir, m.name))
		if err != nil {
			return false
		}
		h := sha256.New()
		_, err = io.Copy(h, file.Reader(ctx, f))
		f.Close()
		if err != nil || !strings.Contains(string(sums), sumLine(h.Sum(nil), m.name)) {
			return false
		}
	}
	return true
}

func sumLine(sum []byte, name string) string { return fmt.Sprintf("%x  %s\n", sum, name) }

func partial(dir, name string) string { return filepath.Join(dir, name+".part") }

// writeNew writes a new file, replacing whatever has its name, and returns the
// SHA-256 of what it wrote.
func writeNew(path string, in io.Reader) (sum []byte, err error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closing := out.Close(); err == nil {
			err = closing
		}
	}()
	h := sha256.New()
	if _, err := io.Copy(io.MultiWriter(out, h), in); err != nil {
		return nil, fmt.Errorf("cannot unpack: %w", err)
	}
	return h.Sum(nil), out.Sync()
}
