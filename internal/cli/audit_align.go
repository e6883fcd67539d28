package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tattle/audit"
)

// takeReferences takes what honest classifiers release. Those of other examples may call
// things otherwise: figures do not depend on names, so that attributes go by their order.
func (d *audited) takeReferences(raw []*audit.Sample) error {
	if d.References = raw; !d.Unpaired {
		return nil
	}
	d.References = nil
	for _, r := range raw {
		alike := *r
		alike.Sensitive = slices.Clone(r.Sensitive)
		for i := range alike.Sensitive {
			if err := alikeAttribute(&alike.Sensitive[i], &d.sample.Sensitive[i]); err != nil {
				return err
			}
		}
		d.References = append(d.References, &alike)
	}
	return nil
}

// checkTraining refuses data of another task than the audited one.
func (d *audited) checkTraining() error {
	own := d.training.Train
	switch {
	case len(own.YNames) != len(d.sample.Classes):
		return usage(fmt.Errorf("--reference: its target has %d classes %q, the outputs %d: %q", len(own.YNames), own.YNames, len(d.sample.Classes), d.sample.Classes), "--reference-target says which column, or a rule that makes the same classes")
	case len(own.Sensitive) != len(d.sample.Sensitive):
		return usage(fmt.Errorf("--reference: it has %d sensitive attributes, the outputs %d", len(own.Sensitive), len(d.sample.Sensitive)), "--reference-sensitive names them in the same order")
	case !d.Unpaired:
		return nil
	}
	for i, a := range own.Sensitive {
		if err := alikeAttribute(&audit.Attribute{Name: a.Name, Values: a.Values}, &d.sample.Sensitive[i]); err != nil {
			return err
		}
	}
	return nil
}

// alikeAttribute gives an attribute of other examples the audited one's name.
func alikeAttribute(a, as *audit.Attribute) error {
	if as.Numeric() {
		return usage(fmt.Errorf("--reference: %s is numeric in the outputs, and training data have classes", as.Name), fmt.Sprintf("--sensitive %q takes it as classes", as.Name+":class"))
	}
	if len(a.Values) != len(as.Values) {
		return usage(fmt.Errorf("--reference: %s has %d classes %q there, and %s %d in the outputs: %q", a.Name, len(a.Values), a.Values, as.Name, len(as.Values), as.Values), "--reference-sensitive takes a rule that makes the same classes")
	}
	a.Name = as.Name
	return nil
}

// renamed is what is wrong with reading the training data.
func (c *auditCmd) renamed(err error) error {
	said := errors.New("--reference: " + strings.TrimPrefix(err.Error(), "--data: "))
	s, ok := err.(*statusError)
	switch {
	case !ok && errors.Is(err, context.Canceled):
		return err
	case !ok:
		return said
	case s.hint == "" && c.Outputs != "":
		s.hint = "--reference-target and --reference-sensitive say what is there what the outputs call otherwise"
	}
	return &statusError{s.status, said, s.hint}
}
