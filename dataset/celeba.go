package dataset

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Names of CelebA's lists: as its home has them, and as CSV files.
var (
	celebaAttributes = []string{"list_attr_celeba.txt", "list_attr_celeba.csv"}
	celebaPartition  = []string{"list_eval_partition.txt", "list_eval_partition.csv"}
)

// celebaHair are the hair colours of which B uses the pictures that have exactly
// one, and what they are called in the column HairColor.
var celebaHair = []struct{ attribute, colour string }{
	{"Black_Hair", "black"}, {"Blond_Hair", "blond"}, {"Brown_Hair", "brown"},
}

// readCelebA reads CelebA's attributes, as 0 and 1, and its official partition:
// the lists lie anywhere in the tree. A column HairColor is added, and, as in B,
// rows without exactly one of its three colours are left out, whatever the task. With skip,
// rows without a picture and pictures without a row are left out, too.
func readCelebA(fsys fs.FS, source string, skip bool) (*labels, error) {
	pictures, files, err := listPictures(fsys, source)
	if err != nil {
		return nil, err
	}
	s, err := celebaTable(fsys, source, files, celebaAttributes)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, malformed(source, "has no %s: put it beside the pictures", celebaAttributes[0])
	}
	pictures = celebaPictures(pictures)
	notes := s.notes
	if skip {
		var skipped []string
		if pictures, skipped, err = s.skipMissing(0, pictures); err != nil {
			return nil, err
		}
		notes = append(notes, skipped...)
	}
	where, err := s.pictures(0, pictures)
	if err != nil {
		return nil, err
	}
	if err := s.complete(pictures, where); err != nil {
		return nil, err
	}
	colours, rows, err := s.hair()
	if err != nil {
		return nil, err
	}
	l := &labels{source: source, notes: notes}
	if left := s.rows() - len(rows); left > 0 {
		l.notes = append(l.notes, fmt.Sprintf("%s of %d left out: not exactly one of black, blond and brown hair, as in the paper", plural(left, "picture"), s.rows()))
	}
	if rows, err = l.partition(fsys, files, s, rows, skip); err != nil {
		return nil, err
	}
	l.columns = []column{{name: "HairColor", values: pick(colours, 1, rows)}}
	for _, i := range rows {
		l.files = append(l.files, where[i])
	}
	for c := 1; c < len(s.columns); c++ {
		flags, err := s.flags(c, rows)
		if err != nil {
			return nil, err
		}
		l.columns = append(l.columns, flags)
	}
	return l, nil
}

// celebaPictures keeps the pictures in the folder img_align_celeba, where there
// are such.
func celebaPictures(pictures []string) []string {
	folder := strings.TrimSuffix(celebaZip, ".zip")
	aligned := slices.DeleteFunc(slices.Clone(pictures), func(name string) bool {
		return path.Base(path.Dir(name)) != folder
	})
	if len(aligned) == 0 {
		return pictures
	}
	return aligned
}

// celebaTable reads one of CelebA's lists; nil if there is none.
func celebaTable(fsys fs.FS, source string, files, bases []string) (*table, error) {
	name, err := onlyOne(source, files, bases...)
	if err != nil || name == "" {
		return nil, err
	}
	if strings.EqualFold(path.Ext(name), ".csv") {
		return readLabelTable(fsys, source, name)
	}
	text, err := readTextIn(fsys, source, name)
	if err != nil {
		return nil, err
	}
	return celebaList(path.Join(source, name), text)
}

// celebaList reads a list as CelebA's home page has it: fields separated by blanks,
// and, in the list of attributes, two lines before the rows, their number and the
// names of the attributes.
func celebaList(name string, text []byte) (*table, error) {
	t := &table{source: name}
	names, line, claimed := []string{"image_id"}, 0, -1
	for b := range bytes.Lines(text) {
		line++
		fields := strings.Fields(string(b))
		switch {
		case len(fields) == 0:
		case line == 1 && len(fields) == 1:
			n, err := strconv.Atoi(fields[0])
			if err != nil || n < 0 {
				return nil, malformed(name, "line 1: want the number of pictures: get CelebA's list again")
			}
			claimed = n
		case claimed >= 0 && len(names) == 1:
			names = append(names, fields...)
		default:
			if err := t.add(fields, line); err != nil {
				return nil, err
			}
		}
	}
	switch n := len(t.lines); {
	case n == 0:
		return nil, malformed(name, "has no rows: get CelebA's list again")
	case claimed >= 0 && n != claimed:
		t.notes = append(t.notes, fmt.Sprintf("list %s has %s, and its first line says %d: all %d are used", path.Base(name), plural(n, "row"), claimed, n))
	}
	if claimed < 0 {
		names = append(names, "partition")
	}
	if err := t.name(names); err != nil {
		return nil, err
	}
	return t, t.checkNames()
}

