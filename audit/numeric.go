package audit

// compareNumbers holds predictions of a numeric attribute against one baseline's by
// their paired squared errors, in units of variance.
func compareNumbers(name string, truth, value, base []float64, variance float64, o Options) Baseline {
	panic("to be written")
}

// permuteNumbers is the test of Permutation for a numeric attribute.
func permuteNumbers(s *Sample, a int, g *guesses, o Options) Permutation {
	panic("to be written")
}
