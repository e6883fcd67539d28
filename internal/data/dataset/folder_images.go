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

// foreignPictures are endings of pictures that are not decoded here.
var foreignPictures = []string{".webp", ".gif", ".bmp", ".tif", ".tiff", ".ppm", ".pgm", ".heic", ".avif", ".jp2"}

// isForeign reports whether a file of this name is a picture of a kind that is not read.
func isForeign(name string) bool {
	return slices.Contains(foreignPictures, strings.ToLower(path.Ext(name)))
}

// readFolders reads the names of pictures in a folder for each class, as torchvision's
// ImageFolder does: the sorted names of the folders are the classes, and all pictures
// below a folder belong to its class. The folders of classes may lie in folders called
// train, val and test. Pictures in a single folder have no labels.
func readFolders(fsys fs.FS, source string) (*labels, error) {
	pictures, files, err := listPictures(fsys, source)
	if i := slices.IndexFunc(files, isForeign); i >= 0 {
		return nil, malformed(source, "%s is a picture of a kind that is not read: convert it to PNG or JPEG, or take it out", files[i])
	}
	if err != nil {
		return nil, err
	}
	t := newFolderTree(pictures)
	l := &labels{source: source, files: pictures, split: t.split}
	if !t.flat {
		if err := t.checkFolders(fsys, source); err != nil {
			return nil, err
		}
		l.columns = []column{{name: "class", values: t.class}}
	}
	return l, nil
}

// folderTree is the folders that pictures lie in: what all have in front, the
// part where they are in parts, and the class.
type folderTree struct {
	names []string // of the pictures
	front string   // "." where they have nothing in common
	split []Split
	class []string
	flat  bool // the pictures lie in no folders of classes
}

// newFolderTree reads the names.
func newFolderTree(pictures []string) *folderTree {
	t := &folderTree{names: pictures, front: commonFolder(pictures)}
	t.class = make([]string, len(pictures))
	split := make([]Split, len(pictures))
	parted := true
	for i, name := range pictures {
		t.class[i] = t.below(name)
		first, _, _ := strings.Cut(t.class[i], "/")
		split[i] = partFolder(first)
		parted = parted && split[i] != "" && first != t.class[i]
	}
	if parted && len(pictures) > 0 {
		t.split = split
	}
	t.flat = true
	for i := range t.class {
		if parted {
			_, t.class[i], _ = strings.Cut(t.class[i], "/")
		}
		first, _, nested := strings.Cut(t.class[i], "/")
		if t.class[i] = ""; nested {
			t.class[i], t.flat = first, false
		}
	}
	return t
}

// below is a picture's name from the common folder on.
func (t *folderTree) below(name string) string {
	return strings.TrimPrefix(name, strings.TrimPrefix(t.front+"/", "./"))
}

// commonFolder returns the innermost folder that all of the pictures lie in.
func commonFolder(pictures []string) string {
	front := path.Dir(pictures[0])
	for _, name := range pictures {
		for front != "." && !strings.HasPrefix(name, front+"/") {
			front = path.Dir(front)
		}
	}
	return front
}

// checkFolders returns an error if a picture lies beside the folders of classes, or a
// folder of a class has no picture: the classes behind it would have other numbers.
func (t *folderTree) checkFolders(fsys fs.FS, source string) error {
	if i := slices.Index(t.class, ""); i >= 0 {
		return malformed(source, "%s lies beside the folders of classes, in none of them: move it into one, or take it out", t.names[i])
	}
	for _, part := range append(partNames[:], "") {
		classes := map[string]bool{}
		for i, class := range t.class {
			if part == "" && t.split == nil || part != "" && t.split != nil && t.split[i] == part {
				classes[class] = true
			}
		}
		if len(classes) == 0 {
			continue
		}
		if err := checkEmpty(fsys, source, t.root(fsys, part), classes); err != nil {
			return err
		}
	}
	return nil
}

// root returns the folder that a part's classes lie in.
func (t *folderTree) root(fsys fs.FS, part Split) string {
	entries, _ := fs.ReadDir(fsys, t.front)
	for _, e := range entries {
		if part != "" && partFolder(e.Name()) == part {
			return path.Join(t.front, e.Name())
		}
	}
	return t.front
}

// checkEmpty returns an error if a folder holds one without pictures.
func checkEmpty(fsys fs.FS, source, root string, classes map[string]bool) error {
	entries, err := fs.ReadDir(fsys, root)
	if err != nil {
		return fmt.Errorf("%s: cannot be listed: %w", source, err)
	}
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && e.Name() != "__MACOSX" && !classes[e.Name()] {
			return malformed(source, "the class %s holds no picture: fill it, or take it out if the model has no such class", path.Join(root, e.Name()))
		}
	}
	return nil
}
