package audit

import (
	"cmp"
	"context"
	"fmt"

	"tattle/curious"
	"tattle/dataset"
	"tattle/nn"
	"tattle/run"
)

// prunedFractions are the fractions of the weights that pruneNets sets to zero: a net loses no
// accuracy with the first, and some with the last.
var prunedFractions = []float64{.5, .8, .9}

// pruneNets returns the outputs of f on the examples with prunedFractions of its weights set
// to zero (B section 5.7).
func pruneNets(ctx context.Context, f *nn.Graph, set *dataset.Set) ([]Released, error) {
	var all []Released
	for _, fraction := range prunedFractions {
		g, err := curious.Prune(f, fraction, curious.PruneOptions{})
		if err != nil {
			return nil, fmt.Errorf("pruned: %w", err)
		}
		name := fmt.Sprintf("pruned by %.0f %%", 100*fraction)
		s, err := released(ctx, name, g, set)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, Released{Name: name, Sample: s})
	}
	return all, nil
}

// student trains a smaller net to mimic f on the training inputs of p, whose labels
// it does not use (B section 5.8), and returns its outputs on the test part. If there are
// more examples and epochs than Work pays for, it uses less, and a note says so.
func student(ctx context.Context, f *nn.Graph, p *dataset.Parts, o fitOptions) (*Sample, error) {
	draws := run.Rand(o.Seed, trainStudent, 0)
	seed := draws.Uint64()
	part, epochs, note := affordable(p, o.Net, cmp.Or(o.Epochs, DefaultReferenceEpochs), cmp.Or(o.Work, defaultPlantedWork), draws)
	r, err := curious.Distill(ctx, f, trainable(part), curious.Options{Net: o.Net, Epochs: epochs, Seed: seed, Progress: o.steps})
	if err != nil {
		return nil, fmt.Errorf("student: %w", err)
	}
	s, err := released(ctx, "distilled student", r.Classifier, p.Test)
	if err != nil {
		return nil, fmt.Errorf("student: %w", err)
	}
	if note != "" {
		s.Notes = append(s.Notes, "To bound the time the student was trained "+note+".")
	}
	return s, nil
}
