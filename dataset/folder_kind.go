package dataset

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tattle/internal/file"
)

// guessKind tells what kind of labelled data lies at a path: one of [Kinds].
func guessKind(name string) (string, error) {
	info, err := os.Stat(name)
	if err == nil && info.Mode().IsRegular() && !isZip(name) {
		return fileKind(name)
	}
	fsys, closer, err := openFS(name)
	if err != nil {
		return "", err
	}
	defer closer.Close()
	files, err := listFiles(fsys)
	if err != nil {
		return "", err
	}
	if info.IsDir() && opens(name) {
		return KindMNIST, nil
	}
	return treeKind(fsys, name, files)
}

// isZip reports whether a file begins as zip archives do.
func isZip(name string) bool { return bytes.Equal(firstBytes(name, 2), []byte("PK")) }

func firstBytes(name string, n int) []byte {
	f, err := file.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	b := make([]byte, n)
	k, _ := io.ReadFull(f, b)
	return b[:k]
}

// fileKind tells a table from an idx file.
func fileKind(name string) (string, error) {
	switch b := firstBytes(name, 3); {
	case len(b) == 0:
		return "", malformed(name, "is empty or cannot be read: get it again")
	case isGzip(b) || b[0] == 0 && len(b) == 3 && b[1] == 0:
		return KindMNIST, nil
	}
	base := strings.ToLower(filepath.Base(name))
	if base == "adult.data" || base == "adult.test" {
		return KindAdult, nil
	}
	switch filepath.Ext(base) {
	case ".csv", ".tsv", ".txt", ".data", ".test":
		return KindTable, nil
	}
	return "", malformed(name, "is neither a zip of pictures, a table (.csv) nor an idx file: say which kind of data it is")
}

// opens reports whether a folder holds what Open reads.
func opens(dir string) bool {
	for _, split := range []Split{Train, Test} {
		if idxImages(dir, split) != "" || len(cifarBatches(dir, split)) > 0 {
			return true
		}
	}
	return false
}

// treeKind tells the kind of a folder or zip from the names in it.
func treeKind(fsys fs.FS, source string, files []string) (string, error) {
	has := func(bases ...string) bool {
		for _, base := range bases {
			if len(within(files, base)) > 0 {
				return true
			}
		}
		return false
	}
	pictures, utkface, sheets := 0, 0, 0
	for _, name := range files {
		if isPicture(name) {
			pictures++
			if _, ok := parseUTKFace(name); ok {
				utkface++
			}
		} else if strings.EqualFold(filepath.Ext(name), ".csv") {
			sheets++
		}
	}
	switch {
	case has(celebaAttributes...):
		return KindCelebA, nil
	case pictures == 0 && has("adult.data", "adult.test"):
		return KindAdult, nil
	case pictures == 0:
		return "", malformed(source, "holds neither pictures (.jpg, .jpeg, .png) nor a data set that is known: give the folder or file that holds the data")
	case isFairFace(fsys, files):
		return KindFairFace, nil
	case has("labels.csv") || sheets == 1 && 2*utkface < pictures:
		return KindImages, nil
	case 2*utkface >= pictures:
		return KindUTKFace, nil
	}
	return "", malformed(source, "holds %d pictures without labels: put a labels.csv (file, and a column for each attribute) among them, or name one", pictures)
}
