package cli

import (
	"context"
	"fmt"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/protect/measure"
	"tattle/internal/protect/release"
)

// leastFit is measure.LeastFit. Tests of nets that were never trained raise it.
var leastFit = measure.LeastFit

// fitWords says how often a model is right, in comparison with the commonest class.
func fitWords(f *measure.Fit) string {
	share := func(n int) float64 { return 100 * float64(n) / float64(f.Examples) }
	class := "the commonest class"
	if f.Class != "" {
		class += fmt.Sprintf(" (%s)", f.Class)
	}
	return fmt.Sprintf("the model is right for %.1f %% of %d examples, and the guess of %s for %.1f %%", share(f.Right), f.Examples, class, share(f.Commonest))
}

// fitHint says which preprocessing makes the model right.
func fitHint(f *measure.Fit) string {
	switch {
	case f.Better == nil && f.Tried == 0:
		return "check --preprocess, --labels and --target"
	case f.Better == nil:
		return "check --preprocess, --labels and --target; none of the usual ways to scale the inputs makes the model better"
	}
	return fmt.Sprintf("with %s it is right for %.1f %%: --preprocess '%s'", f.Better.What, 100*float64(f.Better.Right)/float64(f.Examples), f.Better.Preprocess)
}

// fitOf compares the model with the guess of the commonest class; nil if there are too few examples.
func fitOf(ctx context.Context, m *measure.Model, in measure.Inputs, set *dataset.Set) (*measure.Fit, error) {
	if set.Len() < leastFit {
		return nil, nil
	}
	return m.Fits(ctx, in, set)
}

// useOf returns the use of outputs that are taken for vectors: those that answer the classes no better than a guess, and are of another
// number. The outputs of other models get the answer of sayFit.
func (e *env) useOf(ctx context.Context, m *measure.Model, in measure.Inputs, set *dataset.Set, needed bool) (*release.Use, error) {
	f, err := fitOf(ctx, m, in, set)
	if err != nil || f == nil {
		return nil, err
	}
	shapes, err := m.Graph.Shapes()
	if err != nil {
		return nil, err
	}
	if width := nn.Size(shapes[m.Graph.Output]); width > 1 && width != len(set.YNames) && f.Guesses() && f.Better == nil {
		e.say("warning: %s: the %d outputs are taken for vectors, not for scores of the %d classes (--utility %s); else %s", fitWords(f), width, len(set.YNames), release.DefaultUse, fitHint(f))
		return useFlags{Metric: release.MetricCosine, NoiseAt: release.NoiseQuery}.use(true)
	}
	return nil, e.sayFit(f, needed)
}

// sayFit says where the model is hardly better than the guess of the commonest class. If needed, a model that is not better is an error.
// So is a scaling that nobody gave, if another makes the model clearly better.
func (e *env) sayFit(f *measure.Fit, needed bool) error {
	hint := fitHint(f)
	switch {
	case f.Better != nil && f.Assumed != "":
		return usage(fmt.Errorf("--preprocess is not given, and the inputs are taken to be %s; %s, and clearly more often if they are scaled otherwise", f.Assumed, fitWords(f)), hint)
	case f.Guesses() && needed:
		return usage(fmt.Errorf("--preprocess: %s: the inputs are probably not scaled as the model needs them", fitWords(f)), hint)
	case f.Guesses() || f.Better != nil:
		e.say("warning: %s: the inputs are probably not scaled as the model needs them; %s", fitWords(f), hint)
	}
	return nil
}
