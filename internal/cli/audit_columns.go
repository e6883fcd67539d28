package cli

import (
	"context"
	"slices"

	"tattle/curious/training"
	"tattle/dataset"
	"tattle/nn"
)

// withColumns gives the rows of a table the inputs that a model of that shape takes. A
// sensitive column is no input where it is read as a label; a model that takes it all
// the same is fed from a second reading, the labels being those of the first.
func (c *auditCmd) withColumns(ctx context.Context, e *env, src *training.Source, parts *dataset.Parts, shape []int) (*dataset.Parts, error) {
	if parts.Train.Values == nil || len(shape) == 0 || nn.Size(shape) == nn.Size(parts.Train.Shape) {
		return parts, nil
	}
	readings := [][]string{nil}
	if own := c.ownRun(); own != nil {
		readings = append(readings, own.Sensitive)
	}
	for _, sensitive := range readings {
		other := *src
		other.Sensitive = sensitive
		_, inputs, err := openSource(ctx, e, &other)
		if ctx.Err() != nil {
			return nil, err
		}
		if err == nil && nn.Size(inputs.Train.Shape) == nn.Size(shape) {
			if p := fed(parts, inputs); p != nil {
				return p, nil
			}
		}
	}
	return parts, nil // which then does not fit
}

// fed is data with the inputs of another reading of the same rows: nil where they are
// not the same.
func fed(labels, inputs *dataset.Parts) *dataset.Parts {
	one := func(a, b *dataset.Set) *dataset.Set {
		if a == nil || b == nil || a.Len() != b.Len() || !slices.Equal(a.Y, b.Y) || !slices.Equal(a.YNames, b.YNames) {
			return nil
		}
		both := *a
		both.Values, both.Shape = b.Values, b.Shape
		both.SHA256 = both.Sum()
		return &both
	}
	p := &dataset.Parts{Train: one(labels.Train, inputs.Train), Validation: one(labels.Validation, inputs.Validation), Test: one(labels.Test, inputs.Test), Notes: labels.Notes}
	if p.Train == nil || p.Validation == nil || p.Test == nil {
		return nil
	}
	p.Notes = append(slices.Clone(p.Notes), "The model takes sensitive columns among its inputs, or others than these labels leave to it: it was given them.")
	return p
}
