package bound

import (
	"context"
	"fmt"
	"io"

	"tattle/internal/file"
	"tattle/internal/npy"
	"tattle/internal/run"
)

// layoutOf returns a record without examples with what the shards have in common: the longest
// spectrum, small types where all shards have them, and what LSQR took.
func (e Experiment) layoutOf(f *run.Folder) (*record, error) {
	layout := e.newRecord()
	layout.shrink()
	for i := range f.Len() {
		if err := layout.add(f.Path(i), e); err != nil {
			return nil, err
		}
	}
	return layout, nil
}

// add takes in what the record of a shard has of all of its examples together.
func (e *record) add(path string, x Experiment) error {
	shard := x.newRecord()
	f, _, _, err := shard.open(path)
	if err != nil {
		return err
	}
	f.Close()
	e.effort = e.effort.and(shard.effort, x.Search.Search)
	e.width = max(e.width, shard.width)
	e.small = e.small && shard.small
	for i, s := range shard.sets {
		e.sets[i].small, e.sets[i].half = e.sets[i].small && s.small, e.sets[i].half && s.half
	}
	return nil
}

// merge writes the records of the shards into one archive, in order. If free is set, it removes
// each shard that it has copied, and from the first one on does not end with ctx: what is
// removed would have to be computed again.
func (e *record) merge(ctx context.Context, files *file.Dir, path string, total int, f *run.Folder, free bool) error {
	return files.WriteAt(path, func(w io.WriterAt) error {
		z, err := npy.NewSideBySide(w, e.outlines(total))
		if err != nil {
			return err
		}
		for i := range f.Len() {
			if err := ctx.Err(); err != nil && !(free && i > 0) {
				return err
			}
			if err := e.appendShard(z, f.Path(i)); err != nil {
				return err
			}
			if !free {
				continue
			}
			if err := f.Release(i); err != nil {
				return err
			}
		}
		if e.effort.solves > 0 {
			if err := z.Part(effortName).Append(e.effort.array()); err != nil {
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
	if e.effort.solves > 0 {
		all = append(all, npy.Outline{Name: effortName, Shape: []int{3}, Type: "<i8"})
	}
	return all
}

// appendShard appends the arrays of one shard; spectra that are shorter than the longest are
// filled with zeros.
func (e *record) appendShard(z *npy.SideBySide, path string) error {
	f, err := npy.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, c := range e.columns() {
		a, err := f.Array(c.name)
		if err != nil {
			return err
		}
		if x, ok := a.Data.([]float64); ok && c.name == spectrumName && len(a.Shape) == 2 {
			a.Data = widened(x, a.Shape, e.width)
		}
		if err := c.data.take(a.Data); err != nil {
			return fmt.Errorf("%s: array %q: %w", path, c.name, err)
		}
		if err := z.Part(c.name).Append(c.data.values()); err != nil {
			return err
		}
	}
	return nil
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
