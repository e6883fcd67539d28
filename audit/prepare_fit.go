package audit

import (
	"fmt"
	"slices"

	"tattle/dataset"
	"tattle/measure"
)

// wrongReference returns the error of training data that cannot be used.
func wrongReference(err error, hint string) error {
	return &measure.OptionError{Option: "Reference", Err: err, Hint: hint}
}

// fits returns an error if the training data are of another task than the audited outputs.
func (r *Record) fits(train *dataset.Set) error {
	s := r.Sample
	switch {
	case len(train.YNames) != len(s.Classes):
		return wrongReference(fmt.Errorf("its target has %d classes %q, the outputs %d: %q", len(train.YNames), train.YNames, len(s.Classes), s.Classes), "--reference-target says which column, or a rule that makes the same classes")
	case len(train.Sensitive) != len(s.Sensitive):
		return wrongReference(fmt.Errorf("it has %d sensitive attributes, the outputs %d", len(train.Sensitive), len(s.Sensitive)), "--reference-sensitive names them in the same order")
	case !r.Unpaired:
		return nil
	}
	for i := range train.Sensitive {
		if err := sameAttribute(&train.Sensitive[i], &s.Sensitive[i]); err != nil {
			return err
		}
	}
	return nil
}

// renamed returns outputs of other examples with the names of the audited attributes.
// Attributes are matched by their order, because figures do not depend on names.
func (r *Record) renamed(trained []*Sample) (all []*Sample, err error) {
	for _, t := range trained {
		s := *t
		s.Sensitive = slices.Clone(t.Sensitive)
		for i := range s.Sensitive {
			as := &r.Sample.Sensitive[i]
			if err := sameAttribute(&s.Sensitive[i], as); err != nil {
				return nil, err
			}
			s.Sensitive[i].Name = as.Name
		}
		all = append(all, &s)
	}
	return all, nil
}

// sameAttribute returns an error if an attribute of the training data cannot be compared
// with an audited one.
func sameAttribute(a, audited *Attribute) error {
	if audited.Numeric() {
		return wrongReference(fmt.Errorf("%s is numeric in the outputs, and training data have classes", audited.Name), fmt.Sprintf("--sensitive %q takes it as classes", audited.Name+":class"))
	}
	if len(a.Values) != len(audited.Values) {
		return wrongReference(fmt.Errorf("%s has %d classes %q there, and %s %d in the outputs: %q", a.Name, len(a.Values), a.Values, audited.Name, len(audited.Values), audited.Values), "--reference-sensitive takes a rule that makes the same classes")
	}
	return nil
}
