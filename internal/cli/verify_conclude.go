package cli

import (
	"fmt"
	"strings"

	"tattle/report"
)

// listed is how many discrepancies are printed one by one.
const listed = 10

// conclude prints what was found, and what was not checked.
func (v *recomputed) conclude(e *env, found []string, left []report.Unchecked) error {
	if err := wrong(e, found); err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "verified: %s\nnot checked:\n", v.verified)
	said := map[string]bool{}
	for _, u := range left {
		if line := fmt.Sprintf("  %s (%s)\n", u.Name, u.Why); !said[line] {
			said[line] = true
			b.WriteString(line)
		}
	}
	_, err := fmt.Fprint(e.stdout, b.String())
	return err
}

// wrong prints the discrepancies, if there are any, and errs.
func wrong(e *env, found []string) error {
	for _, line := range found[:min(listed, len(found))] {
		fmt.Fprintln(e.stdout, line)
	}
	switch n := len(found); {
	case n > listed:
		return finding(fmt.Errorf("%d figures do not hold (the first %d are listed)", n, listed), "")
	case n > 1:
		return finding(fmt.Errorf("%d figures do not hold", n), "")
	case n == 1:
		return finding(fmt.Errorf("1 figure does not hold"), "")
	}
	return nil
}
