package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/engine/nn"
	"tattle/internal/file"
	"tattle/internal/npy"
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
	Limit       int      `json:"limit,omitempty"`        // of [OpenParts]: the most training examples, chosen by Seed; 0 is all

	// InputsOf are the options that a model was trained with. The inputs of a table are then those that the model
	// learned to take: all columns but the target and the sensitive columns of these options. Nil, or columns that
	// are not there, mean that the inputs are made by the options themselves.
	InputsOf *Options `json:"-"`

	// Keep changes which rows of the training, validation and test part are read by [OpenParts], before any picture is decoded. A table is
	// standardised by all rows of its training part. Nil reads all.
	Keep func(rows *[3][]int) error `json:"-"`

	Progress func(done, total int) `json:"-"` // of decoding; nil, or called from one goroutine at a time
	Decoded  *Decoded              `json:"-"` // the pictures that were decoded last; nil: none

	// What [OpenInputs] makes of the data for another program's model.
	Split      Split                      `json:"-"` // "" is Test; data without parts is read whole
	Preprocess Preprocess                 `json:"-"` // of pictures; the zero value is the kind's own
	Shape      []int                      `json:"-"` // of the model's input, to check against; tables and arrays are seen in it; nil is unknown
	Choose     func(n int) ([]int, error) `json:"-"` // returns the indices of the examples to read, of the part's n, in the order of the set, before any picture is decoded; nil reads all
	Columns    []nn.Column                `json:"-"` // of a model of tables, whose values it takes as they are
	Words      []string                   `json:"-"` // that such a model knows; it is given their index
	Missing    bool                       `json:"-"` // numbers that such a model is not given are NaN, and not an error

	Whole         bool     `json:"-"` // all rows are read, of whichever part
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
	o.Split = cmp.Or(o.Split, Test)
	if o.Split != Validation && o.Split.check() != nil {
		return fmt.Errorf("split %q: want %q, %q or %q", string(o.Split), Train, Validation, Test)
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

// A ChoiceError reports a specification that chooses no examples.
type ChoiceError struct{ Err error }

// Error implements error.
func (e *ChoiceError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *ChoiceError) Unwrap() error { return e.Err }

func wrongChoice(format string, a ...any) error { return &ChoiceError{fmt.Errorf(format, a...)} }

// Choose returns the indices, of n examples, that a specification names: "all"; a number of
// examples, drawn by the seed without replacement and sorted; or an .npy file of indices,
// in its order. A specification that chooses none is a *ChoiceError.
func Choose(spec string, n int, seed uint64) ([]int, error) {
	if spec == "all" {
		return First(n), nil
	}
	k, err := strconv.Atoi(spec)
	switch {
	case err != nil:
		return indicesIn(spec, n)
	case k < 1:
		return nil, wrongChoice("%d: must be at least 1", k)
	case k >= n:
		return First(n), nil
	}
	indices := rand.New(rand.NewPCG(seed, 1)).Perm(n)[:k]
	slices.Sort(indices)
	return indices, nil
}

// First returns the indices 0 to n−1.
func First(n int) []int { return nn.Indices(n) }

// indicesIn reads a list of indices below n.
func indicesIn(path string, n int) ([]int, error) {
	if _, err := os.Stat(path); err != nil {
		if strings.HasSuffix(path, ".npy") {
			return nil, &file.NotFoundError{Path: path, Give: "give a number, all, or an .npy file of indices"}
		}
		return nil, wrongChoice("%q: must be a whole number, all, or an .npy file of indices", path)
	}
	a, err := npy.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if _, mask := a.Data.([]bool); mask || len(a.Shape) != 1 {
		return nil, wrongChoice("%s: an array of shape %v and type %T, expected one list of indices (numpy.flatnonzero makes them of a mask)", path, a.Shape, a.Data)
	}
	indices, err := a.Ints()
	if err == nil && len(indices) == 0 {
		err = errors.New("no indices")
	}
	if err != nil {
		return nil, wrongChoice("%s: %w", path, err)
	}
	seen := make([]bool, n)
	for _, i := range indices {
		if i < 0 || i >= n {
			return nil, wrongChoice("%s: index %d, but the data set has %d examples", path, i, n)
		}
		if seen[i] {
			return nil, wrongChoice("%s: index %d stands in it twice: limits count every example once", path, i)
		}
		seen[i] = true
	}
	return indices, nil
}
