package nn

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// suggestions is the number of names that similar lists.
const suggestions = 3

// similar continues an error about a wrong name with the names of nodes and tensors that contain
// it or else start most like it, whatever the case of letters, the shorter ones first.
func (g *Graph) similar(name string) string {
	var names []string
	for _, n := range g.Nodes {
		names = append(names, n.Name, n.Output)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) == 0 {
		return ""
	}
	alike := func(s string) (letters int) {
		a, b := strings.ToLower(name), strings.ToLower(s)
		if a != "" && strings.Contains(b, a) {
			return len(a) + 1
		}
		for letters < min(len(a), len(b)) && a[letters] == b[letters] {
			letters++
		}
		return letters
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Or(alike(b)-alike(a), len(a)-len(b)) })
	names = names[:min(suggestions, len(names))]
	for i, s := range names {
		names[i] = strconv.Quote(s)
	}
	return "; similar names are " + strings.Join(names, ", ")
}
