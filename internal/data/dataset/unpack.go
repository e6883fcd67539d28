package dataset

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"tattle/internal/file"
)

// sumsFile lists what an archive was unpacked to.
const sumsFile = "SHA256SUMS"

// unpack writes the wanted members of a .tar.gz to dir. No name in the archive
// is used as a path: a member goes where the catalogue says, and whatever else
// the archive holds is passed over. Where it fails it leaves no member.
func unpack(ctx context.Context, archive, dir string, remote RemoteFile) (err error) {
	packed, err := file.Open(archive)
	if err != nil {
		return err
	}
	defer packed.Close()
	zip, err := gzip.NewReader(file.Reader(ctx, packed))
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	wanted, sums := map[string]string{}, "" // names by paths in the archive
	for _, name := range remote.Members {
		wanted[path.Join(remote.Folder, name)] = name
	}
	defer func() {
		for _, name := range remote.Members {
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
		if header.Typeflag != tar.TypeReg || header.Size != remote.MemberSize {
			return fmt.Errorf("archive: %s is not a file of %d bytes", header.Name, remote.MemberSize)
		}
		h := sha256.New()
		err = file.Write(filepath.Join(dir, name), func(w io.Writer) error {
			_, err := io.Copy(io.MultiWriter(w, h), in)
			return err
		})
		if err != nil {
			return fmt.Errorf("cannot unpack: %w", err)
		}
		sums += sumLine(h.Sum(nil), name)
		delete(wanted, header.Name)
	}
	for path := range wanted {
		return fmt.Errorf("archive: has no %s", path)
	}
	return file.WriteBytes(filepath.Join(dir, sumsFile), []byte(sums))
}

// unpacked reports whether the members are in dir as unpack wrote them.
func unpacked(ctx context.Context, dir string, members []string) bool {
	sums, err := file.ReadFile(filepath.Join(dir, sumsFile))
	if err != nil {
		return false
	}
	for _, name := range members {
		f, err := file.Open(filepath.Join(dir, name))
		if err != nil {
			return false
		}
		h := sha256.New()
		_, err = io.Copy(h, file.Reader(ctx, f))
		f.Close()
		if err != nil || !strings.Contains(string(sums), sumLine(h.Sum(nil), name)) {
			return false
		}
	}
	return true
}

func sumLine(sum []byte, name string) string { return fmt.Sprintf("%x  %s\n", sum, name) }
