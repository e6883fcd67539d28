package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"tattle/internal/file"
)

// A MissingError reports rows without a picture or pictures without a row, which
// Options.SkipMissing leaves out.
type MissingError struct{ error }

// Unwrap returns the error of the rows or pictures.
func (e *MissingError) Unwrap() error { return e.error }

// match finds the picture that each row names in its file column, and returns how the rows write these names. That there
// is none, or no row of a picture, is an error; with skip, rows and pictures without the other are left out and counted in
// a note. The other columns that have names are kept.
func (l *labels) match(fileColumn string, pictures []string, skip bool) (written []string, err error) {
	c, err := l.fileColumn(fileColumn)
	if err != nil {
		return nil, err
	}
	own := l.columns[c]
	if !slices.ContainsFunc(l.columns, func(col column) bool { return col.name != "" && col.name != own.name }) {
		return nil, malformed(l.list, "has no column besides %q: add one for each attribute", own.name)
	}
	at, used := newPlaces(pictures), make(map[string]int, len(pictures))
	var rows []int
	var files []string
	var first error
	wrong, total := 0, len(own.values)
	for i, text := range own.values {
		name, err := at.find(text)
		if err == nil && used[name] > 0 {
			return nil, malformed(l.list, "line %d: %s has a row already, line %d: keep one", l.lines[i], name, used[name])
		}
		if err == nil {
			used[name], rows, files = l.lines[i], append(rows, i), append(files, name)
		} else if _, several := at.known(text); several || !skip {
			wrong++
			first = cmp.Or(first, fmt.Errorf("line %d, column %q: %w", l.lines[i], own.name, err))
		}
	}
	without := matching(pictures, func(name string) bool { return used[name] == 0 })
	list := path.Base(l.list)
	switch {
	case wrong > 0:
		return nil, &MissingError{malformed(l.list, "%d of %d rows have no picture: %v", wrong, total, first)}
	case len(rows) == 0:
		return nil, malformed(l.list, "none of its %s has a picture: give the pictures", plural(total, "row"))
	case len(without) > 0 && !skip:
		return nil, &MissingError{malformed(l.list, "%d of %d pictures have no row (%s): add their rows, or move the pictures elsewhere", len(without), len(pictures), file.ShownNames(without))}
	}
	if n := total - len(rows); n > 0 {
		l.note("list %s: %d of %s left out: no picture", list, n, plural(total, "row"))
		l.keep(rows)
	}
	if n := len(without); n > 0 {
		l.note("%d of %s left out: no row in %s", n, plural(len(pictures), "picture"), list)
	}
	written, l.files = l.columns[c].values, files
	l.columns = slices.DeleteFunc(l.columns, func(col column) bool { return col.name == "" || col.name == own.name })
	return written, nil
}

// fileColumns are the names that a column of file names goes by.
var fileColumns = []string{"file", "filename", "file_name", "path", "filepath", "file_path", "image", "image_path", "image_name", "image_id"}

// fileColumn returns the column of file names: the one that is asked for, else
// the one called so, else the first.
func (l *labels) fileColumn(asked string) (int, error) {
	if asked == "" {
		return max(l.place(fileColumns...), 0), nil
	}
	if k := l.place(asked); k >= 0 {
		return k, nil
	}
	return 0, malformed(l.list, "has no column %q for the names of files; there are %s", asked, file.ShownNames(l.names()))
}

// locate finds the file of labels: a path outside, or a name inside, or
// labels.csv, or the only CSV there is.
func locate(fsys fs.FS, source, asked string, files []string) (*labels, error) {
	if asked != "" {
		if _, err := os.Stat(asked); err == nil {
			return readTable(asked, nil)
		}
		name := path.Clean(strings.ReplaceAll(asked, `\`, "/"))
		if slices.Contains(files, name) {
			return readLabelTable(fsys, source, name)
		}
		return nil, &file.NotFoundError{Path: asked, Give: fmt.Sprintf("it is not in %s either: name the CSV with the labels", source)}
	}
	name, err := onlyOne(source, files, "labels.csv")
	if err != nil {
		return nil, err
	}
	if name != "" {
		return readLabelTable(fsys, source, name)
	}
	tables := matching(files, isCSV)
	if len(tables) != 1 {
		return nil, fmt.Errorf("%s: no labels.csv, and %s: name the CSV with the labels", source, plural(len(tables), "other CSV file"))
	}
	return readLabelTable(fsys, source, tables[0])
}

// isCSV reports whether a file is a CSV by its name.
func isCSV(name string) bool { return strings.EqualFold(path.Ext(name), ".csv") }

// depth is the largest number of path elements that are compared to identify a picture.
const depth = 4

// places finds pictures as files of labels name them: by the last elements of
// their places, with or without the ending. An entry is "" if several
// pictures go by it.
type places map[string]string

func newPlaces(pictures []string) places {
	p := make(places, 2*len(pictures))
	for _, name := range pictures {
		bare := strings.TrimSuffix(name, path.Ext(name))
		for at, k := len(bare), 0; at > 0 && k < depth; k++ {
			at = strings.LastIndexByte(bare[:at], '/')
			p.add(name[at+1:], name)
			p.add(bare[at+1:], name)
		}
	}
	for _, name := range pictures { // a full path always means its own picture
		p[name] = name
	}
	return p
}

func (p places) add(tail, whole string) {
	if other, taken := p[tail]; taken && other != whole {
		whole = ""
	}
	p[tail] = whole
}

// known returns the picture that is called so, "" if several are, and reports whether any is.
func (p places) known(written string) (string, bool) {
	whole, known := p[path.Clean(strings.ReplaceAll(written, `\`, "/"))]
	return whole, known && written != ""
}

// find returns the picture that is called so.
func (p places) find(written string) (string, error) {
	if written == "" {
		return "", errors.New("names no file: write one, or take the row out")
	}
	whole, known := p.known(written)
	switch {
	case !known:
		return "", fmt.Errorf("no picture %q: take the row out, or give all pictures", written)
	case whole == "":
		return "", fmt.Errorf("several pictures are called %q: write the folder before it", written)
	}
	return whole, nil
}

// splitNames are what parts are called, in columns and as folders.
var splitNames = map[string]Split{
	"train": Train, "training": Train, "0": Train,
	"val": Validation, "valid": Validation, "validation": Validation, "dev": Validation, "1": Validation,
	"test": Test, "testing": Test, "2": Test,
}

// folderSplit takes the parts from the folders that the pictures lie in, the
// outermost that all of them have; nil if they are not called so, or where
// there is one alone.
func folderSplit(files []string) []Split {
	for level := range depth {
		if split := partsAt(files, level); slices.ContainsFunc(split, func(s Split) bool { return s != split[0] }) {
			return split
		}
	}
	return nil
}

// partsAt takes the parts from the folders at one level, from 0; nil if some has another name. A name of one
// digit is that of a class.
func partsAt(files []string, level int) []Split {
	split := make([]Split, len(files))
	for i, name := range files {
		if elements := strings.Split(path.Dir(name), "/"); level < len(elements) && len(elements[level]) > 1 {
			split[i] = splitNames[strings.ToLower(elements[level])]
		}
		if split[i] == "" {
			return nil
		}
	}
	return split
}
