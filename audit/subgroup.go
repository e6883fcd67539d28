package audit

// subgroups compares guess and base within the classes of y, of s and of the other
// categorical attributes.
func subgroups(s *Sample, a int, guess, base []int, o Options) Subgroups { panic("to be written") }
