package curious

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
)

// Check says what keeps Train from training on p with these options, if anything
// does, and the fix. Flags and model files are checked where they are read.
func (o Options) Check(p *dataset.Parts) error {
	given := o
	o = o.WithDefaults()
	if o.Attributes == nil && p != nil && p.Train != nil {
		o.Attributes = nn.Indices(len(p.Train.Sensitive))
	}
	for _, check := range []func() error{
		func() error { return o.checkBeta(given.Beta == (Beta{})) },
		func() error { return checkParts(p) },
		func() error { return checkTarget(p) },
		func() error { return o.checkAttributes(p) },
		func() error { return o.checkFit(p.Train) },
	} {
		if err := check(); err != nil {
			return fmt.Errorf("train: %w", err)
		}
	}
	return nil
}

func (o Options) checkBeta(isDefault bool) error {
	b := o.Beta
	hides := o.Attack != Standard && o.Attack != Overlearning
	switch {
	case b.Y == 0:
		return fmt.Errorf("beta %v: βy is 0, so that nothing would be honest: give it a weight", b)
	case hides && b.S == 0:
		return fmt.Errorf("beta %v: βs is 0, so that nothing would be hidden: give it a weight, or train a standard classifier", b)
	case o.Attack == MixtureKind:
		return b.checkMixture()
	case !hides && b.S != 0 && !isDefault:
		return fmt.Errorf("beta %v: a %s classifier has no βs: set it to 0, or hide s by the parameterized attack", b, Standard)
	}
	return nil
}

// checkParts looks at the data as such.
func checkParts(p *dataset.Parts) error {
	if p == nil || p.Train == nil || p.Train.Len() == 0 {
		return errors.New("there are no training examples")
	}
	if p.Validation == nil || p.Validation.Len() == 0 {
		return errors.New("there are no validation examples, by which the best epoch is chosen: take some from the training part")
	}
	return nil
}

// checkTarget looks at the target attribute.
func checkTarget(p *dataset.Parts) error {
	return checkClasses("target", dataset.Attribute{Name: cmp.Or(p.Train.YName, "y"), Values: p.Train.YNames, Labels: p.Train.Y})
}

// checkClasses returns an error if an attribute is constant or a class of it has no training
// example.
func checkClasses(role string, a dataset.Attribute) error {
	if len(a.Values) < 2 {
		return fmt.Errorf("the %s attribute %q has one value only: there is nothing to tell apart", role, a.Name)
	}
	count := make([]int, len(a.Values))
	for _, v := range a.Labels {
		count[v]++
	}
	if i := slices.Index(count, 0); i >= 0 {
		if len(count) == 2 {
			return fmt.Errorf("the %s attribute %q is %q in every training example: choose another", role, a.Name, a.Values[1-i])
		}
		return fmt.Errorf("no training example has %q for the %s attribute %q: leave the class out or join it with another", a.Values[i], role, a.Name)
	}
	return nil
}

// checkAttributes looks at the sensitive attributes that are chosen.
func (o Options) checkAttributes(p *dataset.Parts) error {
	if o.Attack == Standard {
		return nil
	}
	train := p.Train
	if len(o.Attributes) == 0 {
		return fmt.Errorf("the data have no sensitive attribute, which the %s attack is on: name one", o.Attack)
	}
	seen := map[int]bool{}
	for _, i := range o.Attributes {
		if i < 0 || i >= len(train.Sensitive) {
			return fmt.Errorf("there is no sensitive attribute %d: there are %d, from 0", i, len(train.Sensitive))
		}
		if seen[i] {
			return fmt.Errorf("the sensitive attribute %q is named twice", train.Sensitive[i].Name)
		}
		seen[i] = true
		if err := checkClasses("sensitive", train.Sensitive[i]); err != nil {
			return err
		}
	}
	return nil
}

// checkFit returns an error if the attack cannot carry the attributes.
func (o Options) checkFit(train *dataset.Set) error {
	if o.Attack == Standard {
		return nil
	}
	if o.Attack == MixtureKind && o.Outputs == Raw {
		return errors.New("the mixture adds probabilities, so its outputs are soft: leave out raw")
	}
	if n := len(o.Attributes); o.Attack == MixtureKind && n != 1 {
		return fmt.Errorf("the mixture hides one sensitive attribute, not %d: name one, or take the parameterized attack", n)
	}
	y := len(train.YNames)
	for _, i := range o.Attributes {
		a := train.Sensitive[i]
		if n := len(a.Values); o.Attack == Regularized && n != 2 {
			return fmt.Errorf("the regularized attack tells two classes apart, and %q has %d: group them into two, or take the parameterized attack", a.Name, n)
		} else if o.Attack == MixtureKind && n > y {
			return fmt.Errorf("the mixture hides at most as many classes as the target has, %d, and %q has %d: group them, or take the parameterized attack", y, a.Name, n)
		}
	}
	return nil
}
