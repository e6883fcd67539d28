package sheet

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
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
	read   func(numbers [][]int, labels []int) (*Content, error)
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

// Read reads groups of columns as numbers, and others as labels. Of an .npz, a group is one array.
func (c *Columns) Read(numbers [][]int, labels []int) (*Content, error) {
	return c.read(numbers, labels)
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
