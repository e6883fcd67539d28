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
// rows without exactly one of its three colours are left out, whatever the task.
func readCelebA(fsys fs.FS, source string) (*labels, error) {
	pictures, files, err := listPictures(fsys, source)
	if err != nil {
		return nil, err
	}
	s, err := celebaSheet(fsys, source, files, celebaAttributes)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, malformed(source, "has no %s: put it beside the pictures", celebaAttributes[0])
	}
	where, err := s.pictures(celebaPictures(pictures))
	if err != nil {
		return nil, err
	}
	colours, rows, err := s.hair()
	if err != nil {
		return nil, err
	}
	l := &labels{source: source, columns: []column{{"HairColor", pick(colours, 1, rows)}}}
	for _, i := range rows {
		l.files = append(l.files, where[i])
	}
	for c := 1; c < len(s.header); c++ {
		flags, err := s.flags(c, rows)
		if err != nil {
			return nil, err
		}
		l.columns = append(l.columns, flags)
	}
	if left := len(s.rows) - len(rows); left > 0 {
		l.notes = append(l.notes, fmt.Sprintf("%s of %d left out: not exactly one of black, blond and brown hair, as in the paper", plural(left, "picture"), len(s.rows)))
	}
	return l, l.partition(fsys, files, s, rows)
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

// celebaSheet reads one of CelebA's lists; nil where there is none.
func celebaSheet(fsys fs.FS, source string, files, bases []string) (*sheet, error) {
	name, err := onlyOne(source, files, bases...)
	if err != nil || name == "" {
		return nil, err
	}
	if strings.EqualFold(path.Ext(name), ".csv") {
		return readSheet(fsys, source, name)
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot be read: %w", source, err)
	}
	defer f.Close()
	name = path.Join(source, name)
	text, err := readText(name, f)
	if err != nil {
		return nil, err
	}
	return celebaList(name, text)
}

// celebaList reads a list as CelebA's home has it: fields divided by blanks, and,
// in the list of attributes, two lines before the rows, their number and the
// names of the attributes.
func celebaList(name string, text []byte) (*sheet, error) {
	s := &sheet{name: name}
	line, claimed := 0, -1
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
		case s.header == nil && claimed >= 0:
			s.header = append([]string{"image_id"}, fields...)
		default:
			if s.header == nil {
				s.header = []string{"image_id", "partition"}
			}
			if len(fields) != len(s.header) {
				return nil, malformed(name, "line %d: %d fields for %d columns: get CelebA's list again", line, len(fields), len(s.header))
			}
			s.rows, s.lines = append(s.rows, fields), append(s.lines, line)
		}
	}
	if len(s.rows) == 0 || claimed >= 0 && len(s.rows) != claimed {
		return nil, malformed(name, "has %s, its first line says %d: cut off? get CelebA's list again", plural(len(s.rows), "row"), max(claimed, 0))
	}
	return s, s.check()
}

// pictures returns the picture of every row.
func (s *sheet) pictures(all []string) ([]string, error) {
	at, used := newPlaces(all), make(map[string]int, len(all))
	where, missing := make([]string, len(s.rows)), 0
	var first error
	for i, row := range s.rows {
		name, err := at.find(row[0])
		if err != nil {
			if missing++; first == nil {
				first = fmt.Errorf("line %d: %w", s.lines[i], err)
			}
			continue
		}
		if line := used[name]; line > 0 {
			return nil, malformed(s.name, "line %d: %s has a row already, line %d: get the list again", s.lines[i], name, line)
		}
		used[name], where[i] = s.lines[i], name
	}
	if missing > 0 {
		return nil, malformed(s.name, "%d of %d rows are without a picture: %v", missing, len(s.rows), first)
	}
	return where, nil
}

// flags returns an attribute of the given rows, −1 written as 0.
func (s *sheet) flags(c int, rows []int) (column, error) {
	out := column{s.header[c], make([]string, len(rows))}
	for k, i := range rows {
		switch v := s.rows[i][c]; v {
		case "1", "0":
			out.values[k] = v
		case "-1":
			out.values[k] = "0"
		default:
			return out, malformed(s.name, "line %d: %s is %q: want 1 or -1", s.lines[i], s.header[c], v)
		}
	}
	return out, nil
}

// hair returns the one hair colour of every row, and the rows that have one.
func (s *sheet) hair() (colours []string, rows []int, err error) {
	colours = make([]string, len(s.rows))
	var columns [3]int
	for k, h := range celebaHair {
		if columns[k] = s.find(h.attribute); columns[k] < 1 {
			return nil, nil, malformed(s.name, "has no column %s: get CelebA's list again", h.attribute)
		}
	}
	for i, row := range s.rows {
		n := 0
		for k, c := range columns {
			if row[c] == "1" {
				n++
				colours[i] = celebaHair[k].colour
			}
		}
		if n == 1 {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return nil, nil, malformed(s.name, "no picture has exactly one of Black_Hair, Blond_Hair and Brown_Hair, which is what B uses: say that the kind is %s to use all", KindImages)
	}
	return colours, rows, nil
}

// partition fills in the official parts: 0 train, 1 validation, 2 test.
func (l *labels) partition(fsys fs.FS, files []string, attributes *sheet, rows []int) error {
	s, err := celebaSheet(fsys, l.source, files, celebaPartition)
	if err != nil {
		return err
	}
	if s == nil {
		l.notes = append(l.notes, "no "+celebaPartition[0]+": the parts are not the official ones")
		return nil
	}
	of, err := s.parts()
	if err != nil {
		return err
	}
	for _, i := range rows {
		part, ok := of[attributes.rows[i][0]]
		if !ok {
			return malformed(s.name, "has no row for %s: get CelebA's list again", attributes.rows[i][0])
		}
		l.split = append(l.split, part)
	}
	return nil
}

// celebaParts are the parts by their numbers.
var celebaParts = map[string]Split{"0": Train, "1": Validation, "2": Test}

// parts returns the part of every name.
func (s *sheet) parts() (map[string]Split, error) {
	if len(s.header) < 2 {
		return nil, malformed(s.name, "want a name and a part in each row: get CelebA's list again")
	}
	of := make(map[string]Split, len(s.rows))
	for i, row := range s.rows {
		part, ok := celebaParts[row[1]]
		if !ok {
			return nil, malformed(s.name, "line %d: part %q: want 0, 1 or 2", s.lines[i], row[1])
		}
		if of[row[0]] != "" {
			return nil, malformed(s.name, "line %d: %q is there twice: get CelebA's list again", s.lines[i], row[0])
		}
		of[row[0]] = part
	}
	return of, nil
}
