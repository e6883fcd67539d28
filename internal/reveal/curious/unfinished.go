package curious

import (
	"tattle/internal/engine/nn/train"
)

// An Unfinished keeps the parts of a training, such as its classifier, after each epoch. A training
// that was interrupted then continues as if it had not been.
type Unfinished interface {
	// Read fills in what is kept of a part, and reports whether there is anything.
	Read(part string, s any) (found bool, err error)
	// Write keeps a part.
	Write(part string, s any) error
}

// An UnfinishedError says why a training cannot be kept, or not be continued.
type UnfinishedError struct{ Err error }

// Error implements error.
func (e *UnfinishedError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *UnfinishedError) Unwrap() error { return e.Err }

// unfinishedPart is a part of a training between two epochs.
type unfinishedPart struct {
	train.State
	Epochs []Epoch
}

// keep keeps the training after an epoch.
func (t *training) keep() error {
	if t.Unfinished == nil {
		return nil
	}
	if err := t.Unfinished.Write(t.part, unfinishedPart{train.StateOf(t.loop.Done, t.best, t.trainers()...), t.result.Epochs}); err != nil {
		return &UnfinishedError{err}
	}
	return nil
}

// resume continues after the last epoch that was kept.
func (t *training) resume() error {
	if t.Unfinished == nil {
		return nil
	}
	var s unfinishedPart
	found, err := t.Unfinished.Read(t.part, &s)
	if found && err == nil {
		t.result.Epochs = s.Epochs
		err = t.loop.Resume(&s.State, len(s.Epochs), t.best, t.trainers()...)
	}
	if err != nil {
		return &UnfinishedError{err}
	}
	return nil
}

// trainers are those of F and of each G.
func (t *training) trainers() []*train.Trainer {
	all := []*train.Trainer{t.trainer}
	for _, a := range t.attacks {
		all = append(all, a.trainer)
	}
	return all
}
