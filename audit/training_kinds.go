package audit

import (
	"context"
	"fmt"

	"tattle/dataset"
	"tattle/nn"
)

// referenceTraining returns the training of honest classifier i, as Reference does it.
func referenceTraining(p *dataset.Parts, audited *dataset.Set, i int, o referenceOptions) Training {
	return Training{Name: fmt.Sprintf("reference %d", i+1), Train: func(ctx context.Context, progress func(done, total int)) (*Trained, error) {
		o := o
		o.Progress = progress
		s, err := Reference(ctx, p, audited, i, o)
		return &Trained{Sample: s}, err
	}}
}

// plantTraining returns the training of a planted model, as plantIn does it.
func plantTraining(name string, p *dataset.Parts, like *Sample, n int, o plantOptions) Training {
	return Training{Name: name, Train: func(ctx context.Context, progress func(done, total int)) (*Trained, error) {
		o := o
		o.Progress = progress
		planted, err := plantIn(ctx, p, like, n, o)
		if err != nil {
			return nil, err
		}
		return &Trained{Sample: planted.Sample, Planted: planted}, nil
	}}
}

// studentTraining returns the training of a student, as Student does it. A student that
// cannot be trained is skipped.
func studentTraining(f *nn.Graph, p *dataset.Parts, set *dataset.Set, o studentOptions) Training {
	return Training{Name: "student", Train: func(ctx context.Context, progress func(done, total int)) (*Trained, error) {
		o := o
		o.Progress = progress
		student, err := Student(ctx, f, p, set, o)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			return &Trained{Skipped: fmt.Sprintf("A student was not tried: %v.", err)}, nil
		}
		return &Trained{Sample: student.Sample}, nil
	}}
}
