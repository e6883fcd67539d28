package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"

	"tattle/curious"
)

// Sample is what an audit is given: the outputs of a classifier on n examples, and
// the labels of the same examples.
type Sample struct {
	Name      string
	Outputs   []float32       // [n, len(Classes)]
	Kind      curious.Outputs // Raw or Soft
	Y         []int           // true y, 0 … len(Classes)−1
	Target    string          // name of y
	Classes   []string        // names of the classes of y, one for each column of Outputs
	Sensitive []Attribute
	Notes     []string // what reading it changed or left out
}

// Attribute is a sensitive attribute of all examples: Labels of the classes that
// Values names, or Numbers alone where it is numeric.
type Attribute struct {
	Name    string
	Values  []string
	Labels  []int
	Numbers []float64
}

// Numeric tells whether the attribute consists of numbers.
func (a *Attribute) Numeric() bool { return a.Numbers != nil }

// Len returns the number of examples.
func (s *Sample) Len() int { return len(s.Y) }

// hard returns the hard labels: the largest output of each row, the first of equal
// ones.
func (s *Sample) hard() []int {
	w := len(s.Classes)
	label := make([]int, s.Len())
	for i := range label {
		label[i] = argmax(s.Outputs[i*w : (i+1)*w])
	}
	return label
}

// argmax returns the place of the largest entry, the first of equal ones.
func argmax(x []float32) int {
	best := 0
	for j, v := range x {
		if v > x[best] {
			best = j
		}
	}
	return best
}

// Subset returns the sample of the given examples, in their order; names are
// shared with s.
func (s *Sample) Subset(rows []int) *Sample {
	t := *s
	w := len(s.Classes)
	t.Outputs = make([]float32, 0, len(rows)*w)
	for _, i := range rows {
		t.Outputs = append(t.Outputs, s.Outputs[i*w:(i+1)*w]...)
	}
	t.Y = pick(s.Y, rows)
	t.Sensitive = make([]Attribute, len(s.Sensitive))
	for i, a := range s.Sensitive {
		a.Labels, a.Numbers = pick(a.Labels, rows), pick(a.Numbers, rows)
		t.Sensitive[i] = a
	}
	return &t
}

// pick returns the entries of x at rows, nil where x is nil.
func pick[T any](x []T, rows []int) []T {
	if x == nil {
		return nil
	}
	dst := make([]T, len(rows))
	for i, r := range rows {
		dst[i] = x[r]
	}
	return dst
}

// Sum returns the SHA-256 of all that an audit depends on, in hexadecimal: the
// outputs, what they are, the labels and the attributes with their names.
func (s *Sample) Sum() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %d\n", s.Kind, s.Target, s.Classes, s.Len())
	sum(h, s.Outputs, func(v float32) uint64 { return uint64(math.Float32bits(v)) })
	sum(h, s.Y, func(v int) uint64 { return uint64(v) })
	for _, a := range s.Sensitive {
		fmt.Fprintf(h, "%q %q %t\n", a.Name, a.Values, a.Numeric())
		sum(h, a.Labels, func(v int) uint64 { return uint64(v) })
		sum(h, a.Numbers, math.Float64bits)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func sum[T any](h hash.Hash, x []T, bits func(T) uint64) {
	var b [8]byte
	for _, v := range x {
		binary.LittleEndian.PutUint64(b[:], bits(v))
		h.Write(b[:])
	}
}

// Check says what keeps s from being audited, if anything does, and the mend.
func (s *Sample) Check() error { panic("to be written") }
