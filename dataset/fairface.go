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
		s, err := readSheet(fsys, "", name)
		if err == nil && s.find("file") == 0 && s.find("age") > 0 && s.find("gender") > 0 && s.find("race") > 0 {
			return slices.ContainsFunc(s.rows, func(row []string) bool { return folderPart(row[0]) == "val" })
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
func readFairFace(fsys fs.FS, source string) (*labels, error) {
	pictures, files, err := listPictures(fsys, source)
	if err != nil {
		return nil, err
	}
	s, err := fairfaceSheet(fsys, source, files)
	if err != nil {
		return nil, err
	}
	l, err := s.labels(source, "", pictures)
	if err != nil {
		return nil, err
	}
	c, _ := s.fileColumn("")
	for i, row := range s.rows {
		switch folderPart(row[c]) {
		case "train":
			l.split = append(l.split, Train)
		case "val", "test":
			l.split = append(l.split, Test)
		default:
			return nil, malformed(s.name, "line %d: %q is neither in train nor in val, as FairFace's pictures are: say that the kind is %s", s.lines[i], row[c], KindImages)
		}
	}
	return l, nil
}

// fairfaceSheet reads labels.csv, or FairFace's own two files as one.
func fairfaceSheet(fsys fs.FS, source string, files []string) (*sheet, error) {
	var all *sheet
	for _, base := range fairfaceSheets {
		name, err := onlyOne(source, files, base)
		if err != nil || name == "" {
			if err != nil {
				return nil, err
			}
			continue
		}
		s, err := readSheet(fsys, source, name)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = s
			continue
		}
		if !slices.Equal(all.header, s.header) {
			return nil, malformed(s.name, "its columns are not those of %s: get both again", all.name)
		}
		all.rows, all.lines = append(all.rows, s.rows...), append(all.lines, s.lines...)
		all.name = fmt.Sprintf("%s and %s", all.name, name)
	}
	if all != nil {
		return all, nil
	}
	return locate(fsys, source, "", files)
}
