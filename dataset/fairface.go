package dataset

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// fairfaceSheets are the files of labels as FairFace's home has them, of its
// train and val pictures.
var fairfaceSheets = []string{"fairface_label_train.csv", "fairface_label_val.csv"}

// isFairFace reports whether files are FairFace's: its own files of labels, or
// a labels.csv with its columns.
func isFairFace(fsys fs.FS, files []string) bool {
	for _, name := range fairfaceSheets {
		if len(within(files, name)) > 0 {
			return true
		}
	}
	for _, name := range within(files, "labels.csv") {
		t, err := readLabelTable(fsys, "", name)
		if err == nil && t.find("file") == 0 && t.find("age") > 0 && t.find("gender") > 0 && t.find("race") > 0 {
			return slices.ContainsFunc(t.columns[0].values, func(file string) bool { return folderPart(file) == "val" })
		}
	}
	return false
}

// folderPart returns the folder that FairFace's labels name first.
func folderPart(file string) string {
	part, _, _ := strings.Cut(strings.ReplaceAll(strings.TrimPrefix(file, "./"), `\`, "/"), "/")
	return part
}

// readFairFace reads FairFace's labels: columns age (ranges), gender and race,
// and what else is there. The folder train is for training, val for testing.
func readFairFace(fsys fs.FS, source string, skip bool) (*labels, error) {
	pictures, files, err := listPictures(fsys, source)
	if err != nil {
		return nil, err
	}
	t, err := fairfaceTable(fsys, source, files)
	if err != nil {
		return nil, err
	}
	l, err := t.labels(source, "", pictures, skip)
	if err != nil {
		return nil, err
	}
	c, _ := t.fileColumn("")
	for i, file := range t.columns[c].values {
		switch folderPart(file) {
		case "train":
			l.split = append(l.split, Train)
		case "val", "test":
			l.split = append(l.split, Test)
		default:
			return nil, malformed(t.source, "line %d: %q is neither in train nor in val, as FairFace's pictures are: say that the kind is %s", t.lines[i], file, KindImages)
		}
	}
	return l, nil
}

// fairfaceTable reads labels.csv, or FairFace's own two files as one.
func fairfaceTable(fsys fs.FS, source string, files []string) (*table, error) {
	var all *table
	for _, base := range fairfaceSheets {
		name, err := onlyOne(source, files, base)
		if err != nil || name == "" {
			if err != nil {
				return nil, err
			}
			continue
		}
		t, err := readLabelTable(fsys, source, name)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = t
			continue
		}
		if err := all.join(t); err != nil {
			return nil, err
		}
		all.source = fmt.Sprintf("%s and %s", all.source, name)
	}
	if all != nil {
		return all, nil
	}
	return locate(fsys, source, "", files)
}
