package audit

import (
	"fmt"
	"math"
	"slices"

	"tattle/internal/data/dataset"
	"tattle/internal/file"
	"tattle/internal/reveal/curious"
)

// answers are what a model gave for n examples, with the labels of the same examples.
type answers struct {
	outputs   []float32 // [n, width]
	width     int
	classes   []string           // of each column, or as the model names them; "" if they have no name
	kind      curious.Outputs    // "" if it is not known
	place     func(i int) string // says where an example is
	target    *Attribute         // nil for none
	ordered   bool               // the target's values are in the order of the outputs
	sensitive []Attribute
	group     *Attribute        // nil for none
	made      dataset.Sensitive // of these
}

// sample joins the answers with the labels.
func (a *answers) sample() (*Sample, error) {
	// The outputs are numbers, whatever they mean, until the examples are chosen.
	n, y := len(a.outputs)/a.width, a.target
	s := &Sample{Kind: Vector, Width: a.width, Outputs: a.outputs, Classes: []string{anyClass}, Y: make([]int, n), Sensitive: slices.Clone(a.sensitive), Group: a.group}
	switch {
	case y == nil:
		s.note("no target is audited with the vectors: attacks are compared with how often each value is")
	case y.Numeric():
		s.Target, s.YNumbers = y.Name, y.Numbers
	default:
		got := classed{names: y.Values, of: span(0, len(y.Values))}
		if a.kind != Vector {
			var err error
			if got, err = matchClasses(y, a.classes, a.width, a.ordered); err != nil {
				return nil, err
			}
		}
		if got.note != "" {
			s.note("%s", got.note)
		}
		s.Target, s.Classes = y.Name, slices.Clone(got.names)
		for i, l := range y.Labels {
			if s.Y[i] = l; l >= 0 {
				s.Y[i] = got.of[l]
			}
		}
	}
	kept, err := s.known()
	if err != nil {
		return nil, err
	}
	if len(kept) < n {
		s = s.Subset(kept)
	}
	if s.Sensitive, err = a.made.Make(s.Sensitive); err != nil {
		return nil, err
	}
	if s.YNumbers != nil {
		s.cut()
		s.note("%s is numeric: what it says of an attribute is learned from examples with similar numbers", file.Shown(s.Target))
	}
	if a.kind != Vector {
		err = s.settle(a.kind, func(i int) string { return a.place(kept[i]) })
	} else if y != nil && len(s.Classes) < 2 {
		err = fmt.Errorf("%s has a single value: name another target, or none", file.Shown(s.Target))
	}
	if err != nil {
		return nil, err
	}
	return s, s.writable()
}

func (s *Sample) note(format string, a ...any) {
	s.Notes = append(s.Notes, fmt.Sprintf(format, a...))
}

// known lists the examples that have the target and all attributes, and notes how many lack which.
func (s *Sample) known() (kept []int, err error) {
	kept = span(0, s.Len())
	all := append([]Attribute{{Name: s.Target, Labels: s.Y, Numbers: s.YNumbers}}, s.Sensitive...)
	if s.Group != nil {
		all = append(all, *s.Group)
	}
	for _, a := range all {
		n := len(kept)
		kept = slices.DeleteFunc(kept, func(i int) bool {
			return a.Labels != nil && a.Labels[i] < 0 || a.Numbers != nil && math.IsNaN(a.Numbers[i])
		})
		if len(kept) == 0 {
			return nil, fmt.Errorf("no example is left that has %s: fill it in, give a rule that its values meet, or name fewer columns", file.Shown(a.Name))
		}
		if len(kept) < n {
			s.note("%d of %d examples left out: they have no %s", n-len(kept), n, file.Shown(a.Name))
		}
	}
	return kept, nil
}

const (
	// maxDecimals is the most decimals that outputs are taken to be rounded to: one
	// float32 in twenty falls on a grid so fine by chance, and files have thousands.
	maxDecimals = 6
	// roundingSlack is what float32 adds to a probability's rounding.
	roundingSlack = 1e-7
	// widestGuess is the largest change by rounding of the sum of rows that are not known to
	// be probabilities; the sums of sigmoids of many labels differ by more.
	widestGuess = .25
)

// settle takes the numbers of a sample for outputs of classes: it makes two of single ones, and finds out whether they are
// soft: whether all rows are distributions, or are such up to rounding, which it notes. place says where an example is.
// stated is the kind that the user gives, "" for none. It returns an error if that is soft and a row is not a
// distribution, or if no kind is stated and only most rows are.
func (s *Sample) settle(stated curious.Outputs, place func(i int) string) error {
	if s.Width == 1 {
		stated = s.double(stated)
	}
	if s.Kind, s.Width = curious.Raw, 0; stated == curious.Raw {
		return nil
	}
	n, width, slack := s.Len(), len(s.Classes), sumSlack(s.Outputs, len(s.Classes))
	if stated == "" && slack > widestGuess {
		slack = sumTolerance
	}
	soft, bad, badSum, rounded := 0, -1, 0., false
	for i := range n {
		switch sum, ok := distribution(s.Outputs[i*width:][:width], slack); {
		case ok:
			soft++
			rounded = rounded || math.Abs(sum-1) > sumTolerance
		case bad < 0:
			bad, badSum = i, sum
		}
	}
	switch {
	case bad < 0:
		if s.Kind = curious.Soft; rounded {
			s.note("the probabilities are rounded to %d decimals: attacks on digits see them as they are, the others divided by their sum", decimals(s.Outputs))
		}
	case stated == curious.Soft || 2*soft > n: // the others are slips
		return fmt.Errorf("%s: the outputs are not probabilities (they sum to %.6g, or one is negative); those of %d of %d rows are: make all sum to 1 within %g, or set the kind of outputs to raw", place(bad), badSum, soft, n, sumTolerance)
	}
	return nil
}

// double makes two columns of outputs of one, a probability or a score, and returns their kind.
func (s *Sample) double(stated curious.Outputs) curious.Outputs {
	is, single := "the probability p of class %s: the outputs are 1 − p and p", s.Outputs
	score := slices.ContainsFunc(single, func(p float32) bool { return float64(p) < -negativeTolerance || float64(p) > 1+negativeTolerance })
	switch {
	case stated == curious.Raw || stated == "" && score:
		stated, is = curious.Raw, "a score z of class %s: the outputs are 0 and z"
	case zeroOne(single):
		is = "the hard label: 1 is class %s, 0 the other class"
	}
	s.note("one column of outputs is taken for "+is, file.Shown(s.Classes[1]))
	s.Outputs = make([]float32, 2*len(single))
	for i, v := range single {
		if s.Outputs[2*i+1] = v; stated != curious.Raw {
			s.Outputs[2*i] = 1 - v
		}
	}
	return stated
}

// decimals returns with how many decimals all outputs can be written, −1 for more
// than maxDecimals.
func decimals(outputs []float32) int {
	d, unit := 0, 1.
	for _, v := range outputs {
		for float32(math.RoundToEven(float64(v)*unit)/unit) != v {
			if d++; d > maxDecimals {
				return -1
			}
			unit *= 10
		}
	}
	return d
}

// sumSlack returns by how much the sum of a row of probabilities may differ from 1: each is half a unit of the last
// decimal from what it was before it was rounded.
func sumSlack(outputs []float32, width int) float64 {
	d := decimals(outputs)
	if d < 1 {
		return sumTolerance
	}
	return max(sumTolerance, float64(width)*(.5*math.Pow10(-d)+roundingSlack))
}
