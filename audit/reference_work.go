package audit

import (
	"fmt"
	"math/rand/v2"

	"tattle/curious"
	"tattle/dataset"
	"tattle/nn"
)

// How much a training may take, in multiply-adds of its net forward: two cores do some
// 1.7e10 of them a second while training.
const (
	// defaultReferenceWork is about ten minutes, 480,000 pictures of 64×64 in paper
	// B's net: honest classifiers are to be trained as the audited one was.
	defaultReferenceWork = 1e13
	// defaultPlantedWork is about four minutes. It is what a curious classifier of
	// faces took, 14,400 pictures of 64×64 for 13 epochs, and more than a control or
	// a student needs.
	defaultPlantedWork = 4e12

	// exampleWork is the work of an example in addition to its multiply-adds, which
	// matters for small nets.
	exampleWork = 5e5
	// leastEpochs are not given up for more examples.
	leastEpochs = 5
	// leastValidation examples choose the epoch, however few are learned from.
	leastValidation = 1000
)

// affordable returns as much of the training and validation parts, drawn at random,
// and as many of the epochs as work pays for: all of the examples for fewer epochs, or, if
// that would be fewer than leastEpochs, leastEpochs on fewer examples. note says what was
// left out, "" if nothing was. A nil net is the one that
// package curious chooses by the inputs' shape.
func affordable(p *dataset.Parts, net func(classes int, seed uint64) *nn.Graph, epochs int, work float64, r *rand.Rand) (part *dataset.Parts, most int, note string) {
	n := p.Train.Len()
	passes := int(work / trainingWork(p, net))
	if n == 0 || epochs <= passes/n {
		return p, epochs, ""
	}
	most = max(passes/n, min(leastEpochs, epochs))
	rows := min(n, max(1, passes/most))
	part = &dataset.Parts{Train: some(p.Train, rows, r), Validation: p.Validation, Test: p.Test, Notes: p.Notes}
	if v := p.Validation; v != nil {
		part.Validation = some(v, min(v.Len(), max(rows/4, leastValidation)), r)
	}
	return part, most, fmt.Sprintf("on %d of %d examples for %d of %d epochs", rows, n, most, epochs)
}

// trainingWork returns the work of one example.
func trainingWork(p *dataset.Parts, net func(classes int, seed uint64) *nn.Graph) float64 {
	if net == nil {
		net = curious.DefaultNet(p.Train.Shape)
	}
	total := exampleWork
	costs, err := net(max(len(p.Train.YNames), 1), 0).Costs()
	if err != nil { // which training says, too
		return total
	}
	for _, c := range costs {
		total += float64(c)
	}
	return total
}

// some returns n examples of the set in their order, all of them without a copy.
func some(set *dataset.Set, n int, r *rand.Rand) *dataset.Set {
	if n >= set.Len() {
		return set
	}
	return set.Subset(drawRows(set.Len(), n, r))
}
