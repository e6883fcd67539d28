package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
)

// LabelledOptions says what [OpenParts] reads; the zero value takes the kind
// from the path and the target and sensitive attributes from the kind.
type LabelledOptions struct {
	Kind        string   `json:"kind"`                   // one of [OpenParts]'s kinds; "" is guessed from the path
	Labels      string   `json:"labels,omitempty"`       // CSV with the labels of pictures; "" is labels.csv among them. Of mnist: the folder of QMNIST's labels; "" is the pictures' own
	FileColumn  string   `json:"file_column,omitempty"`  // of Labels: names the pictures; "" is file, filename, path, image or the first column
	SkipMissing bool     `json:"skip_missing,omitempty"` // leave out rows without a picture and pictures without a row, and note how many; otherwise they are an error
	Target      string   `json:"target,omitempty"`       // a [Rule], a shortcut or [NoTarget]; "" is the kind's own: digit, class, income, gender
	Sensitive   []string `json:"sensitive,omitempty"`    // as [ParseSensitive] reads them, or shortcuts; none: the kind's own where it has one: writer, family, sex
	Numbers     bool     `json:"numbers,omitempty"`      // attributes may be numeric, as [Asked] says; otherwise NAME:number is an error
	Side        int      `json:"side,omitempty"`         // of pictures, in pixels; 0 is DefaultSide (glyphs: 28, in grey)
	Seed        uint64   `json:"seed"`                   // of parts that the data does not fix, of Limit's choice, and of glyphs
	ModelInputs int      `json:"model_inputs,omitempty"` // of a table: how many inputs the model takes; constant columns are then inputs if they make up this number; 0 is unknown
	Limit       int      `json:"limit,omitempty"`        // the most training examples, chosen by Seed; 0 is all

	// InputsOf are the options that a model was trained with. The inputs of a table are then those that the model
	// learned to take: all columns but the target and the sensitive columns of these options. Nil means that
	// the inputs are made by the options themselves.
	InputsOf *LabelledOptions `json:"-"`

	Progress func(done, total int) `json:"-"`
}

// DefaultSide is the side that pictures are resized to: B's.
const DefaultSide = 64

// Kinds of data that [OpenParts] reads.
const (
	KindUTKFace  = "utkface"  // names age_gender_race_date.jpg
	KindCelebA   = "celeba"   // list_attr_celeba.txt
	KindFairFace = "fairface" // labels.csv; folders train and val
	KindImages   = "images"   // a folder or zip with a CSV of labels
	KindAdult    = "adult"    // UCI Adult: adult.data, adult.test
	KindTable    = "table"    // any CSV
	KindMNIST    = "mnist"    // whatever [Open] reads, with QMNIST's labels where they are
	KindGlyphs   = "glyphs"   // drawn here; the path is not looked at
)

// labelledKinds lists the kinds of data that [OpenParts] reads.
func labelledKinds() []string {
	return []string{KindUTKFace, KindCelebA, KindFairFace, KindImages, KindAdult, KindTable, KindMNIST, KindGlyphs}
}

// Parts is a data set in three: what is learned from, what is chosen by, and
// what is measured on.
type Parts struct {
	Train, Validation, Test *Set
	Notes                   []string // what a reader wants to know: rows left out, how it was divided
}

// Sum returns the SHA-256 of all three parts.
func (p *Parts) Sum() string {
	h := sha256.New()
	for _, s := range []*Set{p.Train, p.Validation, p.Test} {
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
// rules do not move examples from one part to another. So are those of a value of a sensitive
// column, named without a rule, that has no training or no test example. It returns an error if
// another class is left without an example in training or test, or an attribute with one class.
func OpenParts(ctx context.Context, path string, o LabelledOptions) (*Parts, error) {
	src, err := openOrigin(path, o)
	if err != nil {
		return nil, err
	}
	defer src.close()
	src.modelInputs = o.ModelInputs
	return src.parts(ctx, o)
}

// parts chooses the attributes, divides the rows, and reads the inputs.
func (src *origin) parts(ctx context.Context, o LabelledOptions) (*Parts, error) {
	chosen, d, err := src.divided(o)
	if err == nil && o.InputsOf != nil {
		src.trained = new(trained)
		src.trained.chosen, src.trained.division, err = src.divided(*o.InputsOf)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", src.labels.source, err)
	}
	sets, err := src.inputs(ctx, d, chosen)
	if err != nil {
		return nil, err
	}
	for i, set := range sets {
		if err := chosen.fill(set, d.rows[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", src.labels.source, err)
		}
		set.Name = src.name
		set.finish()
	}
	notes := append(append(src.labels.notes, d.notes...), src.notes...)
	return &Parts{Train: sets[0], Validation: sets[1], Test: sets[2], Notes: notes}, nil
}

// divided chooses the attributes, and the rows of each part that have them.
func (src *origin) divided(o LabelledOptions) (*chosen, *division, error) {
	c, err := src.choose(o)
	if err != nil {
		return nil, nil, err
	}
	d := src.divide(o.Seed)
	d.leaveOut(c)
	d.limit(o.Limit, o.Seed)
	d.dropRare(c)
	return c, d, d.check(c)
}

// trained is what the inputs of a table were made by when a model was trained.
type trained struct {
	chosen   *chosen
	division *division
}

// origin is data whose labels are known and whose inputs are not read yet.
type origin struct {
	labels      *labels
	name        string            // of the set
	target      string            // the kind's own rule; "" if it has none
	sensitive   []string          // the kind's own rules
	shortcuts   map[string]string // names that stand for rules
	sorted      bool              // the classes of the target are its sorted values, be they numbers or not
	elsewhere   map[string]string // columns that are not there, and where they are
	notes       []string          // of reading the inputs
	modelInputs int               // as in LabelledOptions
	trained     *trained          // of LabelledOptions.InputsOf; nil for none
	close       func()
	fsys        fs.FS // that pictures are in; nil for other data

	// inputs makes the sets of the three parts, without labels.
	inputs func(ctx context.Context, d *division, c *chosen) ([3]*Set, error)
}

// openOrigin reads the labels.
func openOrigin(path string, o LabelledOptions) (*origin, error) {
	kind, err := kindOf(path, o.Kind, o.Labels, labelledKinds())
	if err != nil {
		return nil, err
	}
	if o.Limit < 0 || o.Side < 0 {
		return nil, fmt.Errorf("%d training examples of side %d: want no negative numbers", o.Limit, o.Side)
	}
	switch kind {
	case KindMNIST:
		return openDigits(path, o)
	case KindGlyphs:
		return drawGlyphs(o)
	case KindAdult:
		return openAdult(path)
	case KindTable:
		return openTable(path)
	}
	return openPictures(path, kind, o)
}

// NoTarget stands for a target and means that there is none: the examples have no Y.
const NoTarget = "none"

// NumberSuffix follows the name of a column whose numbers are a sensitive attribute.
const NumberSuffix = ":number"

// largestNumber is the largest magnitude of a number of an attribute: its square is finite.
const largestNumber = 1e100

// aliases are B's names of CelebA's attributes where they differ, folded.
var aliases = map[string]string{
	"mouthopen":  "mouthslightlyopen",
	"highcheeks": "highcheekbones",
	"lipstick":   "wearinglipstick",
}
