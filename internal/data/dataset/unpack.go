package dataset

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"

	"tattle/internal/file"
)

// unpack writes the wanted members of a .tar.gz to dir. No name in the archive
// is used as a path: a member goes where the catalogue says, and whatever else
// the archive holds is passed over. Where it fails it leaves no member.
func (f *fetch) unpack(ctx context.Context, archive, dir string) (err error) {
	packed, err := file.Open(archive)
	if err != nil {
		return err
	}
	defer packed.Close()
	zip, err := gzip.NewReader(file.Reader(ctx, packed))
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	wanted := map[string]string{} // names by paths in the archive
	for _, name := range f.Members {
		wanted[path.Join(f.Folder, name)] = name
	}
	defer func() {
		for _, name := range f.Members {
			if err != nil {
				os.Remove(filepath.Join(dir, name))
			}
		}
	}()
	for in := tar.NewReader(zip); len(wanted) > 0; {
		header, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("archive: %w", err)
		}
		name, ok := wanted[header.Name]
		if !ok {
			continue
		}
		if header.Typeflag != tar.TypeReg || header.Size != f.MemberSize {
			return fmt.Errorf("archive: %s is not a file of %d bytes", header.Name, f.MemberSize)
		}
		err = file.Write(filepath.Join(dir, name), func(w io.Writer) error {
			_, err := io.Copy(w, in)
			return err
		})
		if err != nil {
			return fmt.Errorf("cannot unpack: %w", err)
		}
		delete(wanted, header.Name)
	}
	for path := range wanted {
		return fmt.Errorf("archive: has no %s", path)
	}
	return nil
}

// unpacked reports whether the members are in dir, in full.
func (f *fetch) unpacked(dir string) bool {
	return !slices.ContainsFunc(f.Members, func(name string) bool {
		info, err := os.Stat(filepath.Join(dir, name))
		return err != nil || info.Size() != f.MemberSize
	})
}
