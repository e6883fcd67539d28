package audit

// entropyShift compares s with the references in o, if there are any.
func entropyShift(s *Sample, o Options) *EntropyShift { panic("to be written") }
