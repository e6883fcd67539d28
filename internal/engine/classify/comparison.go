package classify

import (
	"fmt"

	"tattle/internal/math/stat"
)

// Comparison compares two guesses of the same examples, as of an attack and a baseline, by
// the examples that only one of them has right.
type Comparison struct {
	First, Second int // examples that only the first, or only the second, has right
	Examples      int
}

// Compare counts the examples that only one of two guesses has right.
func Compare(first, second, truth []int) Comparison {
	if len(first) != len(truth) || len(second) != len(truth) {
		panic(fmt.Sprintf("classify: %d and %d guesses of %d examples", len(first), len(second), len(truth)))
	}
	c := Comparison{Examples: len(truth)}
	for i, t := range truth {
		switch a, b := first[i] == t, second[i] == t; {
		case a && !b:
			c.First++
		case b && !a:
			c.Second++
		}
	}
	return c
}

// Difference returns the first guess's accuracy less the second's.
func (c Comparison) Difference() float64 { return float64(c.First-c.Second) / float64(c.Examples) }

// Interval returns the two-sided interval of the difference, by Tango's score method (T.
// Tango, Statistics in Medicine 17, 1998). Unlike Wald's interval it keeps its confidence
// where the guesses seldom differ, as an attack and its baseline do.
func (c Comparison) Interval(confidence float64) stat.Interval {
	return stat.PairedDifference(c.First, c.Second, c.Examples, confidence)
}

// P returns the one-sided p-value of "the difference is at most margin", where margin ≥ 0:
// the larger of two. Tango's score test is the one that Interval inverts, so that interval
// and test agree, and it allows for a margin. But it is normal in the limit, and refuses a
// true hypothesis too often where the guesses differ on a handful of examples. McNemar's
// exact test of "the difference is at most 0" is valid for any number of them; with a
// margin of a few examples or more it is always the smaller one.
func (c Comparison) P(margin float64) float64 {
	return max(stat.PairedTest(c.First, c.Second, c.Examples, margin), stat.McNemar(c.First, c.Second))
}
