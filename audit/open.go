package audit

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"tattle/curious"
	"tattle/dataset"
	"tattle/internal/sheet"
)

// Bounds of a file of outputs.
const (
	maxColumns = sheet.MaxColumns // no classifier in use has as many classes
	maxScores  = 1 << 28          // numbers: 1 GiB of float32
	maxArrays  = 4 << 30          // bytes of the unpacked arrays of an .npz
	maxPacked  = 100              // largest ratio of unpacked bytes to bytes of the file
	freeBytes  = 32 << 20         // allowed in addition to that ratio; deflate packs up to 1032 times
	maxGzip    = 25               // the same of a packed CSV, whose digits shrink to a half or a fifth
	maxArchive = 10_000           // arrays

	maxAttributes = 1000
	maxDistinct   = 1 << 21 // values of all labels: each needs about 100 bytes
	maxName       = 4096    // bytes of a label or of what it is called
	maxField      = 1 << 20 // bytes of a header's field, which may list a hundred labels
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
	// Scores are columns, in the order of the classes, or patterns such as "out_*". None:
	// those that begin with score, logit, prob, p_ or output; what follows a colon is the
	// class. If Target and Sensitive are given and no name begins so, those of the remaining
	// columns of numbers that match the classes. Of an .npz: one array.
	Scores []string
	Kind   curious.Outputs // "" is Soft if every row is a distribution
	// Columns are the columns of vectors: numbers that are not scores of classes. They are named
	// as Scores are, and the target may be missing. Of an .npz: one array.
	Columns    []string
	references []string // patterns of columns that are the outputs of honest classifiers, and nothing else
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
// Notes say so. Vectors (see OpenOptions.Columns, or an .npz with an array embeddings, embedding,
// emb, vectors or features and no outputs) have any number of columns and need no target.
func OpenOutputs(ctx context.Context, path string, o OpenOptions) (*Sample, error) {
	src, err := openSource(ctx, path, o)
	if err != nil {
		return nil, err
	}
	return src.named(path, o)
}

// ReadOutputs is OpenOutputs of a CSV in memory, packed or not; name is that of its file.
func ReadOutputs(ctx context.Context, name string, content []byte, o OpenOptions) (*Sample, error) {
	if bytes.HasPrefix(content, []byte("PK")) {
		return nil, fmt.Errorf("%s: is an .npz or another archive: only CSV can be read here", showName(name))
	}
	src, err := readSource(ctx, bytes.NewReader(content), int64(len(content)), name, o)
	if err != nil {
		return nil, inFile(name, err)
	}
	return src.named(name, o)
}

// named returns the sample of a file.
func (src *source) named(path string, o OpenOptions) (*Sample, error) {
	s, err := src.sample(o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", showName(path), err)
	}
	if err := s.writable(); err != nil {
		return nil, fmt.Errorf("%s: %w", showName(path), err)
	}
	s.Name = strings.TrimSuffix(filepath.Base(path), gzipSuffix)
	s.Name = strings.TrimSuffix(s.Name, filepath.Ext(s.Name))
	return s, nil
}

// openReferences reads the outputs of honest classifiers from the same file, each
// in the columns of one pattern (of an .npz: one array), as OpenOutputs reads the
// audited ones. Labels and order are those of the audited sample.
func openReferences(ctx context.Context, path string, o OpenOptions, patterns []string) ([]*Sample, error) {
	samples := make([]*Sample, len(patterns))
	for i, p := range patterns {
		o.Scores, o.references = []string{p}, nil
		s, err := OpenOutputs(ctx, path, o)
		if err != nil {
			return nil, fmt.Errorf("reference %s: %w", showName(p), err)
		}
		s.Name = p
		samples[i] = s
	}
	return samples, nil
}

// source is what a file holds: the scores of n examples, and columns of labels.
type source struct {
	scores  []float32 // [n, len(classes)]
	classes []string  // of the scores' columns; "" if it has no name
	kind    curious.Outputs
	target  *column       // nil if there is none, as vectors may have
	rule    *dataset.Rule // of the target; nil if none is given
	numeric bool          // the target is numeric
	listed  []string      // classes of the target, if the file lists them
	columns []attributeColumn
	made    sensitiveColumns   // of the columns
	place   func(i int) string // of example i, for errors
	notes   []string
}

func (src *source) note(format string, args ...any) {
	src.notes = append(src.notes, fmt.Sprintf(format, args...))
}

// inFile names the file in an error that does not.
func inFile(path string, err error) error {
	if err == nil || strings.HasPrefix(err.Error(), showName(path)) {
		return err
	}
	return fmt.Errorf("%s: %w", showName(path), err)
}
