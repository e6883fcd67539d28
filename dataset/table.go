package dataset

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Bounds of a table.
const (
	maxTable   = 1 << 30 // bytes of a CSV
	maxFields  = 1 << 27 // each takes 16 bytes besides its text
	maxColumns = 10000
)

// table is a CSV: named columns of text.
type table struct {
	source  string
	columns []column
}

// readTable reads a CSV file. names are its columns where it has no header.
func readTable(path string, names []string) (*table, error) {
	info, err := os.Stat(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: no such file: give a CSV, or a folder with %s", path, strings.Join(tableNames[:2], " and "))
		}
		return nil, err
	}
	if info.Size() > maxTable {
		return nil, malformed(path, "has %d bytes, more than the %d that are taken of a table: split it", info.Size(), maxTable)
	}
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return decodeTable(path, data, names)
}

// decodeTable reads a CSV's bytes: fields parted by commas, semicolons or tabs,
// whichever the first line has most of, and trimmed of white space. Where names is
// nil the first row is a header if it looks like one, and the columns are c1, c2
// and so on otherwise. Empty lines are passed over, and where names are given
// lines that begin with "|", which are UCI's comments.
func decodeTable(source string, data []byte, names []string) (*table, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	first, _, _ := bytes.Cut(data, []byte("\n"))
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma = separator(first)
	if names != nil {
		r.Comment = '|'
	}
	r.TrimLeadingSpace, r.ReuseRecord, r.FieldsPerRecord = true, true, -1
	t := &table{source: source}
	for {
		row, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, malformed(source, "not a table (%v): mend that line", err)
		}
		line, _ := r.FieldPos(0)
		if err := t.add(row, line); err != nil {
			return nil, err
		}
	}
	if len(t.columns) == 0 {
		return nil, malformed(source, "holds no rows: give a CSV with a row for every example")
	}
	if err := t.name(names); err != nil {
		return nil, err
	}
	if t.rows() == 0 {
		return nil, malformed(source, "holds a header and no rows: give a CSV with a row for every example")
	}
	return t, nil
}

// add appends one row.
func (t *table) add(row []string, line int) error {
	if t.columns == nil {
		if len(row) > maxColumns {
			return malformed(t.source, "has %d columns, more than the %d that are taken: leave some out", len(row), maxColumns)
		}
		t.columns = make([]column, len(row))
	}
	if len(row) != len(t.columns) {
		return malformed(t.source, "line %d has %d fields and the first row %d: mend that line", line, len(row), len(t.columns))
	}
	if t.rows() >= maxFields/len(row) {
		return malformed(t.source, "has more than %d fields: leave rows or columns out", maxFields)
	}
	for k, v := range row {
		t.columns[k].values = append(t.columns[k].values, strings.TrimSpace(v))
	}
	return nil
}

// name gives the columns their names.
func (t *table) name(names []string) error {
	switch {
	case names != nil && len(names) != len(t.columns):
		return malformed(t.source, "has %d columns, not the %d that it is known for: get the file again", len(t.columns), len(names))
	case names == nil && t.hasHeader():
		for k := range t.columns {
			c := &t.columns[k]
			c.name, c.values = c.values[0], c.values[1:]
		}
		return nil
	}
	for k := range t.columns {
		t.columns[k].name = "c" + strconv.Itoa(k+1)
		if names != nil {
			t.columns[k].name = names[k]
		}
	}
	return nil
}

// hasHeader reports whether the first row looks like a header: distinct names,
// none of which is a number, and not all of which come again below. The first may
// be empty, where some programs write the number of the row.
func (t *table) hasHeader() bool {
	seen := map[string]bool{}
	again := 0
	for k, c := range t.columns {
		first := c.values[0]
		if _, ok := number(first); ok || first == "" && (k > 0 || len(t.columns) == 1) || seen[folded(first)] {
			return false
		}
		seen[folded(first)] = true
		if slices.Contains(c.values[1:], first) {
			again++
		}
	}
	return again < len(t.columns)
}

func (t *table) rows() int { return len(t.columns[0].values) }

// tableNames are the files of a folder that is a table in parts.
var tableNames = [3]string{"train.csv", "test.csv", "validation.csv"}

// openTable reads any CSV, or a folder with train.csv and, where they are there,
// test.csv and validation.csv. A column named split or partition that says train,
// validation or test of every row divides it.
func openTable(path string) (*origin, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		t, err := readTable(path, nil)
		if err != nil {
			return nil, err
		}
		return fromTables(path, []*table{t})
	}
	var tables []*table
	for i, name := range tableNames {
		file := filepath.Join(path, name)
		if i > 0 && firstFile(path, name) == "" {
			tables = append(tables, nil)
			continue
		}
		t, err := readTable(file, nil)
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	return fromTables(path, tables)
}

// fromTables joins a training table and those of test and validation, which have
// the same columns; nil stands for none.
func fromTables(path string, tables []*table) (*origin, error) {
	parts := []Split{Train, Test, Validation}
	l := &labels{source: path, columns: tables[0].columns}
	var files []string
	for i, t := range tables {
		if t == nil {
			continue
		}
		if i > 0 {
			if err := l.join(tables[0], t); err != nil {
				return nil, err
			}
		}
		files = append(files, t.source)
		l.split = append(l.split, slices.Repeat([]Split{parts[i]}, t.rows())...)
	}
	name := strings.TrimSuffix(baseName(path), filepath.Ext(path))
	src := &origin{labels: l, name: name, close: func() {}}
	hidden := []int{}
	if k := l.splitColumn(); k >= 0 {
		hidden = append(hidden, k)
	}
	if l.columns[0].name == "" {
		l.notes = append(l.notes, "the first column has no name: it is not an input")
		hidden = append(hidden, 0)
	}
	src.inputs = func(_ context.Context, d *division, c *chosen) ([3]*Set, error) {
		return src.tableSets(d, c, hidden, files)
	}
	return src, nil
}

// join appends the rows of a table, whose columns must be those of the first.
func (l *labels) join(first, t *table) error {
	for k, c := range l.columns {
		if k >= len(t.columns) || len(t.columns) != len(l.columns) || t.columns[k].name != c.name {
			return malformed(t.source, "its columns are not those of %s: give both the same columns in the same order", first.source)
		}
		l.columns[k].values = append(c.values, t.columns[k].values...)
	}
	return nil
}

// splitColumn takes the division from a column named split or partition, where
// there is one that names parts only, and returns it, or −1.
func (l *labels) splitColumn() int {
	split := columnSplit(l.columns)
	if split == nil {
		return -1
	}
	l.split = split
	return slices.IndexFunc(l.columns, func(c column) bool {
		return strings.EqualFold(c.name, "split") || strings.EqualFold(c.name, "partition")
	})
}
