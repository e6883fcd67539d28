package measure

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/math/stat"
	"tattle/internal/protect/release"
)

// The largest number of examples that Fits applies the model to: of pictures, and of rows, whose
// nets are small.
const (
	fitPictures = 1000
	fitRows     = 5000
)

// fitLeast is how many pictures it is applied to at least, however costly the model.
const fitLeast = 250

// Other ways to scale the inputs, fewer than ten, are tried on one in fitPart of the examples, evenly spaced, but on at least
// fitFirst. One is tried on all if McNemar's test of these has a p-value below promising. It is better if that of
// all is below betterLevel.
const (
	fitPart     = 4
	fitFirst    = 60
	promising   = .05
	betterLevel = 1e-5
)

// A Fit compares a model with the guess of the commonest class, on some of the data.
type Fit struct {
	Examples  int    // that were classified
	Right     int    // by the model
	Commonest int    // examples of the commonest class
	Class     string // its name
	Tried     int    // other ways to scale the inputs

	// Better is the usual way to scale the inputs under which the model is right most often, if
	// chance does not explain that; nil if there is none. Others are tried for a doubtful model, and where
	// the scaling is Assumed.
	Better *Scaled

	// Assumed says how the inputs are scaled where no preprocessing says it; empty where one does.
	Assumed string
}

// Scaled is how often a model is right if its inputs are scaled in another way.
type Scaled struct {
	What       string // in words
	Preprocess string // that scales so, as ModelOptions has it
	Right      int
}

// Guesses reports whether the model is right no more often than the guess of the commonest class.
func (f *Fit) Guesses() bool { return f.Right <= f.Commonest }

// LeastFit is the number of examples below which a comparison with the commonest class shows nothing.
const LeastFit = 50

// Warning returns what a report says of a model that is right no more often than the guess of the
// commonest class. It is empty for a better model, and for few examples. The subject says what was
// right, as in "The predicted digit".
func (f *Fit) Warning(subject string) string {
	if f.Examples < LeastFit || !f.Guesses() {
		return ""
	}
	share := func(n int) float64 { return 100 * float64(n) / float64(f.Examples) }
	return fmt.Sprintf("%s is right for %.2f %% of the examples, and the guess of the commonest class for %.2f %%. A working model can do so if one class is common. "+
		"Otherwise its inputs may not be scaled as in its training (--preprocess), or the labels may not be those that it learned: then the figures here say nothing about the model as it is used.",
		subject, share(f.Right), share(f.Commonest))
}

// doubtful reports whether the model avoids less than a quarter of the errors of that guess.
func (f *Fit) doubtful() bool { return 4*(f.Right-f.Commonest) < f.Examples-f.Commonest }

// Fits applies the model to examples of the set, which in read. If the model is doubtful, or nothing
// says how its inputs are scaled, it applies the model also to the same examples whose values are
// scaled in the other usual ways, unless too few are wrong for another way to be clearly better. It returns nil if the examples
// have no labels or their classes are not those of the model.
func (m *Model) Fits(ctx context.Context, in Inputs, set *dataset.Set) (*Fit, error) {
	net, err := nn.NewNet(m.Graph)
	if err != nil || !set.Labelled() || set.Len() == 0 {
		return nil, err
	}
	some := m.sampled(set)
	f := &Fit{Examples: some.Len()}
	accuracy, before, err := release.CleanUtility(ctx, net, some, nil, nil)
	if err != nil {
		return nil, ctx.Err() // that the labels do not fit is said later
	}
	f.Right = accuracy.Correct
	f.count(some)
	p := m.DataPreprocess()
	if !p.Normalises() && in.Path != dataset.KindGlyphs {
		f.Assumed = cmp.Or(set.Scaling(), "as they are stored")
	}
	const none = 0 // of the examples that are right now would be wrong
	if f.Assumed == "" && !f.doubtful() || stat.McNemar(f.Examples-f.Right, none) >= betterLevel {
		return f, nil
	}
	all := nn.Indices(f.Examples)
	var first []int
	for i := 0; i < len(all); i += max(1, min(fitPart, len(all)/fitFirst)) {
		first = append(first, i)
	}
	for _, other := range append(some.Rescaled(p), m.otherTables(ctx, in, set)...) {
		n, chance, err := gain(ctx, net, other.Set, first, before)
		if err == nil && chance < promising {
			n, chance, err = gain(ctx, net, other.Set, all, before)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			continue
		}
		f.Tried++
		if chance >= betterLevel || n <= f.Commonest || f.Better != nil && n <= f.Better.Right {
			continue
		}
		full := other.Preprocess
		full.Layout, full.Upsample, full.UpsampleFilter = m.Preprocess.Layout, m.Preprocess.Upsample, m.Preprocess.UpsampleFilter
		f.Better = &Scaled{What: other.What, Preprocess: full.String(), Right: n}
	}
	return f, nil
}

// count sets the commonest class.
func (f *Fit) count(set *dataset.Set) {
	counts := map[int]int{}
	for _, y := range set.Y {
		if counts[y]++; counts[y] > f.Commonest {
			f.Commonest = counts[y]
			if y < len(set.YNames) {
				f.Class = set.YNames[y]
			}
		}
	}
}

// gain returns how many of some examples the model has right, and the p-value of McNemar's test that it is better than before.
// before has a 1 for each example of the set that was right.
func gain(ctx context.Context, net nn.Model, set *dataset.Set, rows []int, before []float64) (right int, chance float64, err error) {
	accuracy, after, err := release.CleanUtility(ctx, net, set.Subset(rows), nil, nil)
	gained, lost := 0, 0
	for i, right := range after {
		switch {
		case right > before[rows[i]]:
			gained++
		case right < before[rows[i]]:
			lost++
		}
	}
	return accuracy.Correct, stat.McNemar(gained, lost), err
}

// sampled returns examples of the set, evenly spaced.
func (m *Model) sampled(set *dataset.Set) *dataset.Set {
	most := affordable(m.Graph, fitWork, fitLeast, fitPictures)
	if set.Values != nil {
		most = fitRows
	}
	n := min(set.Len(), most)
	indices := make([]int, n)
	for i := range indices {
		indices[i] = i * set.Len() / n
	}
	return set.Subset(indices)
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
	if err != nil || !slices.Equal(again.Y, set.Y) {
		return nil
	}
	return []dataset.Rescaled{{What: what, Preprocess: other.Preprocess, Set: m.sampled(again)}}
}
