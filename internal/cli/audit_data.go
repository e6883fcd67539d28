package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"tattle/curious/training"
	"tattle/dataset"
	"tattle/nn"
)

// examples are those that a model or an endpoint is asked about.
type examples struct {
	set    *dataset.Set
	parts  *dataset.Parts // that they are of; nil where they were read as another program's inputs
	source *training.Source
	part   string
	notes  []string
}

// source says how --data is read: as the run of the audited model did, where that is
// what is asked for.
func (c *auditCmd) source() *training.Source {
	own := c.ownRun()
	src := &training.Source{Kind: kinds[c.Kind], Path: absoluteData(c.Data), Seed: c.Seed}
	if c.Data == glyphsName {
		src.Kind = dataset.KindGlyphs
	}
	if own != nil && (c.Data == "" || src.Path == own.Path) {
		*src = *own
		src.HoldOut = false
	}
	c.settle(src)
	return src
}

// settle writes what the flags say over a source.
func (c *auditCmd) settle(src *training.Source) {
	if c.Kind != "" {
		src.Kind = kinds[c.Kind]
	}
	if c.Labels != "" {
		src.Labels = absolute(c.Labels)
	}
	if c.FileColumn != "" {
		src.FileColumn = c.FileColumn
	}
	if c.Target != "" {
		src.Target = c.Target
	}
	if len(c.Sensitive) > 0 {
		src.Sensitive = c.Sensitive
	}
	if c.Size != 0 {
		src.Side = c.Size
	}
	if c.DataSeed != nil {
		src.Seed = *c.DataSeed
	}
	if c.Cache != "" {
		src.Cache = cacheFolder(c.Cache)
	}
}

// absoluteData is a path good from any folder; the generated data have none.
func absoluteData(path string) string {
	if path == "" || path == glyphsName {
		return ""
	}
	return absolute(path)
}

// ownRun is how the data were read that a model of ours was trained on: nil where its
// folder does not say so.
func (c *auditCmd) ownRun() *training.Source {
	if r := c.ownResult(); r != nil {
		return r.Source
	}
	return nil
}

// ownResult is result.json beside the model, nil where there is none.
func (c *auditCmd) ownResult() *training.Result {
	if c.Model == "" {
		return nil
	}
	r, err := training.ReadResult(filepath.Dir(c.Model))
	if err != nil || !slices.ContainsFunc(r.Files, func(f training.File) bool { return f.Name == filepath.Base(c.Model) }) {
		return nil
	}
	return r
}

// read reads the examples, pictures of the given shape where that is known.
func (c *auditCmd) read(ctx context.Context, e *env, shape []int) (*examples, error) {
	src := c.source()
	if src.Side == 0 && len(shape) == 3 && shape[1] == shape[2] && src.Kind != dataset.KindAdult && src.Kind != dataset.KindTable {
		src.Side = shape[1]
	}
	_, parts, err := openSource(ctx, e, src)
	if err != nil {
		return nil, err
	}
	if parts, err = c.withColumns(ctx, e, src, parts, shape); err != nil {
		return nil, err
	}
	x := &examples{parts: parts, source: src, part: c.part(src), notes: slices.Clone(parts.Notes)}
	if x.set, err = partOf(parts, x.part); err != nil {
		return nil, err
	}
	if c.Part == "" && x.part != allParts {
		x.notes = append(x.notes, "The test part is audited: models learned from the others.")
	}
	return x, c.draw(x)
}

// part is the one that is audited.
func (c *auditCmd) part(src *training.Source) string {
	switch own := c.ownRun(); {
	case c.Part != "":
		return c.Part
	case own != nil && own.Path == src.Path && own.Kind == src.Kind, c.Reference != "" && c.sameData(src):
		return string(dataset.Test)
	}
	return allParts
}

// sameData says whether the references are trained on the audited data.
func (c *auditCmd) sameData(src *training.Source) bool {
	return absoluteData(c.Reference) == src.Path && (c.Reference == glyphsName) == (src.Kind == dataset.KindGlyphs)
}

// draw leaves the examples that --examples asks for.
func (c *auditCmd) draw(x *examples) error {
	if c.Examples == "" {
		return nil
	}
	rows, err := chooseExamples(c.Examples, x.set.Len(), c.Seed)
	if err != nil {
		return err
	}
	if len(rows) < x.set.Len() {
		x.notes = append(x.notes, fmt.Sprintf("%d of %d examples are audited.", len(rows), x.set.Len()))
	}
	x.set = x.set.Subset(rows)
	return nil
}

// partOf is one part of the data, or all of them one after the other.
func partOf(p *dataset.Parts, part string) (*dataset.Set, error) {
	var all []*dataset.Set
	for _, x := range []struct {
		name dataset.Split
		set  *dataset.Set
	}{{dataset.Train, p.Train}, {dataset.Validation, p.Validation}, {dataset.Test, p.Test}} {
		if x.set != nil && x.set.Len() > 0 && (part == allParts || part == string(x.name)) {
			all = append(all, x.set)
		}
	}
	if len(all) == 0 {
		return nil, usage(fmt.Errorf("--part: the data have no %s part", part), "")
	}
	return dataset.Join(all...), nil
}

func namesOfSensitive(set *dataset.Set) []string {
	var names []string
	for _, a := range set.Sensitive {
		names = append(names, a.Name)
	}
	return names
}

// fitsInto errs where a model of inputs of a shape cannot take the examples.
func (x *examples) fitsInto(shape []int) error {
	is := x.set.Shape
	if nn.Size(is) == nn.Size(shape) && (len(is) != len(shape) || slices.Equal(is, shape)) {
		return nil
	}
	err := fmt.Errorf("--model: it takes inputs of shape %v, but the data have inputs of shape %v", shape, is)
	if len(is) == 1 {
		return usage(err, fmt.Sprintf("the inputs of a table are all columns except the target (%s) and the sensitive ones (%s): name those that the model was trained with by --target and --sensitive; if its columns were prepared by another program, audit its outputs with --outputs", x.set.YName, strings.Join(namesOfSensitive(x.set), ", ")))
	}
	return usage(err, "--size resizes pictures; --preprocess prepares them as another program does")
}
