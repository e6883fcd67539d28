package cli

import (
	"context"
	"fmt"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/protect/measure"
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

// checkFit compares the model with the guess of the commonest class, and says where it is hardly
// better. If needed, a model that is not better is an error. So is a scaling that nobody gave, if another
// makes the model clearly better.
func (e *env) checkFit(ctx context.Context, m *measure.Model, in measure.Inputs, set *dataset.Set, needed bool) error {
	if set.Len() < leastFit {
		return nil
	}
	f, err := m.Fits(ctx, in, set)
	if err != nil || f == nil {
		return err
	}
	hint := fitHint(f)
	if shapes, err := m.Graph.Shapes(); err == nil && nn.Size(shapes[m.Graph.Output]) != len(set.YNames) && f.Guesses() {
		hint += "; if the outputs are vectors, no scores of classes: --utility recall@10"
	}
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
