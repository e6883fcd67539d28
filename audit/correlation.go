package audit

// correlation tests hard label and chosen guess for independence of attribute a,
// not given y. Its adjusted p-values are filled by Conclude.
func correlation(s *Sample, a int, g *guesses, o Options) Correlation { panic("to be written") }

// permutation is the test of Permutation of a categorical attribute.
func permutation(s *Sample, a int, g *guesses, o Options) Permutation { panic("to be written") }
