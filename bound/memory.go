package bound

import "fmt"

// DefaultMemory is the budget of a run: half of what a small laptop has, and enough
// for paper A's largest models with the examples one at a time.
const DefaultMemory = 4 << 30

// recordBytes is how much of a run's results a shard may hold, whatever the budget,
// so that a run can be resumed with another.
const recordBytes = 128 << 20

// A budgeted model keeps its own buffers within a budget: *nn.Net does.
type budgeted interface {
	// SetMemory sets what the buffers of float32 may take, and those of float64.
	SetMemory(bytes int64)
	// Memory estimates what linearising that many examples takes in float32, with
	// products of that many vectors each; in float64 it is twice as much.
	Memory(examples, vectors int) int64
}

// budgetModel gives a model its share, for both precisions together.
func budgetModel(m Model, share int64) {
	if b, ok := m.(budgeted); ok {
		b.SetMemory(share / 2)
	}
}

// needs is what parts of a run take, in bytes.
type needs struct {
	record int64 // the results of one example
	search int64 // one example of a batch
	alone  int64 // what is needed once: a decomposition under way, a pass of certificates
	model  int64 // the model's own buffers, for one example and one vector
}

// needs estimates what a run of a resolved experiment takes, for Jacobians of that
// size, where they are formed.
func (e Experiment) needs(m Model, j jacobianSize, explicit bool) needs {
	p, n := m.Dims()
	var w needs
	for _, c := range e.newRecord().columns() {
		w.record += c.data.bytes() * int64(c.size())
	}
	restarts := int64(max(1, e.Search.Restarts))
	inputs, features := int64(p), int64(n)
	w.search = 4 * restarts * (2*features + 2*inputs) // z⁰, z and ε twice
	if e.Search.Search == Algorithm1 || e.Search.Search == Published {
		w.search += 4 * restarts * (2*features + 4*inputs) // LSQR's vectors
	}
	if explicit {
		w.search += j.kept()
		w.alone = j.working()
	}
	points := int64(e.mostWitnesses() + 1)
	w.alone = max(w.alone, 8*points*(3*inputs+3*features+int64(e.Coordinates.Len()))) // a certificate
	if e.Far.Starts > 0 {
		w.alone = max(w.alone, 4*int64(farRows(p, n))*(6*inputs+2*features))
	}
	if e.Pairs.Witnesses > 0 {
		w.alone = max(w.alone, 4*int64(farRows(p, n))*(9*inputs+2*features))
	}
	if e.Spectrum.Probes > 0 {
		w.alone = max(w.alone, e.Spectrum.working(p, n))
	}
	if b, ok := m.(budgeted); ok {
		one := b.Memory(1, 1)
		w.model = 3 * one                // in float32, and in float64
		w.search += b.Memory(2, 1) - one // what does not fit is computed again for each product
	}
	return w
}

// mostWitnesses is the most witnesses of one kind that an example has.
func (e Experiment) mostWitnesses() int {
	most := 1
	for _, s := range e.witnessSets() {
		most = max(most, s.each)
	}
	return most
}

// kept is what the decomposition of J takes for as long as its example is searched: its
// factors, and J and then J⁺ in half as many bytes.
func (j jacobianSize) kept() int64 {
	a, p, d := int64(j.rows), int64(j.cols), int64(min(j.rows, j.cols))
	return 8 * (a*p + d*a + d*p)
}

// working is what decomposing it takes on the way: its transpose, what is left of it
// after the first factors, and the squares that dividing and conquering takes.
func (j jacobianSize) working() int64 {
	a, p, d := int64(j.rows), int64(j.cols), int64(min(j.rows, j.cols))
	return 8 * (2*a*p + 7*d*d)
}

// budget is Experiment.Memory, or its default.
func (e Experiment) budget() int64 {
	if e.Memory > 0 {
		return e.Memory
	}
	return DefaultMemory
}

// shardOf returns how many examples a shard has, most at most: their results fit
// recordBytes.
func (w needs) shardOf(most int) int {
	return int(max(1, min(int64(most), recordBytes/max(1, w.record))))
}

// share divides the budget: batch is how many examples, most at most, are searched
// together beside shard examples' results twice, as one shard is written while the next is
// computed, and model what is left to the model. It returns an error if not even one fits,
// with what does.
func (w needs) share(budget int64, most, shard int) (batch int, model int64, err error) {
	fixed := 2*w.record*int64(shard) + w.alone
	least := fixed + w.search + w.model
	if least > budget {
		return 0, 0, fmt.Errorf("a memory of %s is too little: this run needs at least %s (%s for the model's own buffers)", inMiB(budget), inMiB(least), inMiB(w.model))
	}
	rest := budget - fixed - w.model
	batch = int(max(1, min(int64(most), rest/2/max(1, w.search))))
	return batch, budget - fixed - int64(batch)*w.search, nil
}

// inMiB prints bytes, rounded up. Given what is printed as needed, a run may choose a
// quicker way, which takes somewhat more, and say so again.
func inMiB(bytes int64) string { return fmt.Sprintf("%d MiB", (bytes+1<<20-1)>>20) }
