package audit

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/data/sheet"
	"tattle/internal/file"
	"tattle/internal/protect/measure"
	"tattle/internal/reveal/curious"
)

// Bounds of outputs.
const (
	maxColumns = sheet.MaxColumns // no classifier in use has as many classes
	maxScores  = 1 << 28          // numbers: 1 GiB of float32
)

// OpenOptions says which columns of a file are what; the zero value goes by their
// names.
type OpenOptions struct {
	// Target is the column of the true y, or a [dataset.Rule]; "" is the one called
	// y, target, label or labels, or y:NAME.
	Target string
	// Sensitive are columns or rules; NAME:number and NAME:class say how a column is read,
	// which is otherwise numeric if it has more than 20 values, all numbers. None: columns
	// called s1, s2_race and so on, s:NAME, s or sensitive; in an .npz all other arrays.
	// race*sex is an attribute with a class for each combination.
	Sensitive []string
	// Group is the column that says which person each example is about, or [dataset.NoGroup]. "": of an .npz, an array
	// called group, person or subject; of a CSV, none.
	Group string
	// Columns are those of the outputs, in the order of the classes, or patterns such as "out_*". None:
	// those that begin with score, logit, prob, p_ or output; what follows a colon is the
	// class. If Target and Sensitive are given and no name begins so, those that have a common
	// beginning and are as many as the classes, or are called as these. Of vectors: as [dataset.VectorColumns]
	// finds them. Of an .npz: one array.
	Columns []string
	Kind    curious.Outputs // "" is Soft if every row is a distribution
	// Vectors says that the outputs are vectors, numbers that are not scores of classes. The target may be missing.
	Vectors bool
	scored  bool // vectors are refused: a Request has another door for them
	// References are columns with the outputs of honest classifiers, each in those of one pattern. Of an .npz: one array each.
	References []string
	// Progress is called with the bytes of a CSV that are read, now and then and at the end.
	Progress func(done, total int64)
}

// OpenOutputs reads outputs with the labels of the same examples from a CSV (a header;
// fields parted by commas, semicolons or tabs; packed by gzip or not) or an .npz (an array outputs, scores,
// logits or probabilities [n, Y], one of labels y, and others of n labels or numbers).
// A single column of outputs becomes two: a probability p of the second class becomes 1 − p and
// p, a score z becomes 0 and z. Examples without a label are left out and counted in Notes;
// a score that is missing or not finite is an error. If probabilities have so few decimals
// that rows do not sum to 1, they are divided by their sums, except for attacks on digits;
// Notes say so. Vectors (see OpenOptions.Vectors, or an .npz with an array embeddings, embedding,
// emb, vectors or features and no outputs) have any number of columns and need no target.
func OpenOutputs(ctx context.Context, path string, o OpenOptions) (*Sample, error) {
	return first(openOutputs(ctx, path, o))
}

// openOutputs is OpenOutputs, which returns the outputs of honest classifiers behind those that are audited.
func openOutputs(ctx context.Context, path string, o OpenOptions) ([]*Sample, error) {
	f, err := file.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: give a CSV or .npz with outputs and labels", err)
	}
	defer f.Close()
	before, err := f.Stat()
	if err != nil {
		return nil, err
	}
	all, err := readOutputs(ctx, path, f, before.Size(), o)
	if after, lost := os.Stat(path); !errors.Is(err, context.Canceled) && (lost != nil || after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime())) {
		err = fmt.Errorf("%s: was changed while it was read: wait until it is complete", file.Shown(path))
	}
	return all, err
}

// ReadOutputs is OpenOutputs of a file in memory.
func ReadOutputs(ctx context.Context, name string, content []byte, o OpenOptions) (*Sample, error) {
	return first(readOutputs(ctx, name, bytes.NewReader(content), int64(len(content)), o))
}

