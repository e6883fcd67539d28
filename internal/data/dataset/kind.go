package dataset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tattle/internal/file"
)

// kindOf returns the kind of data that is asked for, or, where asked is "", the kind
// that the path holds. It must be one of kinds. labels is the file that
// [Options] name.
func kindOf(path, asked, labels string, kinds []string) (string, error) {
	kind := strings.ToLower(asked)
	switch {
	case kind == "qmnist":
		return KindMNIST, nil
	case kind != "" && !slices.Contains(kinds, kind):
		return "", fmt.Errorf("no kind of data %q: want one of %s", asked, strings.Join(kinds, ", "))
	case kind != "":
		return kind, nil
	}
	kind, err := detect(path, labels)
	if err != nil || slices.Contains(kinds, kind) {
		return kind, err
	}
	if kind == KindFolders {
		return "", malformed(path, "holds pictures without labels: put a labels.csv (file, and a column for each attribute) among them, or name one")
	}
	return "", malformed(path, "NumPy arrays have no parts and no sensitive attributes: give a table, or pictures with labels; or apply the model yourself, and audit its outputs with --outputs")
}

// IsTable reports whether data of a kind, empty to be detected, are rows of a table.
func IsTable(path, kind string) bool {
	kind, err := kindOf(path, kind, "", inputKinds)
	return err == nil && (kind == KindTable || kind == KindAdult)
}

// detect returns the kind of data that a path holds: one of [OpenInputs]'s kinds.
func detect(path, labels string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && path == KindGlyphs:
		return KindGlyphs, nil
	case errors.Is(err, fs.ErrNotExist):
		return "", &file.NotFoundError{Path: path, Give: "give idx files, CIFAR-10's batches, an .npz, a folder or zip of pictures, or a CSV"}
	case err != nil:
		return "", err
	case info.IsDir() && (hasPart(path, Train) || hasPart(path, Test)):
		return KindMNIST, nil
	case !info.IsDir() && !isZip(path):
		return fileKind(path)
	case !info.IsDir() && strings.EqualFold(filepath.Ext(path), ".npz"):
		return KindArrays, nil
	case labels != "":
		return KindImages, nil
	case firstFile(path, presetsOf()[KindTable].Lists[0][0]) != "":
		return KindTable, nil
	}
	fsys, closer, err := openFS(path)
	if err != nil {
		return "", err
	}
	defer closer.Close()
	files, err := listFiles(fsys)
	if err != nil {
		return "", err
	}
	return treeKind(fsys, path, files)
}

// isZip reports whether a file begins as zip archives do.
func isZip(name string) bool {
	b, _ := firstBytes(name, 2)
	return string(b) == "PK"
}

// firstBytes returns the first n bytes of a file, or all of a shorter one.
func firstBytes(name string, n int) ([]byte, error) {
	f, err := file.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, int64(n)))
}

// fileKind returns the kind of a file that is no zip.
func fileKind(name string) (string, error) {
	b, err := firstBytes(name, 6)
	switch {
	case err != nil:
		return "", err
	case len(b) == 0:
		return "", malformed(name, "is empty: get it again")
	case isGzip(b) || b[0] == 0 && len(b) >= 3 && b[1] == 0:
		return KindMNIST, nil
	case string(b) == "\x93NUMPY":
		return KindArrays, nil
	}
	base := strings.ToLower(filepath.Base(name))
	if presetsOf()[KindAdult].found([]string{base}) {
		return KindAdult, nil
	}
	switch filepath.Ext(base) {
	case ".csv", ".tsv", ".txt", ".data", ".test":
		return KindTable, nil
	}
	return "", malformed(name, "is neither a zip of pictures, a table (.csv) nor an idx file: say which kind of data it is")
}

// treeKind returns the kind of a folder or zip, found from the names in it.
func treeKind(fsys fs.FS, source string, files []string) (string, error) {
	images := matching(files, isPicture)
	pictures, sheets := len(images), len(matching(files, isCSV))
	utkface := len(matching(images, func(name string) bool { _, ok := parseUTKFace(name); return ok }))
	switch {
	case presetsOf()[KindCelebA].found(files):
		return KindCelebA, nil
	case pictures == 0 && presetsOf()[KindAdult].found(files):
		return KindAdult, nil
	case pictures == 0 && slices.ContainsFunc(files, isForeign):
		return KindFolders, nil // its reader says which pictures are not read
	case pictures == 0 && (qmnistLabels(source, Train) != "" || qmnistLabels(source, Test) != ""):
		return KindMNIST, nil // its reader says that the images are missing
	case pictures == 0:
		return "", malformed(source, "holds neither pictures (.jpg, .jpeg, .png) nor a data set that is known: give the folder or file that holds the data")
	case presetsOf()[KindFairFace].found(files) || isFairFace(fsys, files):
		return KindFairFace, nil
	case len(within(files, "labels.csv")) > 0 || sheets == 1 && 2*utkface < pictures:
		return KindImages, nil
	case 2*utkface >= pictures:
		return KindUTKFace, nil
	}
	return KindFolders, nil
}
