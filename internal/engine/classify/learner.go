package classify

import (
	"context"
	"fmt"
	"math"
	"strings"
)

// Target is what is guessed of each row: one of Classes classes or, where Labels is nil,
// a number.
type Target struct {
	Labels  []int
	Classes int
	Values  []float64
}

// Width returns how many scores a guess of the target has: Classes, or 1 for numbers.
func (t Target) Width() int {
	if t.Labels == nil {
		return 1
	}
	return t.Classes
}

// Learner is a way to learn targets from rows of numbers.
type Learner interface {
	// Name returns the name that ByName knows.
	Name() string
	// Suits reports whether the learner can learn such a target.
	Suits(t Target) bool
	// Fit learns every target from the same rows. It returns an error if there are no rows, and when ctx ends. It also
	// returns one if the learner does not suit a target, or if a label is not a class of its target. Numbers, of the table or
	// of a target, must be finite and within float32's range. Fit panics if a length does not fit.
	Fit(ctx context.Context, rows Rows, targets []Target, seed uint64) (Fitted, error)
}

// Fitted guesses the targets of a Learner's Fit.
type Fitted interface {
	// Predict overwrites dst[t], of each target t, with n rows of scores, [n, classes],
	// whose largest, the first of equal ones, is the guess; or with n numbers. A nil
	// dst[t] is left out. The rows are of the table of Fit or of another one as wide. Predict returns an error when
	// ctx ends and panics if a length does not fit. Several goroutines may call it.
	Predict(ctx context.Context, dst [][]float32, rows Rows) error
}

// Learners returns one of each learner with its default settings.
func Learners() []Learner {
	return []Learner{Network{}, Threshold{}, Logistic{}, Trees{}, Lookup{}}
}

// ByName returns the learner of that name with its default settings.
func ByName(name string) (Learner, error) {
	var names []string
	for _, l := range Learners() {
		if l.Name() == name {
			return l, nil
		}
		names = append(names, l.Name())
	}
	return nil, fmt.Errorf("no attack is called %q: there are %s", name, strings.Join(names, ", "))
}

// absent is the score of a class that no row had: finite, and below every score that a
// learner gives.
const absent = -1e30

// shape is what a Fitted was fitted to.
type shape struct {
	d      int   // numbers of a row
	widths []int // of the targets
}

// check panics and errs as Learner.Fit promises, and returns the shape.
func check(l Learner, rows Rows, targets []Target) (s shape, err error) {
	if rows.Len() == 0 {
		return s, fmt.Errorf("%s: no rows are given to learn from", l.Name())
	}
	if err := rows.wrong(); err != nil {
		return s, fmt.Errorf("%s: %w", l.Name(), err)
	}
	for k, t := range targets {
		if err := t.check(rows.Len()); err != nil {
			return s, fmt.Errorf("%s: target %d: %w", l.Name(), k, err)
		}
		if !l.Suits(t) {
			return s, fmt.Errorf("%s does not suit target %d: choose another attack", l.Name(), k)
		}
		s.widths = append(s.widths, t.Width())
	}
	s.d = rows.d
	return s, nil
}

func (t Target) check(n int) error {
	if t.Labels == nil {
		return t.checkValues(n)
	}
	if len(t.Labels) != n {
		panic(fmt.Sprintf("classify: %d labels for %d rows", len(t.Labels), n))
	}
	for i, l := range t.Labels {
		if l < 0 || l >= t.Classes {
			return fmt.Errorf("row %d has label %d, but the classes are 0 to %d", i, l, t.Classes-1)
		}
	}
	return nil
}

func (t Target) checkValues(n int) error {
	if len(t.Values) != n {
		panic(fmt.Sprintf("classify: %d values for %d rows", len(t.Values), n))
	}
	for i, v := range t.Values {
		if !(math.Abs(v) <= math.MaxFloat32) {
			return fmt.Errorf("the value of row %d is %v, not a finite number of float32's range", i, v)
		}
	}
	return nil
}

// check panics as Fitted.Predict promises, and returns the number of rows.
func (s shape) check(dst [][]float32, rows Rows) int {
	if rows.d != s.d || len(dst) != len(s.widths) {
		panic(fmt.Sprintf("classify: rows of %d numbers, not of %d, or %d results of %d targets", rows.d, s.d, len(dst), len(s.widths)))
	}
	n := rows.Len()
	for t, w := range s.widths {
		if dst[t] != nil && len(dst[t]) != n*w {
			panic(fmt.Sprintf("classify: room for %d scores of target %d, of %d rows of %d", len(dst[t]), t, n, w))
		}
	}
	return n
}
