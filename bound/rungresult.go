package bound

import (
	"fmt"

	"tattle/npy"
)

// RungResult holds the bounds of one rung.
type RungResult struct {
	Witnesses  int       // of an example
	Tried      int       // examples whose witnesses were sought: the first ones
	Std        []float64 // [examples, m]: lower bounds on standard deviations, +Inf for unbounded
	MeanSquare []float64 // [examples]: A eq. (6), or the sum over an orthonormal basis
	Winner     []int16   // [examples, m]: the witness that gave it, −1 for none, −2 for all together
	ZNorm      []float64 // [examples, Witnesses]: ‖a(θ+ε) − a(θ)‖ as computed
	Allowance  []float64 // [examples, Witnesses]: for its rounding
}

// readRungs reads what there is of rungs.
func (r *Result) readRungs(f *npy.File, e Experiment) error {
	n, m := len(r.Indices), e.Coordinates.Len()
	for _, s := range e.blocks()[len(e.Sizes):] {
		rung := &RungResult{Witnesses: s.each, Tried: n}
		for _, a := range []struct {
			name  string
			width int
			to    *[]float64
		}{{"std", m, &rung.Std}, {"mean_square", 1, &rung.MeanSquare}, {"z_norm", s.each, &rung.ZNorm}, {"allowance", s.each, &rung.Allowance}} {
			var err error
			if *a.to, err = floats(f, r.Path, s.name+"_"+a.name, n, a.width); err != nil {
				return err
			}
		}
		a, err := f.Array(s.name + "_winner")
		if err != nil {
			return err
		}
		if w, ok := a.Data.([]int16); ok && len(w) == n*m {
			rung.Winner = w
		} else {
			return fmt.Errorf("%s: array %q has shape %v of %T, expected int16, %d for each of %d examples", r.Path, s.name+"_winner", a.Shape, a.Data, m, n)
		}
		switch s.name {
		case farName:
			r.Far = rung
		case barankinName:
			r.Barankin = rung
		case twinName:
			r.Twins, rung.Tried = rung, min(n, e.Twins.Examples)
		}
	}
	return nil
}

// TwinWitnesses returns ε of the twins of the i-th example, [2, p]: of the farthest
// found and of the one nearest to another image. Where none was found it is zero.
func (r *Result) TwinWitnesses(i int) ([]float64, error) {
	return readRow[float64](r.Path, twinName+"_eps", i)
}

func readRow[T any](path, name string, i int) ([]T, error) {
	f, err := npy.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := f.Rows(name)
	if err != nil {
		return nil, err
	}
	if i < 0 || i >= rows.Len() {
		return nil, fmt.Errorf("%s: example %d of %d in array %q", path, i, rows.Len(), name)
	}
	return read[T](rows, i, i+1)
}
