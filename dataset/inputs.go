package dataset

import (
	"context"
	"errors"
)

// InputOptions says what [OpenInputs] reads; the zero value takes the test part of
// the data, in all examples, as its kind has it.
type InputOptions struct {
	Split      Split      // "" is Test; data without parts is taken whole
	Preprocess Preprocess // of pictures; the zero value is the kind's own
	Kind       string     // one of [InputKinds]; "" is guessed from the path
	Labels     string     // as in [LabelledOptions]
	FileColumn string     // as in [LabelledOptions]
	Target     string     // as in [LabelledOptions]; where the kind has none of its own and it is "", a table has no labels
	Seed       uint64     // of what the data does not fix: parts of a table, and glyphs

	// Choose says which of n examples are read, in this order, before any picture is
	// decoded; nil is all.
	Choose func(n int) ([]int, error)

	Shape    []int // of the model's input, to check against; tables and arrays are seen in it; nil is unknown
	Cache    string
	Progress func(done, total int)
}

// OpenInputs reads the examples that a model is measured on, and what a reader
// wants to know of how.
func OpenInputs(ctx context.Context, path string, o InputOptions) (*Set, []string, error) {
	split := o.Split
	if split == "" {
		split = Test
	}
	if !hasParts(path) {
		return nil, nil, errors.New("dataset: OpenInputs reads idx and CIFAR only so far")
	}
	s, err := Open(path, split)
	if err != nil || o.Choose == nil {
		return s, nil, err
	}
	rows, err := o.Choose(s.Len())
	if err != nil {
		return nil, nil, err
	}
	return s.Subset(rows), nil, nil
}
