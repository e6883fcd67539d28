package audit

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tattle/curious"
	"tattle/internal/file"
	"tattle/internal/sheet"
	"tattle/npy"
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
	maxTargets    = 1000    // classes of y beside vectors
	maxDistinct   = 1 << 21 // values of all labels: each needs about 100 bytes
	maxName       = 4096    // bytes of a label or of what it is called
	maxField      = 1 << 20 // bytes of a header's field, which may list a hundred labels

	progressStep = 1 << 20 // bytes between two reports of progress
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
	// class. If Target and Sensitive are given and no name begins so, those that have a common
	// beginning and are as many as the classes. Of an .npz: one array.
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
	before, err := regular(path)
	if err != nil {
		return nil, err
	}
	f, err := file.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s, err := readSample(ctx, f, before.Size(), path, o)
	if after, lost := os.Stat(path); !errors.Is(err, context.Canceled) && (lost != nil || after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime())) {
		err = errors.New("was changed while it was read: wait until it is complete")
	}
	return s, inFile(path, err)
}

// ReadOutputs is OpenOutputs of a CSV in memory, packed or not; name is that of its file.
func ReadOutputs(ctx context.Context, name string, content []byte, o OpenOptions) (*Sample, error) {
	if bytes.HasPrefix(content, []byte("PK")) {
		return nil, fmt.Errorf("%s: is an .npz or another archive: only CSV can be read here", showName(name))
	}
	s, err := readSample(ctx, bytes.NewReader(content), int64(len(content)), name, o)
	return s, inFile(name, err)
}

// inFile puts the name of a file before an error that does not begin with it.
func inFile(path string, err error) error {
	if err == nil || strings.HasPrefix(err.Error(), showName(path)) {
		return err
	}
	return fmt.Errorf("%s: %w", showName(path), err)
}

// readSample reads the first size bytes of a file, an .npz, a CSV or a packed CSV by its first bytes;
// what is appended meanwhile is not looked at.
func readSample(ctx context.Context, f io.ReadSeeker, size int64, path string, o OpenOptions) (*Sample, error) {
	magic := make([]byte, 2)
	n, err := io.ReadFull(f, magic)
	if err != nil && n > 0 && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	var c *columns
	if string(magic) == "PK" {
		archive, err := npy.Open(path)
		if err != nil {
			return nil, err
		}
		defer archive.Close()
		if c, err = openNPZ(ctx, archive, size); err != nil {
			return nil, err
		}
	} else if c, err = openCSV(ctx, func() (io.Reader, error) { return unpacked(f, size, string(magic) == gzipMagic, o.Progress) }); err != nil {
		return nil, err
	}
	s, err := c.sample(o)
	if err == nil {
		err = s.writable()
	}
	if err != nil {
		return nil, err
	}
	s.Name = strings.TrimSuffix(filepath.Base(path), ".gz")
	s.Name = strings.TrimSuffix(s.Name, filepath.Ext(s.Name))
	return s, nil
}

// unpacked returns the text of a CSV from its begin.
func unpacked(f io.ReadSeeker, size int64, packed bool, progress func(done, total int64)) (io.Reader, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	stored := &limitedReader{from: io.LimitReader(f, size), total: size, tell: progress}
	if !packed {
		return stored, nil
	}
	z, err := gzip.NewReader(bufio.NewReader(stored))
	if err != nil {
		return nil, fmt.Errorf("is a broken gzip file (%w): pack it again", err)
	}
	return &limitedReader{from: z, packed: stored}, nil
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
		s.Name, samples[i] = p, s
	}
	return samples, nil
}

// regular refuses anything but a regular file: an audit reads its file twice, and a pipe can be read only once.
func regular(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: no such file: give a CSV or .npz with outputs and labels", showName(path))
	} else if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: is a folder, a pipe or a device: give a CSV or .npz with outputs and labels", showName(path))
	}
	return info, err
}

// limitedReader reads a file and reports how much of it has been read; or passes on what gzip unpacks,
// up to a bound by the bytes that were read for it so far, so that a file that unpacks to far more is
// refused early.
type limitedReader struct {
	from                  io.Reader
	done, reported, total int64
	tell                  func(done, total int64)
	packed                *limitedReader // the file whose content is unpacked; nil of the file itself
}

// Read implements io.Reader.
func (r *limitedReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.done += int64(n)
	if r.packed != nil && r.done > freeBytes+maxGzip*r.packed.done {
		return 0, fmt.Errorf("unpacks to more than %d MiB and %d times its size: unpack it first", freeBytes>>20, maxGzip)
	}
	if r.packed != nil && err != nil && err != io.EOF {
		return n, fmt.Errorf("is a broken gzip file (%w): pack it again", err)
	}
	if r.tell != nil && (r.done-r.reported >= progressStep || err == io.EOF && r.done > r.reported) {
		r.reported = r.done
		r.tell(r.done, r.total)
	}
	return n, err
}

// gzipMagic begins a packed file.
const gzipMagic = "\x1f\x8b"

// showName prints a name from outside in one line of bounded length.
func showName(name string) string {
	const most = 200
	if len(name) > most {
		name = name[:most] + "…"
	}
	return file.Name(name)
}

// showNames lists names from outside, a dozen of them.
func showNames(names []string) string {
	const most = 12
	var list []string
	more := 0
	for _, n := range names {
		switch {
		case n == "":
		case len(list) < most:
			list = append(list, showName(n))
		default:
			more++
		}
	}
	text := strings.Join(list, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
