package audit

import (
	"math"

	"tattle/classify"
	"tattle/curious"
)

// The forms of the outputs that attacks are fitted to, beside those of vectors. The last four are for codes, which
// are in a number's digits and not in its size.
const (
	formRaw    = "raw"    // scores; of probabilities their floored logarithms less the row's mean
	formSoft   = "soft"   // probabilities, which sum to 1; of scores their softmax
	formTop1   = "top1"   // the hard label one-hot, its probability and, where scores are released, its score
	formDigits = "digits" // decimal digits and their parities
	formBits   = "bits"   // last bits of the float32, signs, and how many digits a number has
	formValues = "values" // exact numbers, as they are released, and of rows
	formOrder  = "order"  // which outputs are larger than which others, of those below the largest, too
)

// formRow is a hash of the row, the only input of a coin.
const formRow = "row"

// probabilityFloor keeps logarithms finite: a softmax in float32 rounds what is
// smaller to nothing or nearly so.
const probabilityFloor = 1e-7

// attackName is a learner on a form of the outputs.
type attackName struct{ learner, form string }

// String returns "learner on form".
func (a attackName) String() string { return a.learner + " on " + a.form }

// formWidth returns how many numbers a row of the form has.
func formWidth(s *Sample, form string) int {
	w := s.RowWidth()
	switch form {
	case formRaw, formSoft, formUnit:
		return w
	case formSketch:
		return sketched
	case formDigits:
		return digitsWidth(w)
	case formBits:
		return bitsWidth(w)
	case formValues:
		return valuesWidth(w)
	case formOrder:
		return orderWidth(w)
	case formRow:
		return 1
	}
	if s.Kind == curious.Raw {
		return w + 2
	}
	return w + 1
}

// fillForm sets dst, [len(rows), formWidth], to the form of the outputs of rows.
func fillForm(dst []float32, s *Sample, form string, rows []int) {
	w, d := s.RowWidth(), formWidth(s, form)
	for i, r := range rows {
		to, from := dst[i*d:(i+1)*d], s.Outputs[r*w:(r+1)*w]
		switch form {
		case formRaw:
			rawRow(to, from, s.Kind)
		case formSketch:
			sketchRow(to, from)
		case formUnit:
			unitRow(to, from)
		case formSoft:
			softRow(to, from, s.Kind)
		case formDigits:
			digitsRow(to, from)
		case formBits:
			bitsRow(to, from, s.Kind)
		case formValues:
			valuesRow(to, from)
		case formOrder:
			orderRow(to, from)
		case formRow:
			to[0] = digest(from)
		default:
			topRow(to, from, s.Kind)
		}
	}
}

func rawRow(dst, o []float32, k curious.Outputs) {
	if k != curious.Soft {
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
		if total, ok := distribution(o); !ok {
			normalise(dst, total)
		}
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

// normalise divides a row by its sum, or makes it uniform if the sum is 0.
func normalise(row []float32, total float64) {
	for j := range row {
		if total > 0 {
			row[j] = float32(float64(row[j]) / total)
		} else {
			row[j] = 1 / float32(len(row))
		}
	}
}
