package sheet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/file"
	"tattle/internal/npy"
)

// Bounds of a file of columns.
const (
	maxNumbers  = 1 << 28  // numbers: 1 GiB of float32
	maxDistinct = 1 << 21  // values of all labels: each needs about 100 bytes
	maxArrays   = 4 << 30  // bytes of the unpacked arrays of an .npz
	maxPacked   = 100      // largest ratio of unpacked bytes to bytes of the file
	maxGzip     = 25       // the same of a packed CSV, whose digits shrink to a half or a fifth
	freeBytes   = 32 << 20 // allowed in addition to either ratio; deflate packs up to 1032 times
	maxArchive  = 10_000   // arrays

	// MaxName is the most bytes of a label of a CSV.
	MaxName = 4096
)

// Columns are the columns of a file that have an entry for each example: those of a CSV, packed by gzip
// or not, or the arrays of an .npz.
type Columns struct {
	Fields []Field
	Noun   string // "column", or "array" of an .npz

	// Read reads groups of columns as numbers, and others as labels. Of an .npz, a group is one array.
	Read func(numbers [][]int, labels []int) (*Content, error)
}

// Field is a column of a CSV, or an array, as its header describes it.
type Field struct {
	Name  string
	Shape []int // of an array; nil of a column
}

// Width returns the columns of an array: 0 if it has other than one or two dimensions.
func (f *Field) Width() int {
	switch {
	case len(f.Shape) == 2:
		return f.Shape[1]
	case f.Shape == nil || len(f.Shape) == 1:
		return 1
	}
	return 0
}

// Content is what columns hold.
type Content struct {
	Numbers [][]float32 // of each group of columns, [n, columns]
	Finer   bool        // one of the numbers has more digits than a float32
	Labels  []*Labels
	Place   func(i int) string // of example i, for errors
}

// Labels are a column of text; each distinct value is kept once.
type Labels struct {
	Values []string // distinct, in the order in which they come
	Codes  []int32  // of each example, the place in Values
	seen   map[string]int32
}

// add appends one value; text is copied if it is new.
func (l *Labels) add(text string, copied func(string) string) {
	code, ok := l.seen[text]
	if !ok {
		text, code = copied(text), int32(len(l.Values))
		l.Values = append(l.Values, text)
		l.seen[text] = code
	}
	l.Codes = append(l.Codes, code)
}

// Open reads the header of the size bytes of a file called name, which is an .npz, a CSV or a packed CSV by its first
// bytes. progress, unless nil, is called with the bytes of a CSV that are read, now and then and at the end.
func Open(ctx context.Context, name string, file io.ReaderAt, size int64, progress func(done, total int64)) (*Columns, error) {
	magic := make([]byte, 2)
	if n, err := file.ReadAt(magic, 0); n > 0 && err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if string(magic) == "PK" {
		return openArchive(ctx, name, file, size)
	}
	return openText(ctx, &text{file: file, size: size, packed: string(magic) == gzipMagic, progress: progress})
}

// Names returns the names of the columns.
func (c *Columns) Names() []string {
	names := make([]string, len(c.Fields))
	for k, f := range c.Fields {
		names[k] = f.Name
	}
	return names
}

// Like returns the columns of a name or, if there is none, those that match a pattern with one * or begin with the text.
func (c *Columns) Like(text string) (found []int) {
	if k := slices.Index(c.Names(), text); k >= 0 {
		return []int{k}
	}
	before, after, _ := strings.Cut(text, "*")
	for k, f := range c.Fields {
		if rest, begins := strings.CutPrefix(f.Name, before); begins && strings.HasSuffix(rest, after) {
			found = append(found, k)
		}
	}
	return found
}

// archive is an open .npz.
type archive struct {
	ctx  context.Context
	file *npy.File
	room float64 // bytes that arrays may still take
}

// openArchive lists the arrays of an .npz of size bytes.
func openArchive(ctx context.Context, name string, from io.ReaderAt, size int64) (*Columns, error) {
	f, err := npy.NewFile(name, from, size)
	if err != nil {
		return nil, err
	}
	a := &archive{ctx: ctx, file: f, room: min(maxArrays, freeBytes+maxPacked*float64(size))}
	c := &Columns{Noun: "array"}
	names := f.Names()
	if len(names) == 0 || len(names) > maxArchive {
		return nil, fmt.Errorf("has %d arrays: want 1 to %d, saved with numpy.savez; take a CSV out of an archive, and save a workbook as CSV", len(names), maxArchive)
	}
	for _, name := range names {
		shape, _, err := f.Size(name)
		if err != nil {
			return nil, err
		}
		c.Fields = append(c.Fields, Field{name, append([]int{}, shape...)}) // of a single number not nil, either
	}
	c.Read = func(numbers [][]int, labels []int) (*Content, error) { return a.read(c.Fields, numbers, labels) }
	return c, nil
}

