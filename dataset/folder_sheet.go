package dataset

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"tattle/internal/file"
)

// What a file of labels may have: CelebA's has 27 MB, and 160 bytes a line.
const (
	maxSheet     = 64 << 20 // bytes
	maxSheetLine = 64 << 10 // bytes
)

// sheet is a file of labels: a header and a row for each picture.
type sheet struct {
	name   string
	header []string
	rows   [][]string // each as long as header
	lines  []int      // of each row in the file, from 1
}

// readSheet reads a CSV with a header; the separator is whichever of comma,
// semicolon and tab the header has most of.
func readSheet(fsys fs.FS, source, name string) (*sheet, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot be read: %w", source, err)
	}
	defer f.Close()
	return decodeSheet(path.Join(source, name), f)
}

// openSheet reads a CSV that lies outside the pictures' folder.
func openSheet(name string) (*sheet, error) {
	f, err := file.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return decodeSheet(name, f)
}

func decodeSheet(name string, r io.Reader) (*sheet, error) {
	text, err := readText(name, r)
	if err != nil {
		return nil, err
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	in := csv.NewReader(bytes.NewReader(text))
	in.Comma = separator(first)
	in.TrimLeadingSpace = in.Comma != '\t'
	s := &sheet{name: name}
	for {
		row, err := in.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, malformed(name, "not a table of labels (%v): write one row a picture, with as many fields as the header", err)
		}
		line, _ := in.FieldPos(0)
		s.rows, s.lines = append(s.rows, trimmed(row)), append(s.lines, line)
	}
	if len(s.rows) < 2 {
		return nil, malformed(name, "has no rows: write a header, and a row for each picture")
	}
	s.header, s.rows, s.lines = s.rows[0], s.rows[1:], s.lines[1:]
	return s, s.check()
}

// readText reads a file of text of bounded size and lines, without the mark
// that some programs begin it with.
func readText(name string, r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxSheet+1))
	if err != nil {
		return nil, malformed(name, "cannot be read whole (%v): get it again", err)
	}
	if len(text) > maxSheet {
		return nil, malformed(name, "has more than the %d MB that a file of labels may have: keep the columns that are needed", maxSheet>>20)
	}
	line := 0
	for b := range bytes.Lines(text) {
		if line++; len(b) > maxSheetLine {
			return nil, malformed(name, "line %d has %d bytes: not a table of labels", line, len(b))
		}
	}
	return bytes.TrimPrefix(text, []byte("\ufeff")), nil
}

// separator returns what divides the fields of a header.
func separator(header []byte) rune {
	best, most := ',', 0
	for _, c := range ",;\t" {
		if n := bytes.Count(header, []byte(string(c))); n > most {
			best, most = c, n
		}
	}
	return best
}

func trimmed(row []string) []string {
	for i, v := range row {
		row[i] = strings.TrimSpace(v)
	}
	return row
}

// check refuses a header that does not name every column, each once.
func (s *sheet) check() error {
	seen := make(map[string]bool, len(s.header))
	for i, name := range s.header {
		if name == "" && i > 0 { // an index that some programs write is first
			return malformed(s.name, "column %d has no name: write one into the header", i+1)
		}
		if seen[name] {
			return malformed(s.name, "two columns are called %q: rename one", name)
		}
		seen[name] = true
	}
	return nil
}

// find returns the first column called by one of the names, −1 where there is
// none.
func (s *sheet) find(names ...string) int {
	for _, name := range names {
		for i, h := range s.header {
			if strings.EqualFold(h, name) {
				return i
			}
		}
	}
	return -1
}

// fileColumns are the names that a column of file names goes by.
var fileColumns = []string{"file", "filename", "file_name", "path", "filepath", "file_path", "image", "image_path", "image_name", "image_id"}

// fileColumn returns the column of file names: the one that is asked for, else
// the one called so, else the first.
func (s *sheet) fileColumn(asked string) (int, error) {
	if asked == "" {
		return max(s.find(fileColumns...), 0), nil
	}
	if i := s.find(asked); i >= 0 {
		return i, nil
	}
	return 0, malformed(s.name, "has no column %q for the names of files; there are %s", asked, strings.Join(s.header, ", "))
}

// text returns a column, of the rows that are given.
func (s *sheet) text(c int, rows []int) column {
	out := column{name: s.header[c], values: make([]string, len(rows))}
	for k, i := range rows {
		out.values[k] = s.rows[i][c]
	}
	return out
}

// locate finds the file of labels: a path outside, or a name inside, or
// labels.csv, or the only CSV there is.
func locate(fsys fs.FS, source, asked string, files []string) (*sheet, error) {
	if asked != "" {
		if _, err := os.Stat(asked); err == nil {
			return openSheet(asked)
		}
		name := path.Clean(strings.ReplaceAll(asked, `\`, "/"))
		if slices.Contains(files, name) {
			return readSheet(fsys, source, name)
		}
		return nil, fmt.Errorf("%s: no such file, neither here nor in %s: name the CSV with the labels", asked, source)
	}
	name, err := onlyOne(source, files, "labels.csv")
	if err != nil {
		return nil, err
	}
	if name != "" {
		return readSheet(fsys, source, name)
	}
	var sheets []string
	for _, f := range files {
		if strings.EqualFold(path.Ext(f), ".csv") {
			sheets = append(sheets, f)
		}
	}
	if len(sheets) != 1 {
		return nil, fmt.Errorf("%s: no labels.csv, and %s: name the CSV with the labels", source, plural(len(sheets), "other CSV file"))
	}
	return readSheet(fsys, source, sheets[0])
}
