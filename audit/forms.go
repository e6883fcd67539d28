package audit

import (
	"math"

	"tattle/classify"
	"tattle/curious"
)

// The forms of the outputs that attacks see.
const (
	FormRaw  = "raw"  // scores; of probabilities their floored logarithms less the row's mean
	FormSoft = "soft" // probabilities; of scores their softmax
	FormTop1 = "top1" // the hard label one-hot, its probability and, where scores are released, its score
)

// probabilityFloor keeps logarithms finite: a softmax in float32 rounds what is
// smaller to nothing or nearly so.
const probabilityFloor = 1e-7

// attackName is a learner on a form of the outputs.
type attackName struct{ learner, form string }

// String returns "learner on form".
func (a attackName) String() string { return a.learner + " on " + a.form }

// formWidth returns how many numbers a row of the form has.
func formWidth(s *Sample, form string) int {
	switch {
	case form != FormTop1:
		return len(s.Classes)
	case s.Kind == curious.Raw:
		return len(s.Classes) + 2
	}
	return len(s.Classes) + 1
}

// fillForm sets dst, [len(rows), formWidth], to the form of the outputs of rows.
func fillForm(dst []float32, s *Sample, form string, rows []int) {
	w, d := len(s.Classes), formWidth(s, form)
	for i, r := range rows {
		to, from := dst[i*d:(i+1)*d], s.Outputs[r*w:(r+1)*w]
		switch form {
		case FormRaw:
			rawRow(to, from, s.Kind)
		case FormSoft:
			softRow(to, from, s.Kind)
		default:
			topRow(to, from, s.Kind)
		}
	}
}

func rawRow(dst, o []float32, k curious.Outputs) {
	if k == curious.Raw {
		copy(dst, o)
		return
	}
	mean := 0.
	for _, p := range o {
		mean += math.Log(max(float64(p), probabilityFloor)) / float64(len(o))
	}
	for j, p := range o {
		dst[j] = float32(math.Log(max(float64(p), probabilityFloor)) - mean)
	}
}

func softRow(dst, o []float32, k curious.Outputs) {
	if k == curious.Soft {
		copy(dst, o)
		return
	}
	top, total := float64(o[classify.Best(o)]), 0.
	for _, z := range o {
		total += math.Exp(float64(z) - top)
	}
	for j, z := range o {
		dst[j] = float32(math.Exp(float64(z)-top) / total)
	}
}

func topRow(dst, o []float32, k curious.Outputs) {
	label := classify.Best(o)
	softRow(dst[:len(o)], o, k)
	p := dst[label]
	clear(dst)
	dst[label], dst[len(o)] = 1, p
	if k == curious.Raw {
		dst[len(o)+1] = o[label]
	}
}
