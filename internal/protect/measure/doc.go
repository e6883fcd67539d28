// Package measure measures one release of a model on data: what it costs in accuracy, the
// bounds on every reconstruction (package bound) and what attacks reach (package attack).
//
//	Release ──► Split ──► Request.SetUtility
//	                              ├──► bound.Run
//	                              └──► Adversaries.Run ──► Attacks
package measure

import "fmt"

// An OptionError reports an option that cannot be used, and why.
type OptionError struct {
	Option string // the field's name
	Err    error
	Hint   string // what to do about it; may be empty
}

// Error implements error; the field is not part of it.
func (e *OptionError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *OptionError) Unwrap() error { return e.Err }

// An InputError reports an input that cannot be read, by the option that names it.
type InputError struct{ OptionError }

// WrongOption returns an OptionError.
func WrongOption(option, format string, a ...any) error {
	return &OptionError{Option: option, Err: fmt.Errorf(format, a...)}
}
