package curious

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/classify"
	"tattle/internal/engine/nn"
)

// Evaluate measures F and its attacks on the test part. The baselines are learned
// on the reference part, usually the training part. If it is nil, they are learned on the
// test part itself, which favours the baselines and saves F's evaluation on the reference
// part. That will do where many F are compared, as in pruning, and the baselines of the whole
// F are known. The p-values and the lower ends of the excess use both. An attack is of the sensitive attribute that bears its name,
// or else, where it names none, of the one at its index.
//
// F's outputs count as distributions where its last operator is a Softmax or Hardmax;
// where its metadata "tattle.outputs" say "soft", or an attack takes a mixture apart,
// and every output on the test part is one; else as scores, whose softmax is taken.
//
// It returns an error if a set does not fit F or an attack, where an output is not a finite
// number, naming the example, and when ctx ends.
func Evaluate(ctx context.Context, f *nn.Graph, attacks []Attack, reference, test *dataset.Set) (*Evaluation, error) {
	own := reference == nil
	if own {
		reference = test
	}
	attributes, err := checkEvaluation(f, attacks, reference, test)
	if err != nil {
		return nil, fmt.Errorf("evaluate: %w", err)
	}
	t, r, err := observe(ctx, f, attacks, reference, test)
	if err != nil {
		return nil, fmt.Errorf("evaluate: %w", err)
	}
	e := t.evaluation()
	if !own {
		e.Reference = reference.Len()
	}
	if r != t {
		trained := classify.Accuracy(r.labels, reference.Y)
		e.Trained = &trained
	}
	for k, a := range attacks {
		c, err := t.curiosity(ctx, &a, attributes[k], r)
		if err != nil {
			return nil, fmt.Errorf("evaluate: %w", err)
		}
		e.Sensitive = append(e.Sensitive, *c)
	}
	e.adjust()
	return e, nil
}

// checkEvaluation returns an error if the parts, F and the attacks are not made for each
// other. It returns the index of each attack's attribute.
func checkEvaluation(f *nn.Graph, attacks []Attack, reference, test *dataset.Set) ([]int, error) {
	if test == nil || test.Len() == 0 || reference.Len() == 0 {
		return nil, errors.New("there are no examples to measure on")
	}
	classes := len(test.YNames)
	if err := checkGraph("the classifier", f, nn.Size(test.Shape), classes, test.YName); err != nil {
		return nil, err
	}
	if err := checkPart(reference, test); err != nil {
		return nil, err
	}
	attributes := make([]int, len(attacks))
	for k, a := range attacks {
		index, err := attributeOf(a, test)
		if err != nil {
			return nil, err
		}
		s := test.Sensitive[index]
		if err := checkGraph("the attack on "+s.Name, a.Graph, classes, len(s.Values), s.Name); err != nil {
			return nil, err
		}
		attributes[k] = index
	}
	return attributes, nil
}

// checkGraph errs unless a net takes that many values and gives a score for each
// class of an attribute.
func checkGraph(what string, g *nn.Graph, inputs, classes int, attribute string) error {
	if g == nil {
		return fmt.Errorf("%s has no net", what)
	}
	shapes, err := g.Shapes()
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if got := nn.Size(g.InputShape); got != inputs {
		return fmt.Errorf("%s takes %d values an example, but gets %d: evaluate it on data prepared as in training", what, got, inputs)
	}
	if got := nn.Size(shapes[g.Output]); got != classes || classes < 2 {
		return fmt.Errorf("%s has %d outputs, but %q has %d classes: both must be the same, 2 or more", what, got, attribute, classes)
	}
	return nil
}

// checkPart returns an error if the reference part's attributes are not the test part's.
func checkPart(part, test *dataset.Set) error {
	if len(part.YNames) != len(test.YNames) || len(part.Sensitive) != len(test.Sensitive) || !slices.Equal(part.Shape, test.Shape) {
		return errors.New("the reference part's examples or attributes are of another kind than the test part's")
	}
	for k, s := range part.Sensitive {
		if s.Name != test.Sensitive[k].Name || len(s.Values) != len(test.Sensitive[k].Values) {
			return fmt.Errorf("sensitive attribute %d is %q of %d classes in the reference part and %q of %d in the test part",
				k, s.Name, len(s.Values), test.Sensitive[k].Name, len(test.Sensitive[k].Values))
		}
	}
	return nil
}

// attributeOf returns the index of the attribute that an attack is after.
func attributeOf(a Attack, set *dataset.Set) (int, error) {
	inside := a.Index >= 0 && a.Index < len(set.Sensitive)
	if inside && (a.Attribute == "" || set.Sensitive[a.Index].Name == a.Attribute) {
		return a.Index, nil
	}
	var names []string
	for k, s := range set.Sensitive {
		if a.Attribute != "" && s.Name == a.Attribute {
			return k, nil
		}
		names = append(names, s.Name)
	}
	return 0, fmt.Errorf("an attack is after %q, but the data's sensitive attributes are %q: name it among them", a.Attribute, names)
}
