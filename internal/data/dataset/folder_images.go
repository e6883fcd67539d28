package dataset

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"tattle/internal/file"
)

// openFS opens a folder, or a zip of one, for reading. The Closer is to be closed when no more is read.
func openFS(name string) (fs.FS, io.Closer, error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, &file.NotFoundError{Path: name, Give: "give a folder of pictures, or a zip of one"}
	}
	if err != nil {
		return nil, nil, err
	}
	if info.IsDir() {
		return file.DirFS(name), io.NopCloser(nil), nil
	}
	z, err := openZip(name)
	if err != nil {
		return nil, nil, err
	}
	return z, z, nil
}

// openZip opens a zip and refuses one whose names are not those of files below
// a folder, or that has two files of one name.
func openZip(name string) (*zipFile, error) {
	f, err := file.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		err = malformed(name, "not a whole zip (%v): get it again, or give a folder", err)
	} else {
		err = checkZip(name, z.File)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &zipFile{z, f}, nil
}

// A zipFile is a zip and the file that it is read from.
type zipFile struct {
	*zip.Reader
	io.Closer
}

func checkZip(name string, files []*zip.File) error {
	seen := make(map[string]bool, len(files))
	for _, f := range files {
		plain := path.Clean(strings.TrimSuffix(f.Name, "/"))
		switch {
		case !fs.ValidPath(plain) || strings.Contains(plain, `\`):
			return malformed(name, "holds a file called %q, which is no name below a folder: pack the folder anew", f.Name)
		case seen[plain]:
			return malformed(name, "holds %q twice: pack the folder anew", plain)
		case f.Flags&1 != 0:
			return malformed(name, "%q is encrypted: unpack it and give the folder", plain)
		}
		seen[plain] = true
	}
	return nil
}

// maxFiles is the most files taken of one folder or zip: fifty times CelebA.
const maxFiles = 10_000_000

// listFiles returns the names of all files, sorted. Hidden ones and what macOS
// adds to archives are left out; links to folders are followed once.
func listFiles(fsys fs.FS) ([]string, error) {
	names, err := walk(nil, fsys, ".", true)
	slices.Sort(names)
	return names, err
}

// walk appends the names of all files below a folder. Where links is not set, a
// link to a folder is taken for a file.
func walk(names []string, fsys fs.FS, root string, links bool) ([]string, error) {
	err := fs.WalkDir(fsys, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := name != "." && strings.HasPrefix(d.Name(), ".") || d.Name() == "__MACOSX"
		if hidden && d.IsDir() {
			return fs.SkipDir
		}
		if hidden || d.IsDir() {
			return nil
		}
		if links && d.Type()&fs.ModeSymlink != 0 {
			if info, err := fs.Stat(fsys, name); err == nil && info.IsDir() {
				names, err = walkLink(names, fsys, name)
				return err
			}
		}
		if len(names) == maxFiles {
			return fmt.Errorf("more than %d files: give the folder that holds the pictures alone", maxFiles)
		}
		names = append(names, name)
		return nil
	})
	return names, err
}

// walkLink appends the names of all files in the folder that a link points to.
func walkLink(names []string, fsys fs.FS, link string) ([]string, error) {
	sub, err := fs.Sub(fsys, link)
	if err != nil {
		return names, err
	}
	below, err := walk(nil, sub, ".", false)
	for _, name := range below {
		names = append(names, path.Join(link, name))
	}
	return names, err
}

// isPicture reports whether decodePictures reads a file of this name.
func isPicture(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".jpg", ".jpeg", ".png":
		return true
	}
	return false
}

// listPictures returns the names of all pictures, sorted, and of all files. It
// returns an error if there are no pictures.
func listPictures(fsys fs.FS, source string) (pictures, files []string, err error) {
	files, err = listFiles(fsys)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: cannot be listed: %w", source, err)
	}
	for _, name := range files {
		if isPicture(name) {
			pictures = append(pictures, name)
		}
	}
	if i := slices.IndexFunc(files, func(name string) bool { return strings.EqualFold(path.Ext(name), ".zip") }); len(pictures) == 0 && i >= 0 {
		return nil, nil, malformed(source, "holds no pictures (.jpg, .jpeg or .png), but %s: unpack it there", files[i])
	}
	if len(pictures) == 0 {
		return nil, nil, malformed(source, "holds no pictures (.jpg, .jpeg or .png, of %d files): give the folder or zip that holds them", len(files))
	}
	return pictures, files, nil
}

// within returns the names whose last element is base, in any spelling of its
// letters.
func within(names []string, base string) []string {
	var found []string
	for _, name := range names {
		if strings.EqualFold(path.Base(name), base) {
			found = append(found, name)
		}
	}
	return found
}

// onlyOne returns the one file called by any of the names, "" if there is
// none; it returns an error if there are several.
func onlyOne(source string, files []string, bases ...string) (string, error) {
	var found []string
	for _, base := range bases {
		found = append(found, within(files, base)...)
	}
	switch len(found) {
	case 0:
		return "", nil
	case 1:
		return found[0], nil
	}
	return "", malformed(source, "holds both %s and %s: keep the one that belongs to the pictures", found[0], found[1])
}
