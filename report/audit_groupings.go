package report

import (
	"fmt"
	"strings"

	"tattle/audit"
	"tattle/internal/file"
)

// groupWords names a group of values: "Black", "<=19 or 20..26".
func groupWords(g audit.Grouping) string {
	names := make([]string, len(g.Values))
	for i, v := range g.Values {
		names[i] = file.Name(v)
	}
	if n := len(names); n > 2 {
		return names[0] + " to " + names[n-1]
	}
	return strings.Join(names, " or ")
}

// groupedBeyond lists the groupings of an attribute whose group the outputs are shown to reveal
// beyond the target, and those whose are not.
func groupedBeyond(f *audit.Finding) (shown, not []string) {
	for _, g := range f.Groupings {
		if g.Beyond {
			shown = append(shown, groupWords(g))
		} else {
			not = append(not, groupWords(g))
		}
	}
	return shown, not
}

// groupingSays says how the verdict on an attribute depends on the grouping of its values, "" if
// it does not or no grouping was tried.
func groupingSays(f *audit.Finding) string {
	shown, not := groupedBeyond(f)
	name := file.Name(f.Attribute)
	switch {
	case len(f.Groupings) == 0 || f.Verdict == audit.Inconclusive:
	case f.Verdict.ExceedsTarget() && len(not) > 0 && len(shown) > 0:
		return fmt.Sprintf("The finding on %s depends on how its values are grouped: it is shown for %s against the others, and not for %s.", name, and(shown), and(not))
	case f.Verdict.ExceedsTarget() && len(not) > 0:
		return fmt.Sprintf("The finding on %s depends on how its values are grouped: it is shown for its %d values, and for none of the %d groupings into two.", name, len(f.Classes), len(not))
	case !f.Verdict.ExceedsTarget() && len(shown) > 0:
		return fmt.Sprintf("The finding on %s depends on how its values are grouped: in two groups, the outputs reveal %s against the others beyond the target.", name, and(shown))
	}
	return ""
}

// regrouped returns a sentence for each attribute of which a grouping shows what the verdict does not.
func regrouped(a *audit.Result) []string {
	var said []string
	for i := range a.Findings {
		if f := &a.Findings[i]; !f.Verdict.ExceedsTarget() {
			said = append(said, groupingSays(f))
		}
	}
	return readable(said)
}

// groupingsTable has the groupings of an attribute in two groups.
func groupingsTable(f *audit.Finding) table {
	t := table{
		Name:  "Two groups of " + file.Name(f.Attribute),
		Says:  "The same audit of one group of values against the others. p: adjusted for the number of groupings.",
		Heads: []string{"group", "excess", "at least", "p", "beyond the target"},
	}
	for _, g := range f.Groupings {
		t.add(groupWords(g), change(g.Excess.Value, 1), change(below(g.Excess.Low, .001), 1), briefP(g.Adjusted), map[bool]string{true: "shown", false: "not shown"}[g.Beyond])
	}
	return t
}
