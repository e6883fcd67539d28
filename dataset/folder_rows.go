package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// readImages reads the labels of a folder or zip of pictures from a CSV: one
// row a picture, a column of file names (fileColumn; "" = the one called so,
// or the first) and a column for each attribute. labelsFile is a path, or a name
// inside; "" = labels.csv inside, or the only CSV. The parts are those of
// folders called train, val and test, or of a column "split".
func readImages(fsys fs.FS, source, labelsFile, fileColumn string) (*labels, error) {
	pictures, files, err := listPictures(fsys, source)
	if err != nil {
		return nil, err
	}
	s, err := locate(fsys, source, labelsFile, files)
	if err != nil {
		return nil, err
	}
	l, err := s.labels(source, fileColumn, pictures)
	if err != nil {
		return nil, err
	}
	if l.split = columnSplit(l.columns); l.split == nil {
		l.split = folderSplit(l.files)
	}
	return l, nil
}

// labels matches the rows with the pictures: one each.
func (s *sheet) labels(source, fileColumn string, pictures []string) (*labels, error) {
	c, err := s.fileColumn(fileColumn)
	if err != nil {
		return nil, err
	}
	l := &labels{source: source}
	at, used := newPlaces(pictures), make(map[string]int, len(pictures))
	rows := make([]int, len(s.rows))
	for i, row := range s.rows {
		rows[i] = i
		name, err := at.find(row[c])
		if err != nil {
			return nil, malformed(s.name, "line %d, column %q: %v", s.lines[i], s.header[c], err)
		}
		if line := used[name]; line > 0 {
			return nil, malformed(s.name, "line %d: %s has a row already, line %d: keep one", s.lines[i], name, line)
		}
		used[name] = s.lines[i]
		l.files = append(l.files, name)
	}
	for i, h := range s.header {
		if i != c && h != "" {
			l.columns = append(l.columns, s.text(i, rows))
		}
	}
	if len(l.columns) == 0 {
		return nil, malformed(s.name, "has no column beside %q: add one for each attribute", s.header[c])
	}
	return l, s.complete(pictures, used)
}

// complete errs where a picture has no row.
func (s *sheet) complete(pictures []string, used map[string]int) error {
	var without []string
	for _, name := range pictures {
		if used[name] == 0 {
			without = append(without, name)
		}
	}
	if len(without) == 0 {
		return nil
	}
	return malformed(s.name, "%d of %d pictures have no row (%s): add their rows, or move the pictures elsewhere", len(without), len(pictures), listed(without))
}

// depth is how many elements of a place may tell a picture from others.
const depth = 4

// places finds pictures as files of labels name them: by the last elements of
// their places, with or without the ending. An entry is "" where several
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
	for _, name := range pictures { // a whole place is nobody else's
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

// find returns the picture that is called so.
func (p places) find(written string) (string, error) {
	if written == "" {
		return "", errors.New("names no file: write one, or take the row out")
	}
	whole, known := p[path.Clean(strings.ReplaceAll(written, `\`, "/"))]
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

// columnSplit takes the parts from a column "split" or "partition" that says
// nothing else; nil where there is none.
func columnSplit(columns []column) []Split {
	for _, c := range columns {
		if !strings.EqualFold(c.name, "split") && !strings.EqualFold(c.name, "partition") {
			continue
		}
		split, seen := make([]Split, len(c.values)), map[Split]bool{}
		for i, v := range c.values {
			split[i] = splitNames[strings.ToLower(v)]
			seen[split[i]] = true
		}
		if !seen[""] && len(seen) > 1 {
			return split
		}
	}
	return nil
}

// folderSplit takes the parts from the folders that the pictures lie in, the
// outermost that all of them have; nil where they are not called so, or where
// there is one alone.
func folderSplit(files []string) []Split {
	for level := range depth {
		split, seen := make([]Split, len(files)), map[Split]bool{}
		for i, name := range files {
			elements := strings.SplitN(path.Dir(name), "/", depth+1)
			if level < min(depth, len(elements)) && len(elements[level]) > 1 {
				split[i] = splitNames[strings.ToLower(elements[level])]
			}
			seen[split[i]] = true
		}
		if !seen[""] && len(seen) > 1 {
			return split
		}
	}
	return nil
}
