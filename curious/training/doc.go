// Package training keeps trainings of classifiers in folders, one for each seed: the
// models, and result.json, which is written last. Train computes those that are missing
// as a stage of a run; OpenTeacher opens one again, to distill or prune its classifier. A Recipe
// is the honest training of paper A. All of them make their reports.
package training

// An OptionError reports an option that cannot be used, and why.
type OptionError struct {
	Option string // its name
	Err    error
}

// The options of an OptionError.
const (
	OptionSensitive = "sensitive" // the sensitive attributes
	OptionWidths    = "widths"    // of the net's layers
	optionTraining  = "training"  // others of the training
	OptionRun       = "run"       // the folder of a training
	OptionData      = "data"      // the data that a training was of
)

// Error implements error; the option is not part of it.
func (e *OptionError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *OptionError) Unwrap() error { return e.Err }
