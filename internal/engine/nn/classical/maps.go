package classical

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// NewLookup returns the table that gives each key the value beside it, and all else the
// value absent. The first of equal keys counts; NaN is a key like any other.
func NewLookup(operator string, keys, values []float64, absent float64) *Lookup {
	l := &Lookup{Operator: operator, values: make(map[float64]float64, len(keys)), absent: absent, missing: absent}
	known := false
	for i, k := range keys {
		if k != k {
			if !known {
				l.missing, known = values[i], true
			}
			continue
		}
		if _, ok := l.values[k]; !ok {
			l.values[k] = values[i]
		}
	}
	return l
}

// Lookup replaces each number by that of a table. Text is looked up by its number.
type Lookup struct {
	Operator string // of ONNX
	values   map[float64]float64
	absent   float64 // of other keys
	missing  float64 // of NaN
}

// Kind returns the operator.
func (l *Lookup) Kind() string { return l.Operator }

// Width returns in.
func (l *Lookup) Width(in int) (int, error) { return in, nil }

// Row32 overwrites y with the values of the keys x.
func (l *Lookup) Row32(y, x []float32) {
	for i, k := range x {
		y[i] = float32(l.of(float64(k)))
	}
}

// Row64 is Row32 in float64.
func (l *Lookup) Row64(y, x []float64) {
	for i, k := range x {
		y[i] = l.of(k)
	}
}

func (l *Lookup) of(key float64) float64 {
	if key != key {
		return l.missing
	}
	if v, ok := l.values[key]; ok {
		return v
	}
	return l.absent
}

// Bound is 0 where the keys are exact.
func (l *Lookup) Bound(ey, _, _, ex []float64) { exactOnly(ey, ex) }

// exactOnly bounds functions of a table entry by entry.
func exactOnly(ey, ex []float64) {
	for i, e := range ex {
		ey[i] = 0
		if e != 0 {
			ey[i] = math.Inf(1)
		}
	}
}

// OneHot gives a number a row of as many entries as there are categories: 1 at its own, and
// 0 elsewhere.
type OneHot struct {
	size  int
	known bool // what is no category has entries of NaN
	index *Lookup
}

// NewOneHot returns the encoding by those categories. If known, all entries of what is no
// category are NaN.
func NewOneHot(categories []float64, known bool) *OneHot {
	places := make([]float64, len(categories))
	for i := range places {
		places[i] = float64(i)
	}
	return &OneHot{len(categories), known, NewLookup("OneHotEncoder", categories, places, -1)}
}

// Kind returns "OneHotEncoder".
func (*OneHot) Kind() string { return "OneHotEncoder" }

// Width returns the number of categories; it returns an error unless rows are one number.
func (o *OneHot) Width(in int) (int, error) {
	if in != 1 {
		return 0, fmt.Errorf("rows of %d, want 1", in)
	}
	return o.size, nil
}

// Row32 overwrites y with the row of x.
func (o *OneHot) Row32(y, x []float32) { oneHot(o, y, x) }

// Row64 is Row32 in float64.
func (o *OneHot) Row64(y, x []float64) { oneHot(o, y, x) }

func oneHot[T float32 | float64](o *OneHot, y, x []T) {
	clear(y)
	if i := int(o.index.of(float64(x[0]))); i >= 0 {
		y[i] = 1
	} else if o.known {
		for i := range y {
			y[i] = T(math.NaN())
		}
	}
}

// Bound is 0 where the number is exact.
func (o *OneHot) Bound(ey, _, _, ex []float64) {
	clear(ey)
	if ex[0] != 0 {
		fill(ey, math.Inf(1))
	}
}

// Imputer replaces one value, often NaN, by others.
type Imputer struct {
	Replaced float64
	By       []float64 // for each input of a row, or one for all
}

// Kind returns "Imputer".
func (*Imputer) Kind() string { return "Imputer" }

// Width returns in, or an error if there is another number of replacements.
func (m *Imputer) Width(in int) (int, error) {
	if len(m.By) != 1 && len(m.By) != in {
		return 0, fmt.Errorf("%d imputed values for rows of %d", len(m.By), in)
	}
	return in, nil
}

// Row32 overwrites y with x, with its replacements.
func (m *Imputer) Row32(y, x []float32) { impute(m, y, x) }

// Row64 is Row32 in float64.
func (m *Imputer) Row64(y, x []float64) { impute(m, y, x) }

func impute[T float32 | float64](m *Imputer, y, x []T) {
	for i, v := range x {
		y[i] = v
		if w := float64(v); w == m.Replaced || w != w && m.Replaced != m.Replaced {
			y[i] = T(m.By[min(i, len(m.By)-1)])
		}
	}
}

// Bound hands the errors of x on, unless they leave open whether it is replaced.
func (m *Imputer) Bound(ey, _, x, ex []float64) {
	for i, e := range ex {
		ey[i] = e
		switch {
		case e == 0:
		case x[i] != x[i] || math.Abs(x[i]-m.Replaced) <= e*(1+0x1p-50):
			ey[i] = math.Inf(1)
		}
	}
}

// Label chooses the label of a row of scores: that of the largest, the first of equal ones.
// A single score chooses the second of two labels where it is above the threshold.
type Label struct {
	Operator  string // of ONNX
	Labels    []float64
	Threshold float64
}

// Kind returns the operator.
func (l *Label) Kind() string { return l.Operator }

// Width returns 1, or an error if there are not as many labels as scores.
func (l *Label) Width(in int) (int, error) {
	if in != len(l.Labels) && (in != 1 || len(l.Labels) != 2) {
		return 0, errors.New("as many labels as scores are needed")
	}
	return 1, nil
}

// Row32 overwrites y with the label of the scores x.
func (l *Label) Row32(y, x []float32) { y[0] = float32(choose(l, x)) }

// Row64 is Row32 in float64.
func (l *Label) Row64(y, x []float64) { y[0] = choose(l, x) }

func choose[T float32 | float64](l *Label, x []T) float64 {
	best := 0
	if len(x) == 1 {
		if float64(x[0]) > l.Threshold {
			best = 1
		}
		return l.Labels[best]
	}
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return l.Labels[best]
}

// Bound is 0 where the scores are exact.
func (l *Label) Bound(ey, _, _, ex []float64) {
	ey[0] = 0
	if slices.ContainsFunc(ex, func(e float64) bool { return e != 0 }) {
		ey[0] = math.Inf(1)
	}
}
