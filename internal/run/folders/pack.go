package folders

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"tattle/internal/file"
	"tattle/internal/run"
)

// take unpacks shard i, which is committed, unless its folder is complete.
func (s *Stage) take(f *run.Folder, i int, name string) error {
	dir := s.at(name)
	if files, err := s.Finished(name, dir); files != nil || err != nil {
		return err
	}
	err := s.unpack(f.Path(i), name, dir)
	if err == nil {
		err = s.Unpacked(name, dir)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.Label(name), err)
	}
	return nil
}

// unpack puts the files of an archive into the folder with that name, in the order that
// Finished returns. It returns an error unless the archive holds that folder, complete.
func (s *Stage) unpack(archive, name, dir string) error {
	// The temporary folder is within the stage's, which is removed even if the process is killed.
	beside, err := s.Files.MkdirTemp(s.Dir, ".folder-")
	if err != nil {
		return err
	}
	defer s.Files.RemoveAll(beside)
	if err := extract(s.Files, archive, beside); err != nil {
		return fmt.Errorf("unpack %s: %w", archive, err)
	}
	files, err := s.Finished(name, beside)
	if err == nil && files == nil {
		err = fmt.Errorf("%s is not the archive of a finished training", archive)
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		to := filepath.Join(dir, filepath.FromSlash(f))
		if err := s.Files.MkdirAll(filepath.Dir(to)); err != nil {
			return err
		}
		if err := s.Files.Rename(filepath.Join(beside, filepath.FromSlash(f)), to); err != nil {
			return err
		}
	}
	return nil
}

// extract writes the files of an archive into a folder. It refuses names that lead out of the folder, whatever is
// not a plain file, and more bytes than the archive holds.
func extract(files *file.Dir, archive, dir string) error {
	f, err := file.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	left := info.Size()
	for t := tar.NewReader(f); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := filepath.FromSlash(h.Name)
		if left -= h.Size; h.Typeflag != tar.TypeReg || !filepath.IsLocal(name) || left < 0 {
			return fmt.Errorf("%q is not a file of a training", h.Name)
		}
		to := filepath.Join(dir, name)
		if err := files.MkdirAll(filepath.Dir(to)); err != nil {
			return err
		}
		if err := files.Write(to, func(w io.Writer) error { _, err := io.Copy(w, t); return err }); err != nil {
			return err
		}
	}
}

// Pack writes files of dir, which may hold others, as one archive: a tar without times, owners and modes, the same
// bytes for the same files. The names are paths with slashes below dir.
func Pack(files *file.Dir, w io.Writer, dir string, names []string) error {
	root, err := files.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	t := tar.NewWriter(w)
	for _, name := range names {
		if err := packOne(t, root, name); err != nil {
			return fmt.Errorf("pack %s: %w", file.Name(name), err)
		}
	}
	return t.Close()
}

func packOne(t *tar.Writer, root *os.Root, name string) error {
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
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
