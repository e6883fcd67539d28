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

	"tattle/internal/file"
	"tattle/internal/sheet"
)

// gzipSuffix ends the name of a packed CSV.
const gzipSuffix = ".gz"

// progressStep is the number of bytes between two reports of progress.
const progressStep = 1 << 20

// openSource distinguishes an .npz from a CSV by its first bytes.
func openSource(ctx context.Context, path string, o OpenOptions) (*source, error) {
	before, err := regular(path)
	if err != nil {
		return nil, err
	}
	f, err := file.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, err := readSource(ctx, f, before.Size(), path, o)
	if after, lost := os.Stat(path); !errors.Is(err, context.Canceled) && (lost != nil || after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime())) {
		return nil, inFile(path, errors.New("was changed while it was read: wait until it is complete"))
	}
	return src, inFile(path, err)
}

// regular refuses what is no file: a pipe can be read once, and audits read twice.
func regular(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no such file: give a CSV or .npz with outputs and labels", showName(path))
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s: is a folder: give a CSV or .npz with outputs and labels", showName(path))
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: is a pipe or a device: save what it holds to a file", showName(path))
	}
	return info, nil
}

// readSource reads the first size bytes of a file; what is appended meanwhile is not
// looked at.
func readSource(ctx context.Context, f io.Reader, size int64, path string, o OpenOptions) (*source, error) {
	stored := &progressReader{from: io.LimitReader(f, size), total: size, tell: o.Progress}
	in := bufio.NewReaderSize(stored, sheet.Peeked)
	head, _ := in.Peek(8)
	if bytes.HasPrefix(head, []byte("PK")) {
		return readNPZ(ctx, path, o)
	}
	if !bytes.HasPrefix(head, []byte(gzipMagic)) {
		return readCSV(ctx, in, o)
	}
	packed, err := gzip.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("is a broken gzip file (%w): pack it again", err)
	}
	return readCSV(ctx, bufio.NewReaderSize(&unpacked{from: packed, stored: stored}, sheet.Peeked), o)
}

// progressReader reads a file and reports how much of it has been read.
type progressReader struct {
	from                  io.Reader
	done, reported, total int64
	tell                  func(done, total int64)
}

// Read implements io.Reader.
func (r *progressReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.done += int64(n)
	if r.tell != nil && (r.done-r.reported >= progressStep || err == io.EOF && r.done > r.reported) {
		r.reported = r.done
		r.tell(r.done, r.total)
	}
	return n, err
}

// unpacked passes on what gzip unpacks, up to a bound by the bytes that were read for it
// so far, so that a file that unpacks to far more is refused early.
type unpacked struct {
	from   *gzip.Reader
	stored *progressReader
	done   int64
}

// Read implements io.Reader.
func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.from.Read(p)
	if u.done += int64(n); u.done > freeBytes+maxGzip*u.stored.done {
		return 0, fmt.Errorf("unpacks to more than %d MiB and %d times its size: unpack it first", freeBytes>>20, maxGzip)
	}
	if err != nil && err != io.EOF {
		return n, fmt.Errorf("is a broken gzip file (%w): pack it again", err)
	}
	return n, err
}

// gzipMagic begins a packed file.
const gzipMagic = "\x1f\x8b"

// foreign are first bytes of files that are taken for CSV, and what they are.
var foreign = []struct{ magic, what string }{
	{"\x93NUMPY", "is a single array: save outputs and labels together with numpy.savez"},
	{"PAR1", "is a Parquet file: save it as CSV or .npz"},
	{"\x89HDF", "is an HDF5 file: save it as CSV or .npz"},
	{"ARROW1", "is an Arrow file: save it as CSV or .npz"},
	{"\x80", "is a pickle, or no text: save it as CSV or .npz"},
	{"{", "is JSON: save it as CSV or .npz"},
	{"[", "is JSON: save it as CSV or .npz"},
	{"PK", "is an archive in an archive: unpack it once"},
	{gzipMagic, "is an archive in an archive: unpack it once"},
	{"\xff\xfe", "is text in UTF-16: save it as CSV in UTF-8"},
	{"\xfe\xff", "is text in UTF-16: save it as CSV in UTF-8"},
}

// refuseForeign says what a file is that is no CSV.
func refuseForeign(head []byte) error {
	for _, f := range foreign {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			return errors.New(f.what)
		}
	}
	return nil
}
