package bound

import (
	"fmt"
)

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
	budgetModel(r.model, model)
	return nil
}

// span returns the positions in indices of shard i.
func (r *runner) span(i int) (lo, hi int) { return i * r.shard, min(len(r.indices), (i+1)*r.shard) }