// array reads an array of a bounded size.
func (a *archive) array(name string) (npy.Array, error) {
	if err := a.ctx.Err(); err != nil {
		return npy.Array{}, err
	}
	shape, bytes, err := a.file.Size(name)
	if err != nil {
		return npy.Array{}, err
	}
	entries := 1.
	for _, n := range shape {
		entries *= float64(n)
	}
	if entries > maxNumbers {
		return npy.Array{}, fmt.Errorf("array %s has more than %d entries: leave examples out", file.Shown(name), maxNumbers)
	}
	if a.room -= bytes; a.room < 0 {
		return npy.Array{}, fmt.Errorf("array %s and those before it unpack to more than %d MiB, or %d times the file: leave arrays out, or save them with numpy.savez", file.Shown(name), maxArrays>>20, maxPacked)
	}
	return a.file.Array(name)
}

// read reads arrays of numbers, and of labels.
func (a *archive) read(fields []Field, numbers [][]int, labels []int) (*Content, error) {
	c := &Content{Place: func(i int) string { return fmt.Sprintf("row %d (from 0)", i) }}
	total, distinct := 0, 0
	for _, group := range numbers {
		f := fields[group[0]]
		array, err := a.array(f.Name)
		if err != nil {
			return nil, err
		}
		if _, text := array.Data.([]string); text {
			return nil, fmt.Errorf("array %s holds text: save the outputs as numbers", file.Shown(f.Name))
		}
		x, err := array.Float32s()
		if err != nil {
			return nil, fmt.Errorf("array %s: %w: scale the outputs", file.Shown(f.Name), err)
		}
		if i := slices.IndexFunc(x, func(v float32) bool { return v-v != 0 }); i >= 0 {
			return nil, fmt.Errorf("array %s, row %d, column %d (from 0): the value is %v: want a finite one; correct it, or leave the row out", file.Shown(f.Name), i/f.Width(), i%f.Width(), x[i])
		}
		wide, ok := array.Data.([]float64)
		c.Finer = c.Finer || ok && slices.ContainsFunc(wide, finer)
		if total += len(x); total > maxNumbers {
			return nil, fmt.Errorf("has more than %d outputs: leave examples out", maxNumbers)
		}
		c.Numbers = append(c.Numbers, x)
	}
	for _, k := range labels {
		l, err := a.labels(fields[k].Name, maxDistinct-distinct)
		if err != nil {
			return nil, err
		}
		distinct += len(l.Values)
		c.Labels = append(c.Labels, l)
	}
	return c, nil
}

// labels reads a label for each example. Numbers become their shortest decimals, and bools become 0 and 1. It returns
// an error if there are more than most different labels.
func (a *archive) labels(name string, most int) (*Labels, error) {
	array, err := a.array(name)
	if err != nil {
		return nil, err
	}
	var n int
	var text func(i int) string
	switch x := array.Data.(type) {
	case []string:
		n, text = len(x), func(i int) string { return strings.TrimSpace(x[i]) }
	case []float32:
		n, text = len(x), func(i int) string { return strconv.FormatFloat(float64(x[i]), 'g', -1, 32) }
	case []float64:
		n, text = len(x), func(i int) string { return strconv.FormatFloat(x[i], 'g', -1, 64) }
	case []uint64:
		n, text = len(x), func(i int) string { return strconv.FormatUint(x[i], 10) }
	default:
		x64, err := array.Ints()
		if err != nil {
			return nil, fmt.Errorf("array %s holds neither text nor numbers", file.Shown(name))
		}
		n, text = len(x64), func(i int) string { return strconv.Itoa(x64[i]) }
	}
	l := &Labels{seen: map[string]int32{}}
	for i := range n {
		if l.add(text(i), func(t string) string { return t }); len(l.Values) > most {
			return nil, fmt.Errorf("array %s and those before it have more than %d different labels: round numbers, or leave it out", file.Shown(name), maxDistinct)
		}
	}
	return l, nil
}
