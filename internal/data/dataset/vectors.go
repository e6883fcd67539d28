package dataset

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"tattle/internal/data/sheet"
	"tattle/internal/engine/nn"
	"tattle/internal/file"
	"tattle/internal/npy"
)

// vectorArrays are names of the array of vectors of an .npz, in the order in which they are looked for.
var vectorArrays = []string{"vectors", "embeddings", "embedding", "emb", "features", "x", "data"}

// largeFile is the number of values of a file whose memory is given back at once: 64 MB.
const largeFile = 1 << 24

// mostBytes is the size of the largest .npy: four million vectors of 128 float32.
const mostBytes = 2 << 30

// ordinal matches the name of one of several columns that are counted, such as e_12.
var ordinal = regexp.MustCompile(`^(.*?)_?[0-9]+$`)

// openVectors reads vectors as they are, and the other columns or arrays as labels of their rows. A .npy holds vectors only.
func openVectors(ctx context.Context, path string, o Options) (*origin, error) {
	if !o.Preprocess.IsZero() {
		return nil, fmt.Errorf("%s: vectors are taken as they are: leave the preprocessing out", path)
	}
	name := strings.TrimSuffix(filepath.Base(path), ".gz")
	l := &labels{source: path}
	src := &origin{labels: l, name: strings.TrimSuffix(name, filepath.Ext(name)), divides: true}
	values, width, err := l.readVectors(ctx, path, o.VectorColumns)
	if err != nil {
		return nil, err
	}
	src.close = func() { // another part may be read next, and the file is not to be in memory twice
		if values = nil; l.count*width > largeFile {
			debug.FreeOSMemory()
		}
	}
	if l.count = len(values) / width; l.count < 2 {
		return nil, fmt.Errorf("%s: holds a single vector: give two or more", path)
	}
	if _, err := l.takeSplit(); err != nil {
		return nil, err
	}
	src.divides = !slices.Contains(l.split, Test) && !slices.Contains(l.split, Validation)
	if k := slices.IndexFunc(l.columns, func(c column) bool { return SaysGroup(c.name) }); k >= 0 && o.Group == "" && isZip(path) {
		src.grouped = l.columns[k].name
	}
	src.read = func(_ context.Context, rows, _ []int, _ *chosen) (*Set, error) {
		return &Set{Shape: []int{width}, Values: rowsOf(values, width, rows), Source: []string{path}}, nil
	}
	return src, nil
}

// rowsOf returns some rows of values, in place if these are most and in order: it is the only reader of values.
func rowsOf(values []float32, width int, rows []int) []float32 {
	if 2*len(rows)*width < len(values) || !slices.IsSorted(rows) {
		return Pick(values, width, rows)
	}
	for k, i := range rows {
		copy(values[k*width:(k+1)*width], values[i*width:(i+1)*width])
	}
	return values[: len(rows)*width : len(rows)*width]
}

