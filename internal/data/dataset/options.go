package dataset

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tattle/internal/engine/nn"
)

// Options say what [OpenParts] and [OpenInputs] read. The zero value takes the kind from the path and
// the target and sensitive attributes from the kind.
type Options struct {
	Kind        string   `json:"kind"`                   // one of the Kind constants; "" is guessed from the path
	Labels      string   `json:"labels,omitempty"`       // CSV with the labels of pictures; "" is labels.csv among them. Of mnist: the folder of QMNIST's labels; "" is the pictures' own
	FileColumn  string   `json:"file_column,omitempty"`  // of Labels: names the pictures; "" is file, filename, path, image or the first column
	SkipMissing bool     `json:"skip_missing,omitempty"` // leave out rows without a picture and pictures without a row, and note how many; otherwise they are an error
	Target      string   `json:"target,omitempty"`       // a [Rule], a shortcut or [NoTarget]; "" is the kind's own: digit, class, income, gender
	Sensitive   []string `json:"sensitive,omitempty"`    // as [ParseSensitive] reads them, or shortcuts; none: the kind's own where it has one: writer, family, sex
	Group       string   `json:"group,omitempty"`        // column that identifies the person of each example, [GroupFolder] or [NoGroup]; "" takes an array of an .npz by its name ([SaysGroup])
	Numbers     bool     `json:"numbers,omitempty"`      // attributes may be numeric, as [Asked] says; otherwise NAME:number is an error
	Side        int      `json:"side,omitempty"`         // of pictures in files, in pixels; 0 is DefaultSide
	Seed        uint64   `json:"seed"`                   // of parts that the data does not fix, of Limit's choice, and of glyphs
	Limit       Limit    `json:"limit,omitzero"`         // of the examples that are read
	Part        Split    `json:"part,omitempty"`         // that is measured. [OpenInputs] reads no other; "" is Test; data without parts is read whole. Of [OpenParts]: that of Limit's indices, or [All]

	// InputsOf are the options that a model was trained with. The inputs of a table are then those that the model
	// learned to take: all columns but the target and the sensitive columns of these options. Nil, or columns that
	// are not there, mean that the inputs are made by the options themselves.
	InputsOf *Options `json:"-"`

	// Alone says that [OpenParts] reads no other part than Part. A table is standardised by all rows of its training part.
	Alone bool `json:"-"`

	// Others is the limit of the parts that [OpenParts] reads beside Part, whose indices are of the training part; nil is Limit.
	Others *Limit `json:"-"`

	Progress func(done, total int) `json:"-"` // of decoding; nil, or called from one goroutine at a time
	Decoded  *Decoded              `json:"-"` // the pictures that were decoded last; nil: none

	// What [OpenInputs] makes of the data for another program's model.
	Preprocess Preprocess  `json:"-"` // of pictures; the zero value is the kind's own
	Shape      []int       `json:"-"` // of the model's input, to check against; tables and arrays are seen in it; nil is unknown
	Columns    []nn.Column `json:"-"` // of a model of tables, whose values it takes as they are
	Words      []string    `json:"-"` // that such a model knows; it is given their index
	Missing    bool        `json:"-"` // numbers that such a model is not given are NaN, and not an error

	ViewsOf       *Set     `json:"-"` // the rows that are read are those of this set, of whichever part
	divided       bool     // of OpenParts: the data is read in three parts
	Undivided     bool     `json:"-"` // data without parts are not divided by the seed: all rows are read
	VectorColumns []string `json:"-"` // of KindVectors: as [sheet.Columns.Like] reads them; none: found by their names
}

// DefaultSide is the side that pictures are resized to: B's.
const DefaultSide = 64

// Kinds of data.
const (
	KindUTKFace  = "utkface"  // names age_gender_race_date.jpg
	KindCelebA   = "celeba"   // list_attr_celeba.txt
	KindFairFace = "fairface" // labels.csv; folders train and val
	KindImages   = "images"   // a folder or zip with a CSV of labels
	KindAdult    = "adult"    // UCI Adult: adult.data, adult.test
	KindTable    = "table"    // any CSV
	KindMNIST    = "mnist"    // idx files or CIFAR-10, with QMNIST's labels where they are
	KindGlyphs   = "glyphs"   // drawn here; the path is not looked at
	KindArrays   = "npz"      // of [OpenInputs] alone: NumPy's arrays: x or images, and y or labels
	KindVectors  = "vectors"  // of [OpenInputs] alone: vectors as they are, in an .npz, .npy or CSV, with other columns as labels
	KindFolders  = "folders"  // of [OpenInputs] alone: pictures in a folder for each class, or in one folder without labels
)

// inputKinds lists the kinds of data that [OpenInputs] reads. [OpenParts] reads all but the last three.
var inputKinds = []string{KindUTKFace, KindCelebA, KindFairFace, KindImages, KindAdult, KindTable, KindMNIST, KindGlyphs, KindArrays, KindFolders, KindVectors}

// partKinds lists the kinds of data that [OpenParts] reads.
var partKinds = inputKinds[:len(inputKinds)-3]

// NoTarget stands for a target and means that there is none: the examples have no Y.
const NoTarget = "none"

// Two values of Options.Group do not name a column. With GroupFolder, the pictures of one folder are of one person. With NoGroup,
// each row is of another person.
const (
	GroupFolder = "folder"
	NoGroup     = "none"
)

// SaysGroup reports whether the name of an array says that it identifies people: group, person or subject.
func SaysGroup(name string) bool {
	return slices.Contains([]string{"group", "person", "subject"}, strings.ToLower(name))
}

// NumberSuffix follows the name of a column whose numbers are a sensitive attribute.
const NumberSuffix = ":number"

// check completes the options of [OpenInputs].
func (o *Options) check() error {
	if o.Part = cmp.Or(o.Part, Test); !slices.Contains(partNames[:], o.Part) {
		return fmt.Errorf("part %q: want %q, %q or %q", string(o.Part), Train, Validation, Test)
	}
	for _, d := range o.Shape {
		if d < 1 {
			return fmt.Errorf("inputs of shape %s: want sizes of 1 or more", nn.ShapeString(o.Shape))
		}
	}
	if err := o.Preprocess.Check(); err != nil {
		return fmt.Errorf("preprocessing: %w", err)
	}
	return nil
}
