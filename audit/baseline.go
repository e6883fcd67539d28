package audit

// baselineGuess is what one baseline, learned on the other folds, guesses of every
// example: classes, or numbers of a numeric attribute.
type baselineGuess struct {
	name  string
	guess []int
	value []float64
}

// baselineGuesses returns those of Majority, FromTarget and FromLabel of attribute
// a, cross-fitted on the folds.
func baselineGuesses(s *Sample, a int, fold []int, folds int) []baselineGuess {
	panic("to be written")
}

// compare holds a guess against one baseline's by Tango's score test.
func compare(name string, truth, guess, base []int, o Options) Baseline {
	panic("to be written")
}
