package classify

import "slices"

// The names of the baselines: three guesses of a sensitive attribute s that need no outputs
// but the label that is answered.
const (
	Majority   = "majority"    // the most frequent s
	FromTarget = "from_target" // the most frequent s of the true y
	FromLabel  = "from_label"  // the most frequent s of the label answered
)

// MostFrequent returns, for each of a number of groups, the label that most of its examples
// have, the lowest of equally frequent ones. A group without examples has the most frequent
// label of all examples. It is what can be guessed of an attribute from the group alone:
// the baseline of an attack.
func MostFrequent(group, label []int, groups, classes int) []int {
	counts := make([]int, groups*classes)
	all := make([]int, classes)
	for i, g := range group {
		counts[g*classes+label[i]]++
		all[label[i]]++
	}
	table := make([]int, groups)
	for g := range table {
		if row := counts[g*classes:][:classes]; slices.Max(row) > 0 {
			table[g] = largest(row)
		} else {
			table[g] = largest(all)
		}
	}
	return table
}

// largest returns the index of the largest count, the first of equal ones.
func largest(counts []int) int { return slices.Index(counts, slices.Max(counts)) }

// LookUp returns table[g] of each example's group g, nil without a table.
func LookUp[T any](table []T, group []int) []T {
	if table == nil {
		return nil
	}
	out := make([]T, len(group))
	for i, g := range group {
		out[i] = table[g]
	}
	return out
}
