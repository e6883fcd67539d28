package dataset

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// openTable reads any CSV, or a folder with train.csv and, where they are there,
// test.csv and validation.csv. A column named split or partition that says train,
// validation or test of every row divides it. UCI Adult is a folder with adult.data and,
// where it is there, adult.test, or either of these files; a question mark is a category
// like any other.
func openTable(path, kind string, o Options) (*origin, error) {
	set, dir := presetsOf()[kind], path
	names := slices.Concat(set.Lists...)
	info, err := os.Stat(path)
	if folder := err == nil && info.IsDir(); !folder {
		dir = filepath.Dir(path)
		if kind != KindAdult {
			names = []string{filepath.Base(path)}
		}
	}
	if kind == KindAdult && firstFile(dir, names[0]) == "" {
		return nil, fmt.Errorf("%s: no %s: give the folder with UCI Adult's %s", dir, names[0], strings.Join(names, " and "))
	}
	l, parts := &labels{source: path}, []Split{Train, Test, Validation}
	var files []string
	for i, name := range names {
		if i > 0 && firstFile(dir, name) == "" {
			continue
		}
		t, err := readTable(filepath.Join(dir, name), set.Columns)
		if err == nil {
			err = l.addPart(t, parts[i])
		}
		if err != nil {
			return nil, err
		}
		files = append(files, t.list)
	}
	src, err := fromTables(l, files, o)
	if err == nil && kind == KindAdult {
		src.name = kind
		src.take(set)
		income := src.columns[len(set.Columns)-1].values
		for i, v := range income {
			income[i] = strings.TrimSuffix(v, ".") // adult.test has one
		}
	}
	return src, err
}

// fromTables returns the rows of a training table and of those of test and validation, which were read from files.
func fromTables(l *labels, files []string, o Options) (*origin, error) {
	if o.Preprocess.resizes() {
		return nil, fmt.Errorf("%s: a table has no pictures to resize or crop: leave resize and crop out", l.source)
	}
	src := &origin{labels: l, name: strings.TrimSuffix(baseName(l.source), filepath.Ext(l.source))}
	k, err := l.takeSplit()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(l.split, Test) && !slices.Contains(l.split, Validation) {
		l.split = nil
	}
	var hidden []int
	if k >= 0 {
		hidden = append(hidden, k)
	}
	if l.columns[0].name == "" {
		l.note("the first column has no name: it is not an input")
		hidden = append(hidden, 0)
	}
	asColumns := o.Columns != nil && o.Preprocess.IsZero()
	src.divides = !asColumns
	src.read = func(_ context.Context, rows, training []int, c *chosen) (set *Set, err error) {
		t := &tableReader{src, o, slices.Concat(hidden, c.hidden)}
		if asColumns {
			set, err = t.modelColumns(rows, c)
		} else {
			set, err = t.encoded(rows, training, c)
		}
		if err == nil {
			set.Source = files
		}
		return set, err
	}
	return src, nil
}

// addPart appends the rows of a part.
func (l *labels) addPart(t *labels, part Split) error {
	l.split = append(l.split, slices.Repeat([]Split{part}, t.rows())...)
	if l.columns == nil {
		l.list, l.columns = t.list, t.columns
		return nil
	}
	return l.join(t)
}

// takeSplit takes the division of the rows from the first column named split or partition that has one. It returns its
// place, −1 if there is none.
func (l *labels) takeSplit() (k int, err error) {
	for k, c := range l.columns {
		if name := folded(c.name); name == "split" || name == "partition" {
			if split, err := l.division(c); split != nil || err != nil {
				l.split = split
				return k, err
			}
		}
	}
	return -1, nil
}

// division returns the part of each row by a column; nil if it has neither the words train, validation or test, nor at least two
// of their numbers. That only some rows name a part is an error.
func (l *labels) division(c column) ([]Split, error) {
	split, numbers := make([]Split, len(c.values)), map[string]bool{}
	words, wrong := false, -1
	for i, v := range c.values {
		split[i] = splitNames[strings.ToLower(v)]
		switch {
		case split[i] == "" && wrong < 0:
			wrong = i
		case split[i] == "":
		case len(v) > 1:
			words = true
		default:
			numbers[v] = true
		}
	}
	switch {
	case !words && (wrong >= 0 || len(numbers) < 2):
		return nil, nil
	case wrong >= 0:
		return nil, malformed(l.source, "column %s, example %d: %q names no part: write train, validation or test into every row, or give the column another name if it means something else", c.name, wrong+1, c.values[wrong])
	}
	return split, nil
}
