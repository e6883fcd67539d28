package bound

import (
	"fmt"
	"slices"
	"strings"

	"tattle/internal/npy"
	"tattle/internal/run"
)

// Result is what a run found, without its witnesses, which stay in the arrays.
type Result struct {
	Experiment Experiment // resolved: every default filled in
	Warnings   []string   // what the search could not do
	Damaged    string     // what a resumed run found damaged and computed again; the rest is not affected
	Path       string     // of the arrays; empty for the result of Certify
	SHA256     string     // of that file
	Indices    []int      // of the examples in their data set
	Kinds      []*Bounds  // by near witnesses, one for each of Experiment.Sizes, then by those of each further kind
	CramerRao  *CramerRao
	Rank       []int       // of each example's Jacobian; nil if left out
	Spectra    [][]float64 // its singular values, descending
	Summaries  []Summary

	effort effort
}

// Load reads the arrays of a run of a resolved experiment, and summarises them.
func Load(path string, e Experiment) (*Result, error) {
	rec := e.newRecord()
	f, rows, total, err := rec.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	witnesses := func(name string) bool {
		return name == "theta" || strings.HasSuffix(name, "_eps") || strings.HasSuffix(name, "_solve")
	}
	if err = rec.read(rows, 0, total, func(name string) bool { return !witnesses(name) }); err == nil {
		err = rec.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r := e.result(rec)
	r.Path = path
	r.SHA256, err = run.Digest(path)
	return r, err
}

// check returns an error if a number is none.
func (e *record) check() error {
	for _, c := range e.columns() {
		if i := c.data.nan(); i >= 0 {
			return fmt.Errorf("array %q: value %d is not a number", c.name, i)
		}
	}
	return nil
}

// result summarises what is recorded.
func (e Experiment) result(rec *record) *Result {
	r := &Result{Experiment: e, Indices: ints(rec.index), Kinds: rec.sets, effort: rec.effortOf(e.Search.Search)}
	for _, b := range r.Kinds {
		if b.Tried = len(r.Indices); b.Search == SearchTwins {
			b.Tried = min(b.Tried, e.Twins.Examples)
		}
	}
	if rec.cramerRao {
		r.CramerRao = &rec.figures
		for s := range slices.Chunk(rec.spectrum, rec.p) {
			rank := above(s, 0)
			r.Rank, r.Spectra = append(r.Rank, rank), append(r.Spectra, s[:rank])
		}
	}
	r.Summaries = e.summaries(r)
	return r
}

// Near returns the bounds by near witnesses, one for each size.
func (r *Result) Near() []*Bounds { return r.Kinds[:len(r.Experiment.Sizes)] }

// Kind returns the bounds by witnesses of a search, SearchFar and so on; nil if they were left out.
func (r *Result) Kind(search string) *Bounds { return kindOf(r.Kinds, search) }

func kindOf(kinds []*Bounds, search string) *Bounds {
	if i := slices.IndexFunc(kinds, func(b *Bounds) bool { return b.Search == search }); i >= 0 {
		return kinds[i]
	}
	return nil
}

func ints(x []int64) []int {
	out := make([]int, len(x))
	for i, v := range x {
		out[i] = int(v)
	}
	return out
}

// Witnesses returns the witnesses ε of the i-th example that gave the bounds b of r,
// [b.Witnesses, p]. The twins of an example are the farthest that was found and the one
// nearest to another image; a witness that was not found is zero.
func (r *Result) Witnesses(b *Bounds, i int) ([]float64, error) {
	if i < 0 || i >= len(r.Indices) {
		return nil, fmt.Errorf("%s: example %d of %d in array %q", r.Path, i, len(r.Indices), b.name+"_eps")
	}
	if r.Path == "" {
		return b.of(i, r.Experiment.Coordinates.Inputs()), nil
	}
	f, err := npy.Open(r.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := f.Rows(b.name + "_eps")
	if err != nil {
		return nil, err
	}
	a, err := rows.Read(i, i+1)
	if err != nil {
		return nil, err
	}
	return a.Float64s()
}

// effort is what LSQR took: its steps (the most of a system; for the published procedure of all solves together), the
// systems solved, and how many of these met a limit before they converged. It is recorded of each example; the published
// procedure records that of a stack with the first one.
type effort struct{ steps, solves, stopped int }

// effortOf returns the effort of a whole run.
func (e *record) effortOf(search string) (sum effort) {
	for i := 0; i < len(e.effort); i += 3 {
		steps := int(e.effort[i])
		if search == Published {
			steps += sum.steps
		}
		sum = effort{max(sum.steps, steps), sum.solves + int(e.effort[i+1]), sum.stopped + int(e.effort[i+2])}
	}
	return sum
}

// notes says how the search went, and warns of what it could not do.
func (e effort) notes(search string) (note string, warnings []string) {
	switch {
	case e.solves == 0:
	case search == Published:
		note = fmt.Sprintf("LSQR took %d steps a solve", e.steps/e.solves)
	default:
		note = fmt.Sprintf("LSQR took at most %d steps", e.steps)
		if e.stopped > 0 {
			warnings = append(warnings, fmt.Sprintf("LSQR did not converge for %d of %d systems: the bounds hold, but better witnesses may be missed", e.stopped, e.solves))
		}
	}
	return note, warnings
}
