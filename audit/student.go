package audit

import (
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

// pruneNets returns the outputs of f on the examples with the given fractions of its weights set
// to zero, prunedFractions if there are none (B section 5.7). A net
// without weights to prune gives nothing.
func pruneNets(ctx context.Context, f *nn.Graph, set *dataset.Set, fractions ...float64) ([]Released, error) {
	if len(fractions) == 0 {
		fractions = prunedFractions
	}
	var all []Released
	for _, fraction := range fractions {
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

// defaultStudentEpochs is the number of epochs of a student: it only has to show whether
// it also learns the curiosity.
const defaultStudentEpochs = 20

// studentOptions are the options of Student; the zero value is the default.
type studentOptions struct {
	Seed     uint64
	Epochs   int                                      // 0 is defaultStudentEpochs
	Work     float64                                  // in multiply-adds forward; 0 is DefaultPlantedWork
	Net      func(classes int, seed uint64) *nn.Graph // of the student; nil chooses by the inputs' shape
	Progress func(done, total int)
}

// Student trains a smaller net to mimic f on the training inputs of p, whose labels
// it does not use (B section 5.8), and returns its outputs on the examples. If there are
// more examples and epochs than Work pays for, it uses less, and a note says so.
func Student(ctx context.Context, f *nn.Graph, p *dataset.Parts, set *dataset.Set, o studentOptions) (Released, error) {
	if o.Epochs == 0 {
		o.Epochs = defaultStudentEpochs
	}
	if o.Work == 0 {
		o.Work = DefaultPlantedWork
	}
	draws := run.Rand(o.Seed, trainStudent, 0)
	seed := draws.Uint64()
	p, epochs, note := affordable(p, o.Net, o.Epochs, o.Work, draws)
	r, err := curious.Distill(ctx, f, trainable(p), curious.DistillOptions{
		Net: o.Net, Epochs: epochs, Seed: seed,
		Progress: func(done, total int, _ float64) {
			if o.Progress != nil {
				o.Progress(done, total)
			}
		},
	})
	if err != nil {
		return Released{}, fmt.Errorf("student: %w", err)
	}
	s, err := released(ctx, "distilled student", r.Student, set)
	if err != nil {
		return Released{}, fmt.Errorf("student: %w", err)
	}
	if note != "" {
		s.Notes = append(s.Notes, "To bound the time the student was trained "+note+".")
	}
	return Released{Name: s.Name, Sample: s}, nil
}
