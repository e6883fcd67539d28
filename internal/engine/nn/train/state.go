package train

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// A State is a training between two epochs. Together with the options and the data it determines
// all that follows, bit by bit.
type State struct {
	Steps     int      // that every trainer made; dropout draws its masks by their number
	Values    []Floats // of each trainer its parameters, running statistics and moments, then the parameters of the best epoch
	BestEpoch int      // of Best, as BestScore
	BestScore float64
}

// Floats are written by package gob as their bytes, little-endian.
type Floats []float32

// MarshalBinary implements encoding.BinaryMarshaler.
func (f Floats) MarshalBinary() ([]byte, error) {
	b := make([]byte, 0, 4*len(f))
	for _, v := range f {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b, nil
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler.
func (f *Floats) UnmarshalBinary(b []byte) error {
	*f = make(Floats, len(b)/4)
	for i := range *f {
		(*f)[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return nil
}

// StateOf copies the state of trainers by Adam after as many steps each, and of best unless that is nil.
func StateOf(steps int, best *Best, trainers ...*Trainer) State {
	s := State{Steps: steps}
	for _, v := range variables(best, trainers) {
		s.Values = append(s.Values, slices.Clone(v))
	}
	if best != nil {
		s.BestEpoch, s.BestScore = best.Epoch, best.Score
	}
	return s
}

// Resume puts best, unless that is nil, and the trainers into a state after some epochs, and has Run continue there. It
// returns an error if the state is that of another training.
func (l *Loop) Resume(s *State, epochs int, best *Best, trainers ...*Trainer) error {
	all := variables(best, trainers)
	switch {
	case epochs > l.Epochs || s.Steps != epochs*l.Steps():
		return fmt.Errorf("train: a state after %d epochs and %d steps, for a training of %d epochs of %d", epochs, s.Steps, l.Epochs, l.Steps())
	case best != nil && (s.BestEpoch < 1 || s.BestEpoch > epochs):
		return fmt.Errorf("train: a state after %d epochs says that the best one is epoch %d", epochs, s.BestEpoch)
	case len(s.Values) != len(all):
		return fmt.Errorf("train: a state with %d arrays, for a training with %d", len(s.Values), len(all))
	}
	for i, v := range all {
		if len(s.Values[i]) != len(v) {
			return fmt.Errorf("train: a state with %d values in array %d, for a training with %d", len(s.Values[i]), i+1, len(v))
		}
	}
	for i, v := range all {
		copy(v, s.Values[i])
	}
	for _, t := range trainers {
		for _, p := range t.state {
			p.Changed()
		}
		t.optimizer.(*Adam).steps = s.Steps
		t.Resume(s.Steps)
	}
	if best != nil {
		best.Epoch, best.Score = s.BestEpoch, s.BestScore
	}
	l.First, l.Done = epochs, s.Steps
	return nil
}

// variables lists, in place, what the steps of trainers change, and what best keeps.
func variables(best *Best, trainers []*Trainer) (all [][]float32) {
	for _, t := range trainers {
		for _, p := range t.state {
			all = append(all, p.Data)
		}
		for _, m := range t.optimizer.(*Adam).moments {
			all = append(all, m[0], m[1])
		}
	}
	if best == nil {
		return all
	}
	return append(all, best.room()...)
}

// Unfinished is a training by [Fit] or [FitReleased] between two epochs.
type Unfinished struct {
	State
	Epochs []Epoch
}

// resume continues from o.From, if there is one, and keeps the training by o.Keep.
func (t *training) resume(trainer *Trainer) error {
	if _, adam := trainer.optimizer.(*Adam); !adam && (t.From != nil || t.Keep != nil) {
		return errors.New("train: only a training by Adam can be continued")
	}
	t.trainer = trainer
	if t.From == nil {
		return nil
	}
	t.result = Result{slices.Clone(t.From.Epochs), t.From.Steps}
	return t.loop.Resume(&t.From.State, len(t.From.Epochs), nil, trainer)
}

// keep hands out the state of the training.
func (t *training) keep() error {
	if t.Keep == nil {
		return nil
	}
	return t.Keep(Unfinished{StateOf(t.loop.Done, nil, t.trainer), slices.Clone(t.result.Epochs)})
}
