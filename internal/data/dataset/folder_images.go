package dataset

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
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
	f, err := file.Open(name)
	if err != nil {
		return nil, nil, err
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		err = malformed(name, "not a whole zip (%v): get it again, or give a folder", err)
	} else {
		err = checkZip(name, z.File)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return z, f, nil
}

// checkZip returns an error for a zip whose names are not those of files below
// a folder, or that has two files of one name.
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
	names, err := filesBelow(nil, fsys, ".", false)
	slices.Sort(names)
	return names, err
}

// filesBelow appends the names of all files in a folder and below. In a folder that a link led to, a further link
// to a folder is taken for a file.
func filesBelow(names []string, fsys fs.FS, dir string, linked bool) ([]string, error) {
	entries, err := fs.ReadDir(fsys, dir)
	for _, e := range entries {
		if err != nil {
			break
		}
		name, link, isDir := path.Join(dir, e.Name()), e.Type()&fs.ModeSymlink != 0, e.IsDir()
		if link && !linked {
			info, err := fs.Stat(fsys, name)
			isDir = err == nil && info.IsDir()
		}
		switch {
		case hidden(e.Name()):
		case isDir:
			names, err = filesBelow(names, fsys, name, linked || link)
		case len(names) == maxFiles:
			return nil, fmt.Errorf("more than %d files: give the folder that holds the pictures alone", maxFiles)
		default:
			names = append(names, name)
		}
	}
	return names, err
}

// hidden reports whether a name is of a file or folder that is not looked at.
func hidden(name string) bool { return strings.HasPrefix(name, ".") || name == "__MACOSX" }

// isPicture reports whether decodePictures reads a file of this name.
func isPicture(name string) bool {
	return slices.Contains([]string{".jpg", ".jpeg", ".png"}, strings.ToLower(path.Ext(name)))
}

// matching returns the names for which match is true.
func matching(names []string, match func(name string) bool) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !match(name) })
}

// listPictures returns the names of all pictures, sorted, and of all files. It
// returns an error if there are no pictures.
func listPictures(fsys fs.FS, source string) (pictures, files []string, err error) {
	files, err = listFiles(fsys)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: cannot be listed: %w", source, err)
	}
	pictures = matching(files, isPicture)
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
	return matching(names, func(name string) bool { return strings.EqualFold(path.Base(name), base) })
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
	front := commonFolder(pictures)
	common := strings.TrimPrefix(front+"/", "./")
	l := &labels{source: source, files: pictures, split: partsAt(pictures, strings.Count(common, "/"))}
	class := column{name: "class"}
	classes := map[string]map[string]bool{} // by the folder that those of classes lie in
	for _, name := range pictures {
		root, rest := front, strings.TrimPrefix(name, common)
		if l.split != nil {
			part, below, _ := strings.Cut(rest, "/")
			root, rest = path.Join(front, part), below
		}
		own, _, nested := strings.Cut(rest, "/")
		if !nested {
			own = ""
		}
		if class.values = append(class.values, own); classes[root] == nil {
			classes[root] = map[string]bool{}
		}
		classes[root][own] = true
	}
	i := slices.Index(class.values, "")
	if i >= 0 && len(distinctValues(class.values)) == 1 {
		return l, nil
	}
	if i >= 0 {
		return nil, malformed(source, "%s lies beside the folders of classes, in none of them: move it into one, or take it out", pictures[i])
	}
	for _, root := range slices.Sorted(maps.Keys(classes)) {
		if err := checkEmpty(fsys, source, root, classes[root]); err != nil {
			return nil, err
		}
	}
	l.columns = []column{class}
	return l, nil
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

// checkEmpty returns an error if a folder holds one without pictures: the classes behind it would have other numbers.
func checkEmpty(fsys fs.FS, source, root string, classes map[string]bool) error {
	entries, err := fs.ReadDir(fsys, root)
	if err != nil {
		return fmt.Errorf("%s: cannot be listed: %w", source, err)
	}
	for _, e := range entries {
		if e.IsDir() && !hidden(e.Name()) && !classes[e.Name()] {
			return malformed(source, "the class %s holds no picture: fill it, or take it out if the model has no such class", path.Join(root, e.Name()))
		}
	}
	return nil
}