// first returns the sample that is audited.
func first(all []*Sample, err error) (*Sample, error) {
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// readOutputs reads the first size bytes of a file; what is appended meanwhile is not looked at.
func readOutputs(ctx context.Context, path string, f io.ReaderAt, size int64, o OpenOptions) (all []*Sample, err error) {
	c, err := sheet.Open(ctx, path, f, size, o.Progress)
	if err == nil {
		var r *roles
		if r, err = findRoles(c, o); err == nil {
			all, err = r.samples(o.Kind)
		}
	}
	if name := strings.TrimSuffix(filepath.Base(path), ".gz"); err == nil {
		all[0].Name = strings.TrimSuffix(name, filepath.Ext(name))
	}
	return all, file.In(path, err)
}

const maxSensitiveValues = 100 // classes of an attribute

// absent are the words for a label that is not known, in small letters.
var absent = []string{"", "na", "n/a", "<na>", "nan", "null", "?"}

// attribute makes the attribute of all examples, of at most a number of classes; those without a value have the
// label −1, or NaN. named are values that are classes even if they mean a missing one elsewhere.
func (w *label) attribute(c *sheet.Labels, most int, named []string) (a Attribute, err error) {
	values := slices.Clone(c.Values) // "" for those that mean a missing value
	for i, v := range values {
		class, err := strconv.Atoi(v)
		switch unknown := slices.Contains(absent, strings.ToLower(v)) && !slices.Contains(named, v); {
		case w.Listed == nil && unknown, w.Listed != nil && class == -1:
			values[i] = ""
		case w.Listed == nil:
		case err != nil || class < 0 || class >= len(w.Listed):
			return a, fmt.Errorf("%s, row %d (from 0): class %s does not exist: it is described with %d classes, from 0", file.Shown(w.name), slices.Index(c.Codes, int32(i)), file.Shown(v), len(w.Listed))
		default:
			values[i] = w.Listed[class]
		}
	}
	a, err = w.Of(w.name, values, most)
	a.Labels, a.Numbers = pick(a.Labels, c.Codes), pick(a.Numbers, c.Codes)
	return a, err
}

// samples reads the columns and makes the sample, and those of the honest classifiers. stated is the kind of outputs
// that the user gives, "" for none.
func (r *roles) samples(stated curious.Outputs) ([]*Sample, error) {
	if stated != "" && r.vectors {
		return nil, fmt.Errorf("outputs %q: vectors are neither scores nor probabilities; do not give the kind of outputs", string(stated))
	}
	var numbers [][]int
	for _, g := range r.outputs {
		numbers = append(numbers, g.columns)
	}
	var at []int
	for _, w := range r.labels() {
		at = append(at, w.at)
	}
	c, err := r.Read(numbers, at)
	if err != nil {
		return nil, err
	}
	if c.Finer {
		r.notes = append(r.notes, "the outputs have more digits than a float32: the attacks did not look at the digits beyond it, where anything can be hidden")
	}
	joined := answers{made: r.made, place: c.Place}
	for i, w := range r.labels() {
		isTarget, isGroup := r.target != nil && i == 0, r.group != nil && i == len(at)-1
		most, named := maxSensitiveValues, []string(nil)
		switch {
		case isTarget:
			most, named, w.Class = maxColumns, r.outputs[0].classes, !w.Number
		case isGroup:
			most, w.Class, w.Number = math.MaxInt, true, false
		}
		a, err := w.attribute(c.Labels[i], most, named)
		if isGroup && err == nil && a.CheckPeople() != nil {
			err = &measure.OptionError{Option: "Group", Err: a.CheckPeople()}
		}
		switch {
		case err != nil:
			return nil, err
		case isTarget:
			joined.target, joined.ordered = &a, w.Grouped() || w.Listed != nil
		case isGroup:
			joined.group = &a
		default:
			joined.sensitive = append(joined.sensitive, a)
		}
	}
	var all []*Sample
	for i, g := range r.outputs {
		a := joined
		a.outputs, a.width, a.classes, a.kind = c.Numbers[i], len(g.classes), g.classes, cmp.Or(stated, g.kind)
		if r.vectors {
			a.kind = Vector
		}
		s, err := a.sample()
		if err != nil && i > 0 {
			err = fmt.Errorf("reference %s: %w", file.Shown(g.name), err)
		}
		if err != nil {
			return nil, err
		}
		s.Name, s.Notes = g.name, slices.Concat(r.notes, s.Notes)
		all = append(all, s)
	}
	return all, nil
}
