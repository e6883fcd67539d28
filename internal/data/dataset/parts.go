package dataset

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// Parts is a data set in three: what is learned from, what is chosen by, and
// what is measured on.
type Parts struct {
	Train, Validation, Test *Set
	Notes                   []string // what a reader wants to know: rows left out, how it was divided
}

// Sum returns the SHA-256 of all three parts.
func (p *Parts) Sum() string { return sumOf(p.Train, p.Validation, p.Test) }

// Learned returns the SHA-256 of what is learned from and chosen by.
func (p *Parts) Learned() string { return sumOf(p.Train, p.Validation) }

// sumOf returns the SHA-256 of some sets, which may be nil.
func sumOf(sets ...*Set) string {
	h := sha256.New()
	for _, s := range sets {
		if s != nil {
			io.WriteString(h, s.SHA256+"\n")
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// OpenParts reads labelled data in three parts. Parts that the data comes in
// are kept; where it has no test part a fifth becomes one, and where it has no
// validation part a tenth of the training part, drawn by Seed and put down in
// Notes. UTKFace is divided as B's authors divided it, whatever the seed.
//
// Rows that fall in no class of a rule are left out, after the division, so that
// rules do not move examples from one part to another. It returns an error if
// a class is left without an example in training or test, or an attribute with one class.
func OpenParts(ctx context.Context, path string, o Options) (*Parts, error) {
	o.divided, o.Shape, o.Preprocess, o.Columns = true, nil, Preprocess{}, nil
	src, err := openOrigin(ctx, path, o, partKinds)
	if err != nil {
		return nil, err
	}
	defer src.close()
	return src.parts(ctx, o)
}

// parts chooses the attributes, divides the rows, and reads the inputs.
func (src *origin) parts(ctx context.Context, o Options) (*Parts, error) {
	c, d, err := src.divided(o)
	if err == nil && o.InputsOf != nil {
		own := *o.InputsOf
		own.divided = true
		if as, division, lacking := src.divided(own); lacking == nil {
			src.trainedAs, src.trainedOn = as, division.rows[trainPart]
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", src.source, err)
	}
	trained := d.rows[trainPart]
	if o.Alone {
		if err := d.limit(o); err != nil {
			return nil, err
		}
	}
	src.notes = append(src.notes, d.notes...)
	all, err := src.read(ctx, d.order(), trained, c)
	if err != nil {
		return nil, err
	}
	var sets [3]*Set
	from := 0
	for i, rows := range d.rows {
		sets[i] = all.cut(from, from+len(rows))
		from += len(rows)
		if err := src.fill(sets[i], c, rows); err != nil {
			return nil, err
		}
		sets[i].finish()
	}
	return &Parts{Train: sets[0], Validation: sets[1], Test: sets[2], Notes: src.notes}, nil
}

// divided chooses the attributes, and the rows of each part that have them.
func (src *origin) divided(o Options) (*chosen, *division, error) {
	c, err := src.choose(o)
	if err != nil {
		return nil, nil, err
	}
	d := src.divide(o.Seed, c.group)
	if d.leaveOut(c); !o.Alone {
		err = d.limit(o)
	}
	return c, d, cmp.Or(err, d.check(c))
}

// OpenInputs reads the examples that a model is measured on. The notes it returns say
// what a reader should know: missing parts, examples left out, and assumptions about
// the values. The path is one of
//
//   - a folder of idx files named as MNIST's, or one such file with its labels beside it;
//   - a folder of CIFAR-10's binary records;
//   - a .npz with an array of examples (x, images, data, inputs, or the only one)
//     and one of labels (y, labels, targets) or none, or a .npy of examples;
//   - a folder or zip of pictures, with a folder for each class (torchvision's
//     ImageFolder: sorted names are the classes), with a CSV of labels, or
//     without labels;
//   - a CSV, or a folder with train.csv and test.csv, and the other kinds of
//     [OpenParts].
//
// The set may have no labels: see [Set.Labelled]. If the options have a Shape, the set
// has it; examples that do not fit it are an error.
func OpenInputs(ctx context.Context, path string, o Options) (*Set, []string, error) {
	if err := o.check(); err != nil {
		return nil, nil, err
	}
	o.Side = 0
	src, err := openOrigin(ctx, path, o, inputKinds)
	if err != nil {
		return nil, nil, err
	}
	defer src.close()
	c, err := src.choose(o)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", src.source, err)
	}
	d, part, err := src.given(o, c.group)
	if err == nil {
		d.leaveOut(c)
		err = d.has(part)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", src.source, err)
	}
	chosen, err := d.choose(o.Limit, len(d.rows[part]), o.Seed, "")
	if err != nil {
		return nil, nil, err
	}
	rows := Pick(d.rows[part], 1, chosen)
	src.notes = append(src.notes, d.notes...)
	set, err := src.read(ctx, rows, d.rows[trainPart], c)
	if err != nil {
		return nil, nil, err
	}
	if err := src.fill(set, c, rows); err != nil {
		return nil, nil, err
	}
	switch {
	case o.Preprocess.Normalises():
	case src.squares:
		src.note("no preprocessing is given: pictures are resized to %d × %d without keeping their aspect ratio, and their bytes are scaled to −1 … 1", set.Shape[1], set.Shape[2])
	case src.scaled != "":
		src.note("no normalisation is given: %s (set range, mean and std of the preprocessing to change this)", src.scaled)
	}
	set.InPart, set.Rows, set.RowsOf = chosen, rows, src.rows()
	if err := set.fit(path, o); err != nil {
		return nil, nil, err
	}
	return set.finish(), src.notes, nil
}

// origin is data whose labels are known and whose inputs are not read yet.
type origin struct {
	*labels
	name      string            // of the set
	target    string            // the kind's own rule; "" if it has none
	sensitive []string          // the kind's own rules
	shortcuts map[string]string // names that stand for rules
	sorted    bool              // the classes of the target are its sorted values, be they numbers or not
	grouped   string            // the array that identifies people by its name; "" if there is none
	elsewhere map[string]string // columns that are not there, and where they are
	single    bool              // one part is read
	divides   bool              // what has no parts is divided by the seed, whatever is read
	squares   bool              // pictures are resized, unasked, to squares
	scaled    string            // what the values are made if nothing is asked for
	trainedAs *chosen           // what a model was trained with, by Options.InputsOf; nil for none
	trainedOn []int             // the rows that it was trained on
	close     func()

	// read makes the set of some rows, in their order, without labels. What it learns of the data, it learns from the
	// training rows.
	read func(ctx context.Context, rows, training []int, c *chosen) (*Set, error)
}

// openOrigin reads the labels.
func openOrigin(ctx context.Context, path string, o Options, kinds []string) (*origin, error) {
	kind, err := kindOf(path, o.Kind, o.Labels, kinds)
	if err != nil {
		return nil, err
	}
	if o.Side < 0 {
		return nil, fmt.Errorf("pictures of side %d: want no negative number", o.Side)
	}
	var src *origin
	switch kind {
	case KindArrays:
		src, err = openArrays(path, o)
	case KindVectors:
		src, err = openVectors(ctx, path, o)
	case KindMNIST:
		src, err = openDigits(path, o)
	case KindGlyphs:
		src, err = drawGlyphs(o)
	case KindAdult, KindTable:
		src, err = openTable(path, kind, o)
	default:
		src, err = openPictures(path, kind, o)
	}
	if src == nil {
		return nil, err
	}
	if src.single = !o.divided; src.close == nil {
		src.close = func() {}
	}
	if err != nil {
		src.close()
	}
	return src, err
}

// fill gives a set its name and the labels of its rows.
func (src *origin) fill(s *Set, c *chosen, rows []int) (err error) {
	s.Name, s.YName, s.YNames = src.name, c.target.Name, c.target.Values
	s.Y, s.YNumbers = Pick(c.target.Labels, 1, rows), Pick(c.target.Numbers, 1, rows)
	if s.YNumbers != nil {
		s.Y = make([]int, len(rows))
	}
	for _, a := range c.sensitive {
		s.Sensitive = append(s.Sensitive, *a.subset(rows))
	}
	s.Group = c.group.subset(rows)
	if s.Sensitive, err = c.made.Make(s.Sensitive); err != nil {
		return fmt.Errorf("%s: %w", src.source, err)
	}
	return nil
}

// cut returns the examples lo ≤ i < hi, without labels; it shares their values.
func (s *Set) cut(lo, hi int) *Set {
	t, p := *s, s.size()
	if s.Values != nil {
		t.Values = s.Values[lo*p : hi*p : hi*p]
	} else {
		t.Pixels = s.Pixels[lo*p : hi*p : hi*p]
	}
	return &t
}
