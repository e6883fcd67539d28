package dataset

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

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
