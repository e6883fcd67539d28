package dataset

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/data/sheet"
	"tattle/internal/file"
)

// Limits of a CSV.
const (
	maxTable  = 1 << 30  // bytes of a file
	maxLabels = 64 << 20 // bytes of a list of labels, which may lie in a small zip: CelebA's has 27 MB
	maxFields = 1 << 27  // each takes 16 bytes besides its text
)

// readTable reads a CSV file. names are its columns where it has no header.
func readTable(path string, names []string) (*labels, error) {
	data, err := readText(path, maxTable)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &file.NotFoundError{Path: path, Give: "give a CSV, or a folder with train.csv and test.csv"}
	}
	if err != nil {
		return nil, err
	}
	return decodeTable(path, data, names)
}

// readLabelTable reads a CSV of labels inside a folder or zip, whose first row is a header; source names that
// in errors.
func readLabelTable(fsys fs.FS, source, name string) (*labels, error) {
	data, err := readTextIn(fsys, source, name)
	if err != nil {
		return nil, err
	}
	return decodeTable(path.Join(source, name), data, nil)
}

// decodeTable decodes a CSV whose first row is a header, or that has no header and the given names. Lines that begin with
// "|" are then comments, as in UCI's files. Fields are trimmed of white space.
func decodeTable(source string, data []byte, names []string) (*labels, error) {
	comment := rune(0)
	if names != nil {
		comment = '|'
	}
	r, err := sheet.NewReader(bytes.NewReader(data), comment)
	if err != nil {
		return nil, malformed(source, "%v", err)
	}
	t := &labels{list: source}
	for {
		row, err := r.Read()
		switch {
		case err == io.EOF && t.columns == nil:
			return nil, malformed(source, "holds no rows: give a CSV with a row for every example")
		case err == io.EOF && t.lines == nil:
			return nil, malformed(source, "holds a header and no rows: give a CSV with a row for every example")
		case err == io.EOF:
			return t, nil
		case err != nil:
			return nil, malformed(source, "%v", err)
		case len(t.lines) >= maxFields/len(row):
			return nil, malformed(source, "has more than %d fields: leave rows or columns out", maxFields)
		}
		for k, v := range row {
			row[k] = strings.TrimSpace(v)
		}
		if t.columns == nil {
			header := names
			if names == nil {
				header, err = slices.Clone(row), checkHeader(row, r.Line(0))
			} else if len(names) != len(row) {
				err = fmt.Errorf("has %d columns, not the %d that it is known for: get the file again", len(row), len(names))
			}
			if err != nil {
				return nil, malformed(source, "%v", err)
			}
			for _, name := range header {
				t.columns = append(t.columns, column{name: name})
			}
			if names == nil {
				continue
			}
		}
		t.lines = append(t.lines, r.Line(0))
		for k, v := range row {
			t.columns[k].values = append(t.columns[k].values, v)
		}
	}
}

// readText reads a text file of at most limit bytes.
func readText(name string, limit int) ([]byte, error) {
	f, err := file.Open(name)
	if err != nil {
		return nil, err
	}
	return limitText(name, f, limit)
}

// readTextIn reads a text file of labels inside a folder or zip.
func readTextIn(fsys fs.FS, source, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot be read: %w", source, err)
	}
	return limitText(path.Join(source, name), f, maxLabels)
}

// limitText reads text of bounded size, and closes it.
func limitText(name string, r io.ReadCloser, limit int) ([]byte, error) {
	defer r.Close()
	text, err := file.ReadAtMost(r, int64(limit))
	if errors.Is(err, file.ErrTooLong) {
		return nil, malformed(name, "has more than %d MB, the most that is read: keep only the columns that are needed, or split it", limit>>20)
	}
	if err != nil {
		return nil, malformed(name, "cannot be read to its end (%v): get it again", err)
	}
	return text, nil
}

// checkHeader returns an error if a line is not a header. Every name must differ from the others, and only the first may be
// empty: some programs write the row's number there. Beside names, numbers that count the columns from 0 or 1 on are
// names too, as data frames write them.
func checkHeader(header []string, line int) error {
	var numbers []float64
	named, wrong := false, ""
	for k, name := range header {
		x, is := number(name)
		switch {
		case name == "" && k > 0:
			return fmt.Errorf("line %d: column %d has no name: write one into the header", line, k+1)
		case !is:
			named = named || name != ""
		default:
			numbers = append(numbers, x)
			if first := numbers[0]; first != 0 && first != 1 || x != first+float64(len(numbers)-1) {
				wrong = cmp.Or(wrong, name)
			}
		}
	}
	if len(numbers) > 0 && !named {
		wrong = cmp.Or(wrong, header[len(header)-1])
	}
	if wrong != "" {
		return fmt.Errorf("has no header: the first line holds the number %s; write the names of the columns above it", wrong)
	}
	return sheet.Repeated(header, line)
}

// place returns the first column called by one of the names, in any spelling of its letters; −1 if there is none.
func (t *labels) place(names ...string) int {
	for _, name := range names {
		if k := slices.IndexFunc(t.columns, func(c column) bool { return strings.EqualFold(c.name, name) }); k >= 0 {
			return k
		}
	}
	return -1
}

