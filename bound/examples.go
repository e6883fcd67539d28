package bound

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"tattle/npy"
)

// SizeName names a size in the arrays of a run: s200 for 1/200, else s and the
// size itself.
func SizeName(size float64) string {
	if inv := math.Round(1 / size); inv >= 1 && math.Abs(1/size-inv) < 1e-9*inv && inv < 1e9 {
		return "s" + strconv.FormatFloat(inv, 'f', -1, 64)
	}
	return "s" + strings.ReplaceAll(strconv.FormatFloat(size, 'g', -1, 64), ".", "p")
}

const spectrumName = "singular_values"

// examples is what a run records of some examples, index, input, witnesses and
// bounds of each in the same row of every array.
type examples struct {
	p, m  int
	first int // position among all examples of the first one here

	index, label []int64
	theta        []float32    // [examples, p]
	blocks       []*certified // of each size, then of each rung

	// Cramér-Rao: nil where it was not asked for.
	rank             []int32
	spectrum         []float64 // [examples, width], zeros after the rank
	width            int
	axis, full, seen []float64 // [examples, m]

	estimated *spectra // nil where it was not asked for

	effort effort
}

// column is one array of the record.
type column struct {
	name  string
	dtype string
	row   []int // shape of one example's part
	data  any
}

func (e *examples) columns() []column {
	cols := []column{
		{"index", "<i8", nil, e.index},
		{"label", "<i8", nil, e.label},
		{"theta", "<f4", []int{e.p}, e.theta},
	}
	if e.rank != nil {
		cols = append(cols,
			column{"rank", "<i4", nil, e.rank},
			column{spectrumName, "<f8", []int{e.width}, e.spectrum},
			column{"cramer_rao_axis", "<f8", []int{e.m}, e.axis},
			column{"cramer_rao", "<f8", []int{e.m}, e.full},
			column{"seen", "<f8", []int{e.m}, e.seen})
	}
	if e.estimated != nil {
		cols = append(cols, e.estimated.columns()...)
	}
	for _, s := range e.blocks {
		cols = append(cols, s.columns(e.p, e.m)...)
	}
	return cols
}

func (c column) shape(examples int) []int { return append([]int{examples}, c.row...) }

// open opens the arrays of a file for reading by rows, one for each example. It
// errs where they do not have the shapes of e, a record without examples; the
// width of the spectra is free.
func (e *examples) open(f *npy.File, path string) (rows map[string]*npy.Rows, total int, err error) {
	rows, total = map[string]*npy.Rows{}, -1
	for _, c := range e.columns() {
		r, err := f.Rows(c.name)
		if err != nil {
			return nil, 0, err
		}
		if shape := r.Shape(); len(shape) != 1+len(c.row) || !c.fits(shape[1:]) || total >= 0 && shape[0] != total {
			return nil, 0, &MisfitError{path, c.name, fmt.Sprintf("shape %v", shape)}
		}
		if r.Type() != c.dtype[1:] {
			return nil, 0, &MisfitError{path, c.name, fmt.Sprintf("elements of type %s, not %s", r.Type(), c.dtype[1:])}
		}
		rows[c.name], total = r, r.Len()
	}
	return rows, total, nil
}

// fits tells whether one example's part of an array has that shape.
func (c column) fits(shape []int) bool {
	return c.name == spectrumName || slices.Equal(shape, c.row)
}

// write writes the record as an .npz archive.
func (e *examples) write(w io.Writer) error {
	z := npy.NewWriter(w)
	for _, c := range e.columns() {
		if err := z.Add(c.name, c.shape(len(e.index)), c.data); err != nil {
			return err
		}
	}
	return e.close(z)
}

// close ends an archive with what LSQR took.
func (e *examples) close(z *npy.Writer) error {
	if e.effort.solves > 0 {
		if err := z.Add(effortName, []int{3}, e.effort.array()); err != nil {
			return err
		}
	}
	return z.Close()
}

// add takes into a record without examples what the record in a file has of all of its
// examples together: the length of its spectra, and what LSQR took.
func (e *examples) add(path, search string) error {
	f, err := npy.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	took, err := readEffort(f)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	e.effort = e.effort.and(took, search)
	if e.rank == nil {
		return nil
	}
	rows, err := f.Rows(spectrumName)
	if err == nil {
		e.width = max(e.width, rows.Shape()[1])
	}
	return err
}

// merge writes one archive of the records in the archives of paths, in order.
// e, to which they were added, gives the layout; its width of spectra is the longest,
// and shorter ones are filled with zeros.
func (e *examples) merge(ctx context.Context, w io.Writer, total int, paths []string) error {
	z := npy.NewWriter(w)
	for _, c := range e.columns() {
		part, err := z.Create(c.name, c.shape(total), c.dtype)
		if err != nil {
			return err
		}
		for _, path := range paths {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := e.appendColumn(part, path, c.name); err != nil {
				return err
			}
		}
	}
	return e.close(z)
}

// appendColumn appends an array of one archive.
func (e *examples) appendColumn(part *npy.Part, path, name string) error {
	f, err := npy.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	a, err := f.Array(name)
	if err != nil {
		return err
	}
	if x, ok := a.Data.([]float64); ok && name == spectrumName && len(a.Shape) == 2 {
		a.Data = widened(x, a.Shape, e.width)
	}
	return part.Append(a.Data)
}

// widened pads rows with zeros.
func widened(x []float64, shape []int, width int) []float64 {
	if shape[1] == width {
		return x
	}
	out := make([]float64, shape[0]*width)
	for i := range shape[0] {
		copy(out[i*width:(i+1)*width], x[i*shape[1]:(i+1)*shape[1]])
	}
	return out
}

// grow makes room for n examples in all arrays but the spectrum.
func (e *examples) grow(n int, cramerRao bool) {
	e.index, e.label, e.theta = make([]int64, n), make([]int64, n), make([]float32, n*e.p)
	if cramerRao {
		e.rank = make([]int32, n)
		e.axis, e.full, e.seen = make([]float64, n*e.m), make([]float64, n*e.m), make([]float64, n*e.m)
	}
	if e.estimated != nil {
		e.estimated.grow(n)
	}
	for _, s := range e.blocks {
		s.grow(n, e.p, e.m)
	}
}
