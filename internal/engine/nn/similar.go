package nn

import (
	"slices"
	"strconv"
	"strings"
)

// suggestions is the number of names that similar returns.
const suggestions = 3

// similar returns the names of nodes and tensors that are most similar to a wrong one: those
// that contain it, and those with the fewest changed letters.
func (g *Graph) similar(name string) []string {
	type near struct {
		name     string
		distance int
	}
	var all []near
	seen := map[string]bool{}
	for _, n := range g.Nodes {
		for _, s := range []string{n.Name, n.Output} {
			if seen[s] {
				continue
			}
			seen[s] = true
			distance := 2 * editDistance(strings.ToLower(name), strings.ToLower(s))
			if name != "" && strings.Contains(strings.ToLower(s), strings.ToLower(name)) {
				distance = 1
			}
			all = append(all, near{s, distance})
		}
	}
	slices.SortStableFunc(all, func(a, b near) int { return a.distance - b.distance })
	var out []string
	for _, n := range all[:min(suggestions, len(all))] {
		out = append(out, strconv.Quote(n.name))
	}
	return out
}

// editDistance is Levenshtein's distance of the first hundred bytes.
func editDistance(a, b string) int {
	a, b = a[:min(len(a), 100)], b[:min(len(b), 100)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// similarWords continues an error with names, if there are any.
func similarWords(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "; similar names are " + strings.Join(names, ", ")
}
