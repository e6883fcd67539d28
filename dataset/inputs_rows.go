package dataset

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// openRows reads the part of a table that is asked for. Where the preprocessing
// says what values become, its numbers are taken as they are, and by its mean and
// standard deviation; otherwise they are encoded as [OpenParts] does, by the
// training part.
func openRows(path, kind string, o InputOptions) (*inputs, error) {
	src, err := openTableKind(path, kind)
	if err != nil {
		return nil, err
	}
	if o.Preprocess.resizes() {
		return nil, fmt.Errorf("%s: a table has no pictures to resize or crop: leave resize and crop out", path)
	}
	in := &inputs{close: src.close}
	c, err := in.findTarget(src, o.Target, o.Numbers)
	if err != nil {
		return nil, err
	}
	target := len(c.columns)
	if err := in.findSensitive(src, o.Sensitive, o.Numbers, c); err != nil {
		return nil, err
	}
	in.notes = append(slices.Clone(src.labels.notes), in.notes...)
	if o.Columns != nil && o.Preprocess.IsZero() {
		return in, in.columnRows(path, src, c, target, o)
	}
	if o.Preprocess.Normalises() {
		return in, in.plainRows(path, src, c, o)
	}
	return in, in.encodedRows(path, src, c, o)
}

func openTableKind(path, kind string) (*origin, error) {
	if kind == KindAdult {
		return openAdult(path)
	}
	return openTable(path)
}

// encodedRows encodes the table as it is for training, and divides it alike.
func (in *inputs) encodedRows(path string, src *origin, c *chosen, o InputOptions) error {
	d := src.divide(o.Seed)
	if in.target != nil {
		d.leaveOut(c)
	}
	in.notes = append(in.notes, d.notes...)
	in.note("%s", Standardised(len(d.rows[trainPart])))
	part := slices.Index(partNames[:], o.Split)
	if err := d.has(path, part); err != nil {
		return err
	}
	if len(d.rows[trainPart]) == 0 {
		return fmt.Errorf("%s: the column split names no training rows, by which numbers are standardised: add some, or give the preprocessing mean=0 std=1, which leaves numbers as they are", path)
	}
	in.rows = d.rows[part]
	src.modelInputs = o.ModelInputs
	place := make(map[int]int, len(in.rows))
	for k, i := range in.rows {
		place[i] = k
	}
	in.read = func(ctx context.Context, rows []int) (*Set, error) {
		sets, err := src.inputs(ctx, d, c)
		if err != nil {
			return nil, err
		}
		in.notes = append(in.notes, src.notes...)
		at := make([]int, len(rows))
		for k, i := range rows {
			at[k] = place[i]
		}
		set := sets[part].Subset(at)
		set.Name = src.name
		return set, nil
	}
	return nil
}

// Standardised says what numbers of a table are divided by, and how to leave them as they are.
func Standardised(rows int) string {
	return fmt.Sprintf("numbers are standardised by the %d rows of the training part; the preprocessing mean=0 std=1 leaves them as they are", rows)
}

// plainRows takes the numbers of all columns but the target's and those that are
// no inputs.
func (in *inputs) plainRows(path string, src *origin, c *chosen, o InputOptions) error {
	l := src.labels
	d := src.divide(o.Seed)
	if in.target != nil {
		d.leaveOut(c)
	}
	in.notes = append(in.notes, d.notes...)
	part := slices.Index(partNames[:], o.Split)
	if err := d.has(path, part); err != nil {
		return err
	}
	in.rows = d.rows[part]
	hidden := slices.Clone(c.columns)
	if k := l.splitColumn(); k >= 0 {
		hidden = append(hidden, k)
	}
	var columns []column
	for k, col := range l.columns {
		if !slices.Contains(hidden, k) && col.name != "" {
			columns = append(columns, col)
		}
	}
	if len(columns) == 0 {
		return fmt.Errorf("%s: no column is left for the inputs: want one besides the target", path)
	}
	mean, std, err := o.Preprocess.ofValues(len(columns))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	in.read = func(_ context.Context, rows []int) (*Set, error) {
		set := &Set{Name: src.name, Shape: []int{len(columns)}, Source: []string{path}}
		set.Values = make([]float32, len(rows)*len(columns))
		for j, col := range columns {
			standard := func(x float64) float32 { return float32((x - mean[j]) / std[j]) }
			grid := plainColumn(col.values, standard)
			grid.Name, grid.Unit = col.name, std[j]
			set.Columns = append(set.Columns, grid)
			for k, i := range rows {
				x, err := strconv.ParseFloat(col.values[i], 64)
				if err != nil || math.Abs(x) > math.MaxFloat32 || math.IsNaN(x) {
					return nil, malformed(path, "row %d, column %s: %q is not a finite number: correct it, or leave the preprocessing out, so that categories and missing values are encoded", i+1, col.name, col.values[i])
				}
				set.Values[k*len(columns)+j] = standard(x)
			}
		}
		return set, nil
	}
	return nil
}

// ofValues gives each of n inputs that are numbers already its mean and standard
// deviation.
func (p Preprocess) ofValues(n int) (mean, std []float64, err error) {
	if p.Range != nil {
		return nil, nil, fmt.Errorf("range says what the bytes of pictures become, and these are numbers: give mean and std")
	}
	if mean, err = spread("mean", p.Mean, 0, n); err != nil {
		return nil, nil, err
	}
	std, err = spread("std", p.Std, 1, n)
	return mean, std, err
}
