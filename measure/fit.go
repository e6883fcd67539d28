package measure

import (
	"context"

	"tattle/dataset"
	"tattle/nn"
	"tattle/release"
)

// fitExamples is the largest number of examples that Fits applies the model to.
const fitExamples = 500

// A Fit compares a model with the guess of the commonest class, on some of the data.
type Fit struct {
	Examples  int    // that were classified
	Right     int    // by the model
	Commonest int    // examples of the commonest class
	Class     string // its name

	// Better is the usual way to scale the inputs under which the model is right most often, if
	// that is for a tenth of the examples more; nil if there is none. Only for a doubtful model
	// others are tried.
	Better *Scaled
}

// Scaled is how often a model is right if its inputs are scaled in another way.
type Scaled struct {
	What       string // in words
	Preprocess string // that scales so, as ModelOptions has it
	Right      int
}

// Guesses reports whether the model is right no more often than the guess of the commonest class.
func (f *Fit) Guesses() bool { return f.Right <= f.Commonest }

// doubtful reports whether the model avoids less than a quarter of the errors of that guess.
func (f *Fit) doubtful() bool { return 4*(f.Right-f.Commonest) < f.Examples-f.Commonest }

// Fits applies the model to examples of the set, which in read, and, if it is doubtful, to the
// same examples whose values are scaled in the other usual ways. It returns nil if the examples
// have no labels or their classes are not those of the model.
func (m *Model) Fits(ctx context.Context, in Inputs, set *dataset.Set) (*Fit, error) {
	net, err := nn.NewNet(m.Graph)
	if err != nil || !set.Labelled() || set.Len() == 0 {
		return nil, err
	}
	some := sampled(set)
	f := &Fit{Examples: some.Len()}
	if f.Right, err = right(ctx, net, some); err != nil {
		return nil, ctx.Err() // that the labels do not fit is said later
	}
	counts := map[int]int{}
	for _, y := range some.Y {
		if counts[y]++; counts[y] > f.Commonest {
			f.Commonest = counts[y]
			if y < len(some.YNames) {
				f.Class = some.YNames[y]
			}
		}
	}
	if !f.doubtful() {
		return f, nil
	}
	p := m.DataPreprocess()
	for _, other := range append(some.Rescaled(p), m.otherTables(ctx, in, set)...) {
		n, err := right(ctx, net, other.Set)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		better := f.Right
		if f.Better != nil {
			better = f.Better.Right
		}
		if err != nil || n <= better || 10*(n-f.Right) < f.Examples || n <= f.Commonest {
			continue // less than a tenth of the examples more is no sign
		}
		full := other.Preprocess
		full.Layout, full.Upsample, full.UpsampleFilter = m.Preprocess.Layout, m.Preprocess.Upsample, m.Preprocess.UpsampleFilter
		f.Better = &Scaled{What: other.What, Preprocess: full.String(), Right: n}
	}
	return f, nil
}

// sampled returns fitExamples of the set, evenly spaced.
func sampled(set *dataset.Set) *dataset.Set {
	n := min(set.Len(), fitExamples)
	indices := make([]int, n)
	for i := range indices {
		indices[i] = i * set.Len() / n
	}
	return set.Subset(indices)
}

func right(ctx context.Context, net nn.Model, set *dataset.Set) (int, error) {
	a, _, err := release.Right(ctx, net, set)
	return a.Correct, err
}

// otherTables reads a table again: encoded if its numbers were taken as they are, and as they are
// if they were encoded. It returns none for other data, and where that is impossible.
func (m *Model) otherTables(ctx context.Context, in Inputs, set *dataset.Set) []dataset.Rescaled {
	if set.Columns == nil || set.Values == nil {
		return nil
	}
	other, what := *m, "numbers as they are stored"
	if other.Preprocess.Normalises() {
		what = "each column standardised, and categories encoded, as tattle does for tables"
		other.Preprocess.Range, other.Preprocess.Mean, other.Preprocess.Std = nil, nil, nil
	} else {
		other.Preprocess.Mean, other.Preprocess.Std = []float64{0}, []float64{1}
	}
	again, _, err := in.Open(ctx, &other, nil)
	if err != nil || again.Len() != set.Len() {
		return nil
	}
	return []dataset.Rescaled{{What: what, Preprocess: other.Preprocess, Set: sampled(again)}}
}