// readVectors reads the vectors [n, width] of a file, and its other columns.
func (l *labels) readVectors(ctx context.Context, path string, asked []string) (values []float32, width int, err error) {
	f, err := file.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, 0, &file.NotFoundError{Path: path, Give: "give an .npz, .npy or CSV of vectors"}
	}
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if first, _ := firstBytes(path, 6); string(first) == "\x93NUMPY" {
		if info.Size() > mostBytes {
			return nil, 0, malformed(path, "%.1f GB: vectors are held in memory, at most %d GiB of them: leave some out", float64(info.Size())/1e9, mostBytes>>30)
		}
		a, err := npy.ReadFile(path)
		if err != nil {
			return nil, 0, err
		}
		if len(a.Shape) != 2 || a.Shape[0]*a.Shape[1] == 0 {
			return nil, 0, fmt.Errorf("%s: an array of shape %s: give vectors [n, d]", path, nn.ShapeString(a.Shape))
		}
		if values, err = a.Float32s(); err != nil {
			return nil, 0, file.In(path, err)
		}
		if i := slices.IndexFunc(values, func(v float32) bool { return v-v != 0 }); i >= 0 {
			return nil, 0, fmt.Errorf("%s: row %d, column %d (from 0) is %v: give finite numbers", path, i/a.Shape[1], i%a.Shape[1], values[i])
		}
		return values, a.Shape[1], nil
	}
	c, err := sheet.Open(ctx, path, f, info.Size(), nil)
	if err != nil {
		return nil, 0, file.In(path, err)
	}
	group, err := vectorColumns(c, asked)
	if err != nil {
		return nil, 0, file.In(path, err)
	}
	first := c.Fields[group[0]]
	var others []int
	for k, of := range c.Fields {
		switch {
		case slices.Contains(group, k) || of.Shape != nil && len(of.Shape) != 1:
		case of.Shape != nil && of.Shape[0] != first.Shape[0] && SaysGroup(of.Name):
			return nil, 0, fmt.Errorf("%s: array %s has %d entries for %d vectors: give one for each, or leave the array out", path, file.Shown(of.Name), of.Shape[0], first.Shape[0])
		case of.Shape != nil && of.Shape[0] != first.Shape[0]:
			l.note("array %s left out: it has %d entries for %d vectors", file.Shown(of.Name), of.Shape[0], first.Shape[0])
		default:
			others = append(others, k)
		}
	}
	content, err := c.Read([][]int{group}, others)
	if err != nil {
		return nil, 0, file.In(path, err)
	}
	for i, k := range others {
		column, values := column{name: c.Fields[k].Name}, content.Labels[i].Values
		for j, v := range values {
			if v == "NaN" { // what floating-point numbers have for a missing value
				values[j] = ""
			}
		}
		for _, code := range content.Labels[i].Codes {
			column.values = append(column.values, values[code])
		}
		l.columns = append(l.columns, column)
	}
	return content.Numbers[0], len(group) * first.Width(), nil
}

// vectorColumns returns the columns that are asked for, or those whose names say so.
func vectorColumns(c *sheet.Columns, asked []string) (group []int, err error) {
	if len(asked) == 0 {
		return VectorColumns(c, func(int) bool { return true })
	}
	for _, text := range asked {
		found := c.Like(text)
		if len(found) == 0 {
			return nil, fmt.Errorf("has no %s %s: there are %s", c.Noun, file.Shown(text), file.ShownNames(c.Names()))
		}
		group = append(group, found...)
	}
	return checkVectors(c, group)
}

// VectorColumns returns, of the columns that are free, the array whose name says that it holds vectors, or the only one of two
// dimensions. Of a CSV, it returns the columns that are counted, if they begin alike.
func VectorColumns(c *sheet.Columns, free func(k int) bool) (group []int, err error) {
	var names []string
	for k, name := range c.Names() {
		if free(k) {
			names = append(names, name)
		}
	}
	if name := called(names, vectorArrays); name != "" && c.Fields[0].Shape != nil {
		return checkVectors(c, []int{slices.Index(c.Names(), name)})
	}
	stem := ""
	for k, f := range c.Fields {
		m := ordinal.FindStringSubmatch(f.Name)
		switch {
		case !free(k):
		case f.Shape != nil:
			if len(f.Shape) == 2 {
				group = append(group, k)
			}
		case m == nil:
		case len(group) > 0 && m[1] != stem:
			return nil, fmt.Errorf("has columns that begin with %q and others with %q: name those of the vectors with --columns", stem, m[1])
		default:
			stem, group = m[1], append(group, k)
		}
	}
	return checkVectors(c, group)
}

// checkVectors returns an error unless the columns, or the array, can be vectors.
func checkVectors(c *sheet.Columns, group []int) ([]int, error) {
	arrays := c.Fields[0].Shape != nil
	switch {
	case len(group) == 0:
		return nil, fmt.Errorf("nothing says where the vectors are: name their %s with --columns; there are %s", c.Noun, file.ShownNames(c.Names()))
	case arrays && len(group) > 1:
		return nil, fmt.Errorf("has several arrays that can be vectors: name one with --columns; there are %s", file.ShownNames(c.Names()))
	case len(slices.Compact(slices.Sorted(slices.Values(group)))) < len(group):
		return nil, errors.New("a column of the vectors is named twice")
	}
	if f := c.Fields[group[0]]; arrays && (len(f.Shape) != 2 || f.Shape[0] == 0 || f.Shape[1] == 0) {
		return nil, fmt.Errorf("array %s has the shape %v: vectors are one array [n, d]", file.Shown(f.Name), f.Shape)
	}
	return group, nil
}
