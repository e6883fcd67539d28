package nn

import "slices"

// DefaultMemory stands in for SetMemory(0): what a net's sweeps and linearisations
// take, in bytes, beside its parameters. Some hundred examples of a ResNet-18 are kept
// in it, and it leaves room for the rest on a machine of 4 GiB.
const DefaultMemory = 2 << 30

// maxTensor bounds the buffers: no tensor of a sweep is longer, in bytes, unless
// one row's alone is. Larger ones are no faster.
const maxTensor = 64 << 20

// sweepShare is the part of the budget, one in so many, that the buffers of sweeps
// take; the rest is for what linearisations keep.
const sweepShare = 4

// slack is what the buffers of kernels and of cores add to what is counted here: less
// than a quarter, as measured.
const slack = 1.25

// SetMemory sets the bytes that sweeps and a linearisation may take, in each of the
// precisions that are used, beside the parameters and their copies: sweeps over more
// rows are cut, and a linearisation of more examples than fit keeps their inputs alone
// and computes the rest again, some examples at a time, for each product. Zero means
// DefaultMemory. One example, and one row of a sweep, take what they need. It ends the
// linearisations there are. A Clone has the budget of its original.
func (m *Net) SetMemory(bytes int64) {
	m.budget = bytes
	for _, e := range []any{m.engine32, m.engine64} {
		if e != nil {
			e.(interface{ setBudget(bytes int64) }).setBudget(bytes)
		}
	}
}

// Memory returns about how many bytes a float32 linearisation of so many examples and
// products of so many vectors for each take, within the budget, beside the parameters
// and their copies; in float64 it is twice as many.
func (m *Net) Memory(examples, vectors int) int64 {
	e := run32(m)
	kept := int64(min(examples, e.resident)) * int64(e.exampleSize())
	if examples > e.resident {
		kept += int64(examples) * int64(e.sizes[0]+e.sizes[e.output])
	}
	rows := min(int64(e.limit), int64(examples)*int64(max(1, vectors)))
	return int64(slack * float64(width[float32]()*(kept+rows*int64(e.rowSize()))))
}

// width returns the bytes of an entry.
func width[T Float]() int64 {
	if is64[T]() {
		return 8
	}
	return 4
}

// setBudget works out the rows of a sweep and the examples that are kept.
func (e *engine[T]) setBudget(bytes int64) {
	if bytes <= 0 {
		bytes = DefaultMemory
	}
	bytes = int64(float64(bytes) / slack)
	sweep, keep := bytes/sweepShare, bytes-bytes/sweepShare
	rows := max(1, int(sweep/(width[T]()*int64(max(1, e.rowSize())))))
	e.limit = min(max(1, maxTensor/int(width[T]())/max(1, slices.Max(e.sizes))), rows)
	e.resident = max(1, int(keep/(width[T]()*int64(max(1, e.exampleSize())))))
	e.tape, e.proof, e.wide = nil, nil, nil
	e.pool, e.inRows, e.outRows = nil, nil, nil
}

// rowSize returns the entries of the buffers of one row of a sweep, with those that
// gather rows of a cut one.
func (e *engine[T]) rowSize() int {
	n := e.sizes[0] + e.sizes[e.output]
	for i := range max(len(e.forth.sizes), len(e.back.sizes), len(e.record.sizes)) {
		n += max(sizeAt(e.forth, i), sizeAt(e.back, i), sizeAt(e.record, i))
	}
	for _, s := range e.steps {
		if k, ok := s.kernel.(*conv[T]); ok && k.rectifier != nil { // which has room of its own
			n += Size(s.shape)
		}
	}
	return n
}

func sizeAt(p *plan, i int) int {
	if i < len(p.sizes) {
		return p.sizes[i]
	}
	return 0
}

// exampleSize returns the entries that a linearisation keeps of an example.
func (e *engine[T]) exampleSize() int {
	n := e.sizes[e.output]
	for t, k := range e.kept {
		if k && t != e.output {
			n += e.sizes[t]
		}
	}
	for _, s := range e.steps {
		if _, ok := s.kernel.(*maxPool[T]); ok { // which keeps about as much of its own
			n += Size(s.shape)
		}
	}
	return n
}
