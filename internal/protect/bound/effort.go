package bound

import (
	"fmt"
	"slices"

	"tattle/internal/npy"
)

// effortName is an array beside those of the examples, where LSQR was used: its steps
// (the most of a system; for the published procedure of all solves together), the systems
// solved, and how many of these met a limit before they converged.
const effortName = "lsqr"

// effort is what LSQR took. It goes with the results, and is not of a process: a run that
// was shared or interrupted says the same of itself.
type effort struct{ steps, solves, stopped int }

// and is the effort of two shards.
func (e effort) and(o effort, search string) effort {
	steps := max(e.steps, o.steps)
	if search == Published {
		steps = e.steps + o.steps
	}
	return effort{steps, e.solves + o.solves, e.stopped + o.stopped}
}

func (e effort) array() []int64 { return []int64{int64(e.steps), int64(e.solves), int64(e.stopped)} }

// readEffort reads it, zero if there is none.
func readEffort(f *npy.File) (effort, error) {
	if !slices.Contains(f.Names(), effortName) {
		return effort{}, nil
	}
	x, _, err := f.Ints(effortName)
	if err != nil {
		return effort{}, err
	}
	if len(x) != 3 {
		return effort{}, fmt.Errorf("array %q has %d values, not 3", effortName, len(x))
	}
	return effort{x[0], x[1], x[2]}, nil
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
