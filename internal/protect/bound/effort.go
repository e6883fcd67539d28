package bound

import "fmt"

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