// flags returns an attribute of the given rows, −1 written as 0.
func (t *table) flags(c int, rows []int) (column, error) {
	out := column{name: t.columns[c].name, values: make([]string, len(rows))}
	for k, i := range rows {
		switch v := t.columns[c].values[i]; v {
		case "1", "0":
			out.values[k] = v
		case "-1":
			out.values[k] = "0"
		default:
			return out, malformed(t.source, "line %d: %s is %q: want 1 or -1", t.lines[i], out.name, v)
		}
	}
	return out, nil
}

// hair returns the one hair colour of every row, and the rows that have one.
func (t *table) hair() (colours []string, rows []int, err error) {
	colours = make([]string, t.rows())
	var columns [3]int
	for k, h := range celebaHair {
		if columns[k] = t.find(h.attribute); columns[k] < 1 {
			return nil, nil, malformed(t.source, "has no column %s: get CelebA's list again", h.attribute)
		}
	}
	for i := range colours {
		n := 0
		for k, c := range columns {
			if t.columns[c].values[i] == "1" {
				n++
				colours[i] = celebaHair[k].colour
			}
		}
		if n == 1 {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return nil, nil, malformed(t.source, "no picture has exactly one of Black_Hair, Blond_Hair and Brown_Hair, which is what B uses: say that the kind is %s to use all", KindImages)
	}
	return colours, rows, nil
}

// partition fills in the official parts of the given rows: 0 train, 1 validation, 2 test. It
// returns the rows that have one; that others have none is an error unless skip is true.
func (l *labels) partition(fsys fs.FS, files []string, attributes *table, rows []int, skip bool) ([]int, error) {
	t, err := celebaTable(fsys, l.source, files, celebaPartition)
	if err != nil {
		return nil, err
	}
	if t == nil {
		l.notes = append(l.notes, "no "+celebaPartition[0]+": the parts are not the official ones")
		return rows, nil
	}
	of, err := t.parts()
	if err != nil {
		return nil, err
	}
	var known []int
	for _, i := range rows {
		name := attributes.columns[0].values[i]
		part, ok := of[name]
		if ok {
			l.split, known = append(l.split, part), append(known, i)
		} else if !skip {
			return nil, &MissingError{malformed(t.source, "has no row for %s: get CelebA's list again", name)}
		}
	}
	if len(known) == 0 {
		return nil, malformed(t.source, "has no row for any picture: get CelebA's list again")
	}
	if left := len(rows) - len(known); left > 0 {
		l.notes = append(l.notes, fmt.Sprintf("list %s: %d of %s left out: no row", path.Base(t.source), left, plural(len(rows), "picture")))
	}
	return known, nil
}

// celebaParts are the parts by their numbers.
var celebaParts = map[string]Split{"0": Train, "1": Validation, "2": Test}

// parts returns the part of every name.
func (t *table) parts() (map[string]Split, error) {
	if len(t.columns) < 2 {
		return nil, malformed(t.source, "want a name and a part in each row: get CelebA's list again")
	}
	of := make(map[string]Split, t.rows())
	for i, name := range t.columns[0].values {
		text := t.columns[1].values[i]
		part, ok := celebaParts[text]
		if !ok {
			return nil, malformed(t.source, "line %d: part %q: want 0, 1 or 2", t.lines[i], text)
		}
		if of[name] != "" {
			return nil, malformed(t.source, "line %d: %q is there twice: get CelebA's list again", t.lines[i], name)
		}
		of[name] = part
	}
	return of, nil
}
