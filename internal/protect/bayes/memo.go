package bayes

import "slices"

// A Memo keeps features of the inputs of one source once they are computed, so that several lists of
// these inputs need them computed once only. It holds 8 bytes per number.
type Memo struct {
	dim   int
	a     []float64 // [inputs, dim]
	known []bool
	at    []int // the place in a of each input; nil: its number
}

// NewMemo returns an empty Memo for a source of inputs with dim features each. A Memo is not safe for
// concurrent use.
func NewMemo(inputs, dim int) *Memo {
	return &Memo{dim: dim, a: make([]float64, inputs*dim), known: make([]bool, inputs)}
}

// Chosen returns the memo of the source nn.Choose(data, indices), where m is that of data. They share what they keep.
func (m *Memo) Chosen(indices []int) *Memo {
	return &Memo{m.dim, m.a, m.known, indices}
}

// place returns where input i is kept.
func (m *Memo) place(i int) int {
	if m.at == nil {
		return i
	}
	return m.at[i]
}

// unknown returns those of some inputs whose features are not known.
func (m *Memo) unknown(rows []int) (fresh []int) {
	for _, i := range rows {
		if !m.known[m.place(i)] {
			fresh = append(fresh, i)
		}
	}
	return fresh
}

// keep makes the features of some inputs known.
func (m *Memo) keep(rows []int, features []float64) {
	for k, i := range rows {
		at := m.place(i)
		copy(m.a[at*m.dim:(at+1)*m.dim], features[k*m.dim:])
		m.known[at] = true
	}
}

// read overwrites dst with the features of some inputs, which must be known.
func (m *Memo) read(dst []float64, rows []int) {
	for k, i := range rows {
		copy(dst[k*m.dim:(k+1)*m.dim], m.a[m.place(i)*m.dim:])
	}
}

// Known overwrites dst with the features of some inputs, unless those of one are not known or m is nil: then it returns false.
func (m *Memo) Known(dst []float32, rows []int) bool {
	if m == nil || slices.ContainsFunc(rows, func(i int) bool { return !m.known[m.place(i)] }) {
		return false
	}
	for k, i := range rows {
		for c, v := range m.a[m.place(i)*m.dim : (m.place(i)+1)*m.dim] {
			dst[k*m.dim+c] = float32(v)
		}
	}
	return true
}
