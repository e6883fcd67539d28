package dataset

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

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
	l := &labels{source: path}
	var files []string
	for i, t := range tables {
		if t == nil {
			continue
		}
		files = append(files, t.source)
		l.split = append(l.split, slices.Repeat([]Split{parts[i]}, t.rows())...)
		if i > 0 {
			if err := tables[0].join(t); err != nil {
				return nil, err
			}
		}
	}
	l.columns = tables[0].columns
	name := strings.TrimSuffix(baseName(path), filepath.Ext(path))
	src := &origin{labels: l, name: name, close: func() {}}
	hidden := []int{}
	k, err := l.takeSplit()
	if err != nil {
		return nil, err
	}
	if k >= 0 {
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

// splitColumn returns the column that divides the rows, −1 if there is none.
func (l *labels) splitColumn() int {
	k := slices.IndexFunc(l.columns, func(c column) bool {
		return strings.EqualFold(c.name, "split") || strings.EqualFold(c.name, "partition")
	})
	if k < 0 {
		return -1
	}
	numbers, others := map[string]bool{}, false
	for _, v := range l.columns[k].values {
		switch part := splitNames[strings.ToLower(v)]; {
		case part == "":
			others = true
		case len(v) > 1:
			return k
		default:
			numbers[v] = true
		}
	}
	if others || len(numbers) < 2 {
		return -1
	}
	return k
}

// takeSplit takes the division of the rows from a column named split or partition. It returns an
// error if only some of its rows name a part. A column without the words train, validation or
// test, or at least two of their numbers, is no such column.
func (l *labels) takeSplit() (k int, err error) {
	if k = l.splitColumn(); k < 0 {
		return k, nil
	}
	c := l.columns[k]
	split := make([]Split, len(c.values))
	for i, v := range c.values {
		if split[i] = splitNames[strings.ToLower(v)]; split[i] == "" {
			return k, malformed(l.source, "column %s, example %d: %q names no part: write train, validation or test into every row, or give the column another name if it means something else", c.name, i+1, v)
		}
	}
	l.split = split
	return k, nil
}
