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
	one := m.Memory(1, 1)
	w.model = 3 * one                // in float32, and in float64 twice as much
	w.search += m.Memory(2, 1) - one // intermediate results that do not fit are computed again for each product
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

// Work is divided into shards, which are what an interrupted run keeps and what
// processes share, and a shard into batches, whose restarts go through the net together:
// enough of them to keep a matrix product busy, fewer where an example is large, and fewer
// where it takes LSQR seconds. A shard is a few batches, one where each takes long.
const (
	shardExamples = 64
	shardBatches  = 2
	batchExamples = 32
	batchSlow     = 8
	batchFloats   = 1 << 24 // in the perturbations, features or Jacobians of a batch
	slowFloats    = 1 << 20 // in the vectors of one of LSQR's products: after each the run can be interrupted
)

// batchOf returns how many examples go through the net together, at most so
// many, Jacobians having that many rows, 0 for none.
func batchOf(m Net, most, restarts, rows int) int {
	p, n := m.Dims()
	return max(1, min(most, batchFloats/max(restarts*max(p, n), rows*p)))
}

// divide settles shards and batches, for Jacobians of that size, where a run that had
// begun left them. Shards do not depend on the budget: what several processes share, and
// what is resumed, may be computed with another.
func (r *runner) divide(j jacobianSize, begun *settings) error {
	e, most := r.experiment, batchExamples
	r.explicit = !e.SkipCramerRao || e.Barankin.Witnesses > 0 && e.decomposes(j, begun)
	switch e.Search.Search {
	case Direct:
		r.explicit = true
	case Cholesky:
		r.explicit, most = false, 1
	case Algorithm1:
		p, n := r.model.Dims()
		most = max(1, min(batchSlow, slowFloats/(e.Search.Restarts*max(p, n))))
	case Published:
		r.explicit = r.explicit || updates(j.rows, r.model)
	}
	rows := j.rows
	if !r.explicit {
		rows = 0
	}
	r.size = batchOf(r.model, most, max(e.Search.Restarts, e.Far.Starts, e.Barankin.Witnesses), rows)
	switch e.Search.Search {
	case Algorithm1, Cholesky:
		r.shard = most
	case Published:
		r.shard = e.Search.Stack
	default:
		r.shard = min(shardExamples, shardBatches*r.size)
	}
	return r.fit(e.needs(r.model, j, r.explicit))
}

// fit lowers shards and batches to what the budget allows, and gives the model its share.
// It returns an error if not even one example fits.
func (r *runner) fit(w needs) error {
	most, stacked := r.size, r.experiment.Search.Search == Published
	if stacked { // its examples are one problem
		most, w.search = 1, w.search*int64(min(r.shard, len(r.indices)))
	} else {
		r.shard = w.shardOf(r.shard)
	}
	batch, model, err := w.share(r.experiment.budget(), most, r.shard)
	if err != nil && stacked {
		return fmt.Errorf("%w; a smaller stack needs less", err)
	}
	if err != nil {
		return err
	}
	r.size = min(r.size, batch)
	if r.experiment.Search.Search == Cholesky {
		r.spare = max(0, model-w.model-gramProducts)
		model -= r.spare
	}
	r.model.SetMemory(model / 2) // for both precisions together
	return nil
}

// span returns the positions in indices of shard i.
func (r *runner) span(i int) (lo, hi int) { return i * r.shard, min(len(r.indices), (i+1)*r.shard) }
