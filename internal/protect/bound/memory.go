package bound

import (
	"cmp"
	"fmt"
)

// DefaultMemory is the default memory budget of a run: half the memory of a small laptop, and
// enough for paper A's largest models with one example at a time.
const DefaultMemory = 4 << 30

// recordBytes is the largest size of the results of a shard. It does not depend on the memory
// budget, so that a run can be resumed with another budget.
const recordBytes = 128 << 20

// A budgeted model keeps its own buffers within a budget: *nn.Net does.
type budgeted interface {
	// SetMemory sets the most bytes that the float32 buffers may take, and the same for the
	// float64 buffers.
	SetMemory(bytes int64)
	// Memory estimates the bytes for linearising so many examples in float32, with products
	// of so many vectors each. In float64 it is twice as much.
	Memory(examples, vectors int) int64
}

// budgetModel gives a model its share, for both precisions together.
func budgetModel(m Model, share int64) {
	if b, ok := m.(budgeted); ok {
		b.SetMemory(share / 2)
	}
}

// needs is the memory that the parts of a run need, in bytes.
type needs struct {
	record int64 // the results of one example
	search int64 // one example of a batch
	alone  int64 // the largest temporary buffer, of a decomposition or a certificate
	model  int64 // the model's own buffers, for one example and one vector
}

// needs estimates the memory of a run of a resolved experiment. explicit says whether its
// Jacobians, of size j, are computed in full.
func (e Experiment) needs(m Model, j jacobianSize, explicit bool) needs {
	p, n := m.Dims()
	var w needs
	for _, c := range e.newRecord().columns() {
		w.record += c.bytes()
	}
	restarts := int64(max(1, e.Search.Restarts))
	inputs, features := int64(p), int64(n)
	w.search = 4 * restarts * (2*features + 3*inputs) // z⁰, z and ε three times
	if e.Search.Search == Algorithm1 || e.Search.Search == Published {
		w.search += 4 * restarts * (2*features + 4*inputs) // LSQR's vectors
	}
	if explicit {
		w.search += j.kept()
		w.alone = j.working()
	}
	if e.Search.Search == Cholesky {
		w.search += 8 * gramTemporary * int64(max(e.Search.Restarts, e.Barankin.Witnesses+gramGuard)) * (inputs + features)
		w.alone = j.gramOptions().WorkingBytes()
	}
	for _, s := range e.witnessSets() {
		w.alone = max(w.alone, 8*int64(s.Witnesses+1)*(3*inputs+3*features+int64(e.Coordinates.Len()))) // a certificate
	}
	if e.Far.Starts > 0 {
		w.alone = max(w.alone, 4*int64(farRows(p, n))*(6*inputs+2*features))
	}
	if e.Pairs.Witnesses > 0 {
		rows := farRows(p, n) + e.Pairs.Witnesses + e.Pairs.Groups
		if e.Pairs.Groups > 0 {
			rows += farRows(p, n) // two searches
		}
		w.alone = max(w.alone, 4*int64(rows)*(10*inputs+2*features))
	}
	if b, ok := m.(budgeted); ok {
		one := b.Memory(1, 1)
		w.model = 3 * one                // in float32, and in float64 twice as much
		w.search += b.Memory(2, 1) - one // intermediate results that do not fit are computed again for each product
	}
	return w
}

// kept returns the bytes that the decomposition of J takes while its example is searched: its
// factors, and J, which J⁺ in float32 replaces later.
func (j jacobianSize) kept() int64 {
	d := int64(min(j.rows, j.cols))
	return 8 * (int64(j.rows)*int64(j.cols) + d*int64(j.rows+j.cols))
}

// working returns the temporary bytes for decomposing J: its transpose, its remainder after the
// first factors, and the square matrices of the divide-and-conquer algorithm.
func (j jacobianSize) working() int64 {
	d := int64(min(j.rows, j.cols))
	return 8 * (2*int64(j.rows)*int64(j.cols) + 7*d*d)
}

// budget returns Experiment.Memory, or the default for 0.
func (e Experiment) budget() int64 { return cmp.Or(e.Memory, DefaultMemory) }

// shardOf returns the number of examples of a shard: as many as have results that fit in
// recordBytes, and at most most.
func (w needs) shardOf(most int) int {
	return int(max(1, min(int64(most), recordBytes/max(1, w.record))))
}

// share divides the budget: batch is the number of examples, at most most, that are searched
// together; model is the memory for the model's buffers. The budget also holds the results of
// two shards of shard examples, because one is written while the next is computed. If it is too
// small for one example, share returns an error that names the memory needed.
func (w needs) share(budget int64, most, shard int) (batch int, model int64, err error) {
	fixed := 2*w.record*int64(shard) + w.alone
	least := fixed + w.search + w.model
	if least > budget {
		return 0, 0, fmt.Errorf("%s of memory are too little: this run needs at least %s (%s for the model's own buffers)", inMiB(budget), inMiB(least), inMiB(w.model))
	}
	rest := budget - fixed - w.model
	batch = int(max(1, min(int64(most), rest/2/max(1, w.search))))
	return batch, budget - fixed - int64(batch)*w.search, nil
}

// inMiB prints bytes, rounded up to MiB. With exactly the memory that an error asked for, a run
// may choose a faster way that needs somewhat more, and return the error once more.
func inMiB(bytes int64) string { return fmt.Sprintf("%d MiB", (bytes+1<<20-1)>>20) }
