package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"tattle/curious/training"
	"tattle/dataset"
	"tattle/internal/progress"
	"tattle/measure"
)

// readForeign reads the examples as inputs of another program's model: pictures go
// through its preprocessing. The reader knows one label, so that every attribute
// is a reading of its own.
func (c *auditCmd) readForeign(ctx context.Context, e *env, m *measure.Model, shape []int) (*examples, error) {
	if c.Data == "" || c.Data == glyphsName {
		return nil, usage(errors.New("--preprocess: it needs --data with pictures"), "")
	}
	if c.Size != 0 || c.Part == allParts {
		return nil, usage(errors.New("--preprocess: it goes with neither --size nor --part all"), "settings such as resize=224 say the size; --part names one part")
	}
	if len(c.Sensitive) == 0 {
		return nil, usage(errors.New("--preprocess: it needs --sensitive, the columns of the labels that are not to be told"), "")
	}
	src := &training.Source{Path: absoluteData(c.Data), Seed: c.Seed}
	c.settle(src)
	x := &examples{source: src, part: c.Part, notes: m.Notes()}
	if x.part == "" {
		x.part = string(dataset.Test)
	}
	for i, rule := range append([]string{c.Target}, c.Sensitive...) {
		set, notes, err := c.readInputs(ctx, e, x, m, shape, rule)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			x.set, x.notes = set, append(x.notes, notes...)
			x.set.Sensitive = nil
			continue
		}
		if !set.Labelled() || !sameInputs(x.set, set) {
			return nil, usage(fmt.Errorf("--sensitive %s: it leaves out other examples than the target does", rule), "give labels in which no example lacks either, or a rule with a class for all others, as \"race: White; *\"")
		}
		x.set.Sensitive = append(x.set.Sensitive, dataset.Attribute{Name: set.YName, Values: set.YNames, Labels: set.Y})
	}
	x.set.SHA256 = x.set.Sum()
	return x, nil
}

// readInputs reads them with one of their labels.
func (c *auditCmd) readInputs(ctx context.Context, e *env, x *examples, m *measure.Model, shape []int, rule string) (*dataset.Set, []string, error) {
	bar := progress.New(e.stderr, "reading pictures", -1)
	defer bar.Close()
	o := dataset.InputOptions{
		Split: dataset.Split(x.part), Kind: x.source.Kind, Preprocess: m.DataPreprocess(), Labels: x.source.Labels, FileColumn: x.source.FileColumn,
		Target: rule, Seed: x.source.Seed, Shape: shape, Cache: x.source.Cache,
		Progress: bar.Set,
	}
	if c.Examples != "" {
		o.Choose = func(n int) ([]int, error) { return chooseExamples(c.Examples, n, c.Seed) }
	}
	set, notes, err := dataset.OpenInputs(ctx, x.source.Path, o)
	var s *statusError
	if err != nil && !errors.As(err, &s) {
		err = openError(ctx, err)
	}
	return set, notes, err
}

// sameInputs says whether two sets are of the same examples in the same order.
func sameInputs(a, b *dataset.Set) bool {
	return a.Len() == b.Len() && bytes.Equal(a.Pixels, b.Pixels) && slices.Equal(a.Values, b.Values)
}
