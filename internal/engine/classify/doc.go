// Package classify learns to guess attributes of examples from what a model put out
// for them: the attacks of an audit, each blind to what the others do.
//
// A Learner fits all targets at once on the same rows, so that what the targets have in
// common (standardising, binning, distances) is done once; a Fitted guesses rows it has
// not seen. Targets are classes or numbers. Learners take what outputs look like in
// practice: few rows, constant and copied columns, rows that are copies of one another,
// values of any finite size, and classes without an example.
//
// Equal rows, targets and seeds give equal guesses, byte for byte, however many cores
// take part.
package classify
