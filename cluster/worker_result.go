package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os"

	"tattle/run"
)

// result is a shard that a worker computed, to be sent: in memory where it is small,
// else in a file that need not survive the worker.
type result struct {
	dir    string
	sum    hash.Hash
	small  bytes.Buffer
	file   *os.File // nil if small has it all
	lost   error    // the first error of the file
	path   string   // of the file
	digest string
	size   int64
}

// computeResult computes a shard, with files, if any, in dir. Its errors are those of
// run.Work.Compute.
func computeResult(ctx context.Context, w run.Work, i int, dir string) (*result, error) {
	r := &result{dir: dir, sum: sha256.New()}
	err := w.ComputeTo(ctx, i, dir, r)
	if r.lost != nil {
		err = &run.StoreError{Dir: dir, Err: r.lost}
	}
	r.digest = hex.EncodeToString(r.sum.Sum(nil))
	return r, err
}

// Write appends to the result.
func (r *result) Write(b []byte) (n int, err error) {
	r.sum.Write(b)
	r.size += int64(len(b))
	if r.file == nil && r.small.Len()+len(b) <= smallBlob {
		return r.small.Write(b)
	}
	if r.lost != nil {
		return 0, r.lost
	}
	if r.file == nil {
		r.lost = r.spill()
	}
	if r.lost == nil {
		n, r.lost = r.file.Write(b)
	}
	return n, r.lost
}

// spill moves the result from memory to a file.
func (r *result) spill() (err error) {
	if r.file, err = os.CreateTemp(r.dir, ".result-*"); err != nil {
		return err
	}
	r.path = r.file.Name()
	_, err = r.small.WriteTo(r.file)
	r.small = bytes.Buffer{}
	return err
}

// reader reads the result, from its beginning.
func (r *result) reader() (io.Reader, error) {
	if r.file == nil {
		return bytes.NewReader(r.small.Bytes()), nil
	}
	_, err := r.file.Seek(0, io.SeekStart)
	return r.file, err
}

// keep gives the file, if there is one, the name that it has in a folder of shards, where
// a later stage finds it.
func (r *result) keep(path string) error {
	if r.file == nil {
		return nil
	}
	if err := os.Rename(r.path, path); err != nil {
		return &run.StoreError{Dir: r.dir, Err: err}
	}
	r.path = ""
	return nil
}

// close removes the file, unless it is kept.
func (r *result) close() {
	if r == nil || r.file == nil {
		return
	}
	r.file.Close()
	if r.path != "" {
		os.Remove(r.path)
	}
}
