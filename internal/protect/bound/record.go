package bound

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/file"
	"tattle/internal/npy"
	"tattle/internal/run"
)

// SizeName names a size in the arrays of a run: s200 for 1/200, else s and the
// size itself.
func SizeName(size float64) string {
	if inv := math.Round(1 / size); inv >= 1 && math.Abs(1/size-inv) < 1e-9*inv && inv < 1e9 {
		return "s" + strconv.FormatFloat(inv, 'f', -1, 64)
	}
	return "s" + strings.ReplaceAll(strconv.FormatFloat(size, 'g', -1, 64), ".", "p")
}

// record is what a run stores of some examples: index, input, witnesses and bounds of each
// example in the same row of every array.
type record struct {
	p, m  int
	first int // position of the first example in the run

	index, label []int64
	theta        []float32 // [examples, p]
	sets         []*Bounds // one for each size, then one for each further kind of bound

	cramerRao bool      // whether the following are recorded
	spectrum  []float64 // [examples, p], zeros after the rank
	figures   CramerRao // [examples, m]

	solves bool    // whether the search is by LSQR, and the following is recorded
	effort []int64 // [examples, 3]: see effort
}

// newRecord returns the record of no examples of a resolved experiment.
func (e Experiment) newRecord() *record {
	return &record{p: e.Coordinates.Inputs(), m: e.Coordinates.Len(), sets: e.witnessSets(), cramerRao: !e.SkipCramerRao,
		solves: e.Search.Search == Algorithm1 || e.Search.Search == Published}
}

func (e *record) columns() columns {
	cols := columns{
		{"index", nil, slice(&e.index)},
		{"label", nil, slice(&e.label)},
		{"theta", []int{e.p}, slice(&e.theta)},
	}
	if e.cramerRao {
		cols = append(cols,
			column{"singular_values", []int{e.p}, slice(&e.spectrum)},
			column{"cramer_rao_axis", []int{e.m}, slice(&e.figures.Axis)},
			column{"cramer_rao", []int{e.m}, slice(&e.figures.Full)},
			column{"seen", []int{e.m}, slice(&e.figures.Seen)})
	}
	if e.solves {
		cols = append(cols, column{"lsqr", []int{3}, slice(&e.effort)})
	}
	for _, s := range e.sets {
		cols = append(cols, s.columns(e.p, e.m)...)
	}
	return cols
}

// rows returns the record of examples lo to hi, whose arrays share memory with those of e.
func (e *record) rows(lo, hi int) *record {
	v := *e
	v.first = e.first + lo
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
// returns an error unless they have the shapes and types of e.
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
		if total < 0 {
			total = r.Len()
		}
		if shape := r.Shape(); !slices.Equal(shape, c.shape(total)) {
			return nil, 0, &MisfitError{path, c.name, fmt.Sprintf("shape %v", shape)}
		}
		if want := c.data.dtype(); "<"+r.Type() != want {
			return nil, 0, &MisfitError{path, c.name, fmt.Sprintf("elements of type %s, not %s", r.Type(), want[1:])}
		}
		rows[c.name] = r
	}
	return rows, total, nil
}

// read reads rows lo to hi of the arrays that want selects by name.
func (e *record) read(rows map[string]*npy.Rows, lo, hi int, want func(name string) bool) error {
	for _, c := range e.columns() {
		if !want(c.name) {
			continue
		}
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
	return z.Close()
}

// merge merges the shards into the arrays, puts their manifest beside, and removes them.
func (r *runner) merge(ctx context.Context) error {
	if err := r.options.Files.Remove(r.path(manifestFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove the manifest of older arrays: %w", err)
	}
	err := r.experiment.newRecord().merge(ctx, r.options.Files, r.path(ArraysFile), len(r.indices), r.folder)
	if err != nil && ctx.Err() != nil {
		return r.interrupted(ctx)
	}
	if err != nil {
		return err
	}
	if err := r.folder.KeepManifest(r.options.Files, r.options.Dir, ArraysFile); err != nil {
		return fmt.Errorf("keep the manifest of the shards: %w", err)
	}
	return r.folder.Discard()
}

// merge writes the records of the shards into one archive, in order. It removes each shard that it has copied, so that
// the disk does not hold all of them twice, and from the first one on does not end with ctx: what is removed would have to
// be computed again.
func (e *record) merge(ctx context.Context, files *file.Dir, path string, total int, f *run.Folder) error {
	return files.WriteAt(path, func(w io.WriterAt) error {
		z, err := npy.NewSideBySide(w, e.outlines(total))
		if err != nil {
			return err
		}
		for i := range f.Len() {
			if err := ctx.Err(); err != nil && i == 0 {
				return err
			}
			if err := e.appendShard(z, f.Path(i)); err != nil {
				return err
			}
			if err := f.Release(i); err != nil {
				return err
			}
		}
		return z.Close()
	})
}

// outlines describes the arrays of all examples together.
func (e *record) outlines(total int) (all []npy.Outline) {
	for _, c := range e.columns() {
		all = append(all, npy.Outline{Name: c.name, Shape: c.shape(total), Type: c.data.dtype()})
	}
	return all
}

// appendShard appends the arrays of one shard.
func (e *record) appendShard(z *npy.SideBySide, path string) error {
	f, rows, total, err := e.open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := e.read(rows, 0, total, func(string) bool { return true }); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, c := range e.columns() {
		if err := z.Part(c.name).Append(c.data.values()); err != nil {
			return err
		}
	}
	return nil
}