// join appends the rows of a table, whose columns must be those of t.
func (t *labels) join(u *labels) error {
	if !slices.EqualFunc(t.columns, u.columns, func(a, b column) bool { return a.name == b.name }) {
		return malformed(u.list, "its columns are not those of %s: give both the same columns in the same order", t.list)
	}
	for k, c := range u.columns {
		t.columns[k].values = append(t.columns[k].values, c.values...)
	}
	t.lines = append(t.lines, u.lines...)
	return nil
}

// readList reads the list that has one of the names, a CSV or as CelebA's home has it; nil if there is none.
func readList(fsys fs.FS, source string, files, bases []string) (*labels, error) {
	name, err := onlyOne(source, files, bases...)
	if err != nil || name == "" {
		return nil, err
	}
	if isCSV(name) {
		return readLabelTable(fsys, source, name)
	}
	text, err := readTextIn(fsys, source, name)
	if err != nil {
		return nil, err
	}
	return spacedList(path.Join(source, name), text)
}

// spacedList reads a list as CelebA's home page has it: fields separated by blanks,
// and, in the list of attributes, two lines before the rows, their number and the
// names of the attributes.
func spacedList(name string, text []byte) (*labels, error) {
	lines := bytes.Split(bytes.TrimRight(text, " \t\r\n"), []byte("\n"))
	for i, line := range lines {
		if bytes.Contains(line, []byte(`"`)) {
			return nil, malformed(name, "line %d: has a quotation mark: get the list again", i+1)
		}
		lines[i] = bytes.Join(bytes.Fields(line), []byte(","))
	}
	at := slices.IndexFunc(lines, func(line []byte) bool { return len(line) > 0 })
	if at < 0 {
		return nil, malformed(name, "has no rows: get the list again")
	}
	first := lines[at]
	if bytes.Contains(first, []byte(",")) {
		return decodeTable(name, bytes.Join(lines, []byte("\n")), []string{"image_id", "partition"})
	}
	claimed, err := strconv.Atoi(string(first))
	if err != nil || claimed < 0 || len(lines) < at+3 {
		return nil, malformed(name, "line %d: want the number of pictures, the names of the attributes on the next line, and then the rows: get the list again", at+1)
	}
	lines[at], lines[at+1] = nil, slices.Concat([]byte("image_id,"), lines[at+1]) // an empty line is skipped, and counted
	t, err := decodeTable(name, bytes.Join(lines, []byte("\n")), nil)
	if err == nil && t.rows() != claimed {
		t.note("list %s has %s, and its first line says %d: all %d are used", path.Base(name), plural(t.rows(), "row"), claimed, t.rows())
	}
	return t, err
}

// folded is a column's name as it is compared: case, blanks, underscores and
// dashes do not matter.
func folded(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", " ", "", "-", "").Replace(name))
}

// find returns the column of a name, as it is written or else folded.
func (l *labels) find(name string) (int, error) {
	if k := slices.IndexFunc(l.columns, func(c column) bool { return c.name == name }); k >= 0 && name != "" {
		return k, nil
	}
	for _, want := range []string{folded(name), aliases[folded(name)]} {
		for k, c := range l.columns {
			if want != "" && folded(c.name) == want {
				return k, nil
			}
		}
	}
	for _, c := range l.columns {
		rest, ok := strings.CutPrefix(folded(name), folded(c.name))
		if ok && c.name != "" && strings.ContainsAny(rest, "<>=,;*") {
			return 0, fmt.Errorf("no column %q: write a colon behind %q, and the classes behind it", name, c.name)
		}
	}
	return 0, fmt.Errorf("no column %q: it has %s", name, cmp.Or(file.ShownNames(l.names()), "none that has an entry for each example"))
}

// names lists the columns that have names.
func (l *labels) names() []string {
	var names []string
	for _, c := range l.columns {
		if c.name != "" {
			names = append(names, c.name)
		}
	}
	return names
}

// rows returns the number of examples.
func (l *labels) rows() int {
	if len(l.columns) == 0 {
		return max(len(l.files), l.count)
	}
	return len(l.columns[0].values)
}

// labels is what is known of the examples before any picture is decoded: one
// row an example.
type labels struct {
	source  string   // file or folder, for errors
	list    string   // the file that columns were read from, if there is one
	lines   []int    // of each row in it, from 1
	files   []string // names inside the file system; nil for tables
	columns []column // as text
	split   []Split  // "" if the source gives none for an example; nil if it gives none at all
	count   int      // of examples that have neither files nor columns
	notes
}

// notes are what a reader wants to know: files left out, and why.
type notes []string

func (n *notes) note(format string, args ...any) { *n = append(*n, fmt.Sprintf(format, args...)) }

// column is one attribute of every example, as the source writes it.
type column struct {
	name   string
	values []string
	listed []string // its classes in their order; nil if nobody says it
}

// aliases are B's names of CelebA's attributes where they differ, folded.
var aliases = map[string]string{
	"mouthopen":  "mouthslightlyopen",
	"highcheeks": "highcheekbones",
	"lipstick":   "wearinglipstick",
}
