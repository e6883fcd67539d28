package bound

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/npy"
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

// record is what a run stores of some examples: index, input, witnesses and bounds of each
// example in the same row of every array.
type record struct {
	p, m  int
	first int // position of the first example in the run

	index, label []int64
	theta        []float32 // [examples, p]
	sets         []*Bounds // one for each size, then one for each further kind of bound

	cramerRao bool // whether the following are recorded
	rank      []int32
	spectrum  []float64 // [examples, width], zeros after the rank
	width     int
	figures   CramerRao // [examples, m]
	small     bool      // these are stored in float32

	effort effort
}

// newRecord returns the record of no examples of a resolved experiment.
func (e Experiment) newRecord() *record {
	return &record{p: e.Coordinates.Inputs(), m: e.Coordinates.Len(), sets: e.witnessSets(), cramerRao: !e.SkipCramerRao}
}

func (e *record) columns() columns {
	cols := columns{
		{"index", nil, slice(&e.index)},
		{"label", nil, slice(&e.label)},
		{"theta", []int{e.p}, slice(&e.theta)},
	}
	if e.cramerRao {
		cols = append(cols,
			column{"rank", nil, slice(&e.rank)},
			column{spectrumName, []int{e.width}, slice(&e.spectrum)},
			column{"cramer_rao_axis", []int{e.m}, figures(&e.figures.Axis, &e.small, towardZero32)},
			column{"cramer_rao", []int{e.m}, figures(&e.figures.Full, &e.small, towardZero32)},
			column{"seen", []int{e.m}, figures(&e.figures.Seen, &e.small, fromZero32)})
	}
	for _, s := range e.sets {
		cols = append(cols, s.columns(e.p, e.m)...)
	}
	return cols
}

// rows returns the record of examples lo to hi, whose arrays share memory with those of e;
// the spectrum is left out.
func (e *record) rows(lo, hi int) *record {
	v := *e
	v.first, v.width, v.spectrum = e.first+lo, 0, nil
	v.sets = make([]*Bounds, len(e.sets))
	for i, s := range e.sets {
		own := *s
		v.sets[i] = &own
	}
	v.columns().keep(lo, hi)
	return &v
}

// set returns what was found by a search, or nil if there is nothing.
func (e *record) set(search string) *Bounds { return kindOf(e.sets, search) }

// open opens a file, and its arrays for reading by rows, one row for each example. It
// returns an error unless they have the shapes and types of e; the width of the spectra is
// free.
func (e *record) open(path string) (f *npy.File, rows map[string]*npy.Rows, total int, err error) {
	if f, err = npy.Open(path); err != nil {
		return nil, nil, 0, err
	}
	if rows, total, err = e.from(f, path); err != nil {
		f.Close()
	}
	return f, rows, total, err
}

func (e *record) from(f *npy.File, path string) (rows map[string]*npy.Rows, total int, err error) {
	rows, total = map[string]*npy.Rows{}, -1
	for _, c := range e.columns() {
		r, err := f.Rows(c.name)
		if err != nil {
			return nil, 0, err
		}
		if shape := r.Shape(); len(shape) != 1+len(c.row) || c.name != spectrumName && !slices.Equal(shape[1:], c.row) || total >= 0 && shape[0] != total {
			return nil, 0, &MisfitError{path, c.name, fmt.Sprintf("shape %v", shape)}
		}
		if want := c.data.dtype()[1:]; !c.data.accept("<" + r.Type()) {
			return nil, 0, &MisfitError{path, c.name, fmt.Sprintf("elements of type %s, not %s", r.Type(), want)}
		}
		rows[c.name], total = r, r.Len()
	}
	if r := rows[spectrumName]; r != nil {
		e.width = r.Shape()[1]
	}
	if e.effort, err = readEffort(f); err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return rows, total, err
}

// read reads rows lo to hi of the arrays that want selects by name.
func (e *record) read(rows map[string]*npy.Rows, lo, hi int, want func(name string) bool) error {
	for _, c := range e.columns() {
		if !want(c.name) {
			continue
		}
		c.data.accept("<" + rows[c.name].Type())
		a, err := rows[c.name].Read(lo, hi)
		if err == nil {
			err = c.data.take(a.Data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// write writes the record as an .npz archive.
func (e *record) write(w io.Writer) error {
	z := npy.NewWriter(w)
	for _, c := range e.columns() {
		if err := z.Add(c.name, c.shape(len(e.index)), c.data.values()); err != nil {
			return err
		}
	}
	if e.effort.solves > 0 {
		if err := z.Add(effortName, []int{3}, e.effort.array()); err != nil {
			return err
		}
	}
	return z.Close()
}
