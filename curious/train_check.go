package curious

import "tattle/dataset"

// Check says what keeps Train from training on p with these options, if anything
// does, and the mend.
func (o Options) Check(p *dataset.Parts) error { return nil }
