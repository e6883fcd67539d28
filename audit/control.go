package audit

import "context"

// negative audits s with every attribute shuffled within y.
func negative(ctx context.Context, s *Sample, o Options) (Control, error) { panic("to be written") }
