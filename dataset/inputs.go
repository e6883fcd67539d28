package dataset

import (
	"context"
	"fmt"
	"slices"

	"tattle/nn"
)

// InputOptions says what [OpenInputs] reads; the zero value reads all examples of the
// test part, in the form that the data's kind has.
type InputOptions struct {
	Split       Split      // "" is Test; data without parts is read whole
	Preprocess  Preprocess // of pictures; the zero value is the kind's own
	Kind        string     // one of [OpenInputs]'s kinds; "" is guessed from the path
	Labels      string     // as in [LabelledOptions]
	FileColumn  string     // as in [LabelledOptions]
	SkipMissing bool       // as in [LabelledOptions]
	Target      string     // as in [LabelledOptions]; "" if the kind has none of its own: a column called label, class or target, or no labels
	Numbers     bool       // as in [LabelledOptions]
	Sensitive   []string   // as in [LabelledOptions]; none: those that the data's own files hold, as QMNIST's labels and the glyphs do
	Seed        uint64     // of what the data does not fix: parts of a table, and glyphs

	// Choose returns the indices of the examples to read, of the part's n, in the order
	// of the set; it is called before any picture is decoded. nil reads all.
	Choose func(n int) ([]int, error)

	// Columns are those of a model of tables, whose values it takes as they are; Words are the
	// texts that it knows, which are given as their index. With Missing, numbers that are not
	// there are NaN, and not an error.
	Columns []nn.Column
	Words   []string
	Missing bool

	Shape       []int                 // of the model's input, to check against; tables and arrays are seen in it; nil is unknown
	ModelInputs int                   // as in [LabelledOptions]
	Progress    func(done, total int) // of decoding; nil, or called from one goroutine at a time
}

// Kinds of data that [OpenInputs] reads besides those of [OpenParts].
const (
	KindArrays  = "npz"     // NumPy's arrays: x or images, and y or labels
	KindFolders = "folders" // pictures in a folder for each class, or in one folder without labels
)

// inputKinds lists the kinds of data that [OpenInputs] reads.
func inputKinds() []string { return append(labelledKinds(), KindArrays, KindFolders) }

// OpenInputs reads the examples that a model is measured on. The notes it returns say
// what a reader should know: missing parts, examples left out, and assumptions about
// the values. The path is one of
//
//   - what [Open] reads: a folder of idx files or CIFAR-10's, or one idx file;
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
func OpenInputs(ctx context.Context, path string, o InputOptions) (*Set, []string, error) {
	if err := o.check(); err != nil {
		return nil, nil, err
	}
	in, err := openKind(path, o)
	if err != nil {
		return nil, nil, err
	}
	defer in.close()
	if len(o.Sensitive) > 0 && in.sensitive == nil {
		return nil, nil, fmt.Errorf("%s: sensitive attributes need a CSV of labels: arrays have none", path)
	}
	in.leaveOut()
	rows, err := in.choose(path, o.Choose)
	if err != nil {
		return nil, nil, err
	}
	set, err := in.read(ctx, rows)
	if err != nil {
		return nil, nil, err
	}
	if err := in.label(set, rows); err != nil {
		return nil, nil, err
	}
	if err := set.fit(path, o); err != nil {
		return nil, nil, err
	}
	return set.finish(), in.notes, nil
}

// check completes the options.
func (o *InputOptions) check() error {
	if o.Split == "" {
		o.Split = Test
	}
	if o.Split != Validation && o.Split.check() != nil {
		return fmt.Errorf("split %q: want %q, %q or %q", string(o.Split), Train, Validation, Test)
	}
	for _, d := range o.Shape {
		if d < 1 {
			return fmt.Errorf("inputs of shape %s: want sizes of 1 or more", times(o.Shape))
		}
	}
	if err := o.Preprocess.Check(); err != nil {
		return fmt.Errorf("preprocessing: %w", err)
	}
	return nil
}

// labelled says what the labels options mean to the readers of [OpenParts].
func (o InputOptions) labelled() LabelledOptions {
	return LabelledOptions{Kind: o.Kind, Labels: o.Labels, FileColumn: o.FileColumn, SkipMissing: o.SkipMissing, Target: o.Target, Seed: o.Seed, Progress: o.Progress}
}

// inputs is data whose labels are known and whose inputs are not read yet.
type inputs struct {
	rows   []int      // of the part that is asked for
	target *Attribute // of all rows; nil if it is not known, or read has it
	notes  []string
	close  func()

	sensitive []Attribute // of all rows; nil if read has them, if there are any
	made      Sensitive   // of these: what is asked for

	// read makes the set of some rows, in their order.
	read func(ctx context.Context, rows []int) (*Set, error)
}

func (in *inputs) note(format string, args ...any) {
	in.notes = append(in.notes, fmt.Sprintf(format, args...))
}

// leaveOut removes the rows that fall in no class.
func (in *inputs) leaveOut() {
	of := in.sensitive
	if in.target != nil {
		of = append([]Attribute{*in.target}, of...)
	}
	for _, a := range of {
		n := len(in.rows)
		in.rows = slices.DeleteFunc(slices.Clone(in.rows), func(i int) bool { return a.Labels[i] < 0 })
		if out := n - len(in.rows); out > 0 {
			what := "falls in none of its classes"
			if a.Numeric() {
				what = a.classWords()
			}
			in.note("%d of %d examples left out: %s %s", out, n, a.Name, what)
		}
	}
}

// choose returns the rows that are wanted.
func (in *inputs) choose(path string, of func(n int) ([]int, error)) ([]int, error) {
	n := len(in.rows)
	if n == 0 {
		return nil, fmt.Errorf("%s: no examples are left: give data with at least one", path)
	}
	if of == nil {
		return in.rows, nil
	}
	chosen, err := of(n)
	if err != nil {
		return nil, err
	}
	for _, i := range chosen {
		if i < 0 || i >= n {
			return nil, fmt.Errorf("%s: no example %d: it has %d, numbered from 0", path, i, n)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("%s: none of its %d examples is chosen: choose at least one", path, n)
	}
	return pick(in.rows, 1, chosen), nil
}

// label gives the set the target and the sensitive attributes of its rows.
func (in *inputs) label(set *Set, rows []int) (err error) {
	if in.sensitive != nil {
		set.Sensitive = nil
		for _, a := range in.sensitive {
			set.Sensitive = append(set.Sensitive, a.of(rows))
		}
		set.Sensitive, err = in.made.Make(set.Sensitive)
	}
	if in.target != nil {
		set.YName, set.YNames = in.target.Name, in.target.Values
		set.Y, set.YNumbers = pick(in.target.Labels, 1, rows), pick(in.target.Numbers, 1, rows)
	}
	return err
}

// part finds the rows of the part that is asked for: all where the data has no
// parts, and those of validation where it has no test part.
func (in *inputs) part(path string, split []Split, n int, want Split) error {
	has := map[Split][]int{}
	for i, s := range split {
		has[s] = append(has[s], i)
	}
	if len(has[""]) == len(split) {
		in.rows = complete(nil, n)
		in.note("the data has no parts: all of its %s are used", plural(n, "example"))
		return nil
	}
	if want == Test && len(has[Test]) == 0 && len(has[Validation]) > 0 {
		in.note("the data has no test part: the %s of its validation part are used", plural(len(has[Validation]), "example"))
		want = Validation
	}
	if in.rows = has[want]; want == Train {
		in.rows = append(in.rows, has[""]...)
		slices.Sort(in.rows)
	}
	if len(in.rows) == 0 {
		return fmt.Errorf("%s: has no %s part: choose another", path, want)
	}
	return nil
}
