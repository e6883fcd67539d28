package run

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"tattle/internal/file"
)

// A CommittedError says that somebody else committed a shard first: what was committed,
// and what came too late.
type CommittedError struct {
	Shard            int
	Committed, Other string // SHA-256
}

// Differs reports whether the two are not the same: the work does not give the same each
// time, or something changed what it reads.
func (e *CommittedError) Differs() bool { return e.Committed != e.Other }

// Error says whether the two differ.
func (e *CommittedError) Error() string {
	if e.Differs() {
		return fmt.Sprintf("shard %d was committed with SHA-256 %s and came out as %s here: what was computed is not the same each time", e.Shard, e.Committed, e.Other)
	}
	return fmt.Sprintf("shard %d is committed already", e.Shard)
}

// Put writes data of shard i, named by their SHA-256, without committing them: Record
// does that. Where write fails its error is returned as it is; where the data cannot be
// kept, a *StoreError. Any number of processes may put data of one shard at a time.
func (f *Folder) Put(i int, write func(io.Writer) error) (digest string, err error) {
	if err := f.has(i); err != nil {
		return "", err
	}
	hash := sha256.New()
	beside, err := f.files.Hide(f.dir, shardName(i), func(w io.Writer) error { return write(io.MultiWriter(w, hash)) })
	if err != nil {
		return "", f.store(err)
	}
	digest = hex.EncodeToString(hash.Sum(nil))
	if err := f.files.Rename(beside, f.DataPath(i, digest)); err != nil {
		f.files.Remove(beside)
		return "", &StoreError{f.dir, file.Cause(err)}
	}
	return digest, nil
}

// store turns a failure of the disk into a *StoreError.
func (f *Folder) store(err error) error {
	if disk, ok := err.(*file.DiskError); ok {
		return &StoreError{f.dir, disk.Err}
	}
	return err
}

// Record commits the data of shard i with that SHA-256, which must be in the folder. A shard is
// committed only once: if it was committed before, also by another process, Record returns a
// *CommittedError, and removes the data if their digest is another.
func (f *Folder) Record(i int, digest string) error {
	if err := f.has(i); err != nil {
		return err
	}
	if !IsDigest(digest) {
		return fmt.Errorf("shard %d: %q is no SHA-256", i, digest)
	}
	path := f.DataPath(i, digest)
	if _, err := os.Lstat(path); err != nil {
		if lost := f.lost(i, digest); lost.Committed != "" { // and somebody else who lost removed the data
			return lost
		}
		return &StoreError{f.dir, fmt.Errorf("the data of shard %d: %w", i, err)}
	}
	won, err := f.createOnce(i, recordLine(i, digest))
	if err != nil {
		return err
	}
	if won {
		f.done(i, digest)
		f.files.Remove(f.failedPath(i))
		return nil
	}
	lost := f.lost(i, digest)
	for try := 0; lost.Committed == "" && try < 20; try++ { // somebody may be writing it
		time.Sleep(5 * time.Millisecond)
		lost = f.lost(i, digest)
	}
	if lost.Committed == "" {
		return &StoreError{f.dir, fmt.Errorf("%s is damaged", filepath.Base(f.recordPath(i)))}
	}
	if lost.Differs() {
		f.files.Remove(path)
	}
	return lost
}

// lost returns what is committed as shard i, which f then knows.
func (f *Folder) lost(i int, digest string) *CommittedError {
	committed, err := f.readRecord(i)
	if err == nil && committed != "" {
		f.done(i, committed)
	}
	return &CommittedError{i, committed, digest}
}

// A DamagedError says that the data of a shard are not what was committed.
type DamagedError struct {
	Shard      int
	Want, Have string // SHA-256; Have is "" if there are none
}

// Error says both digests.
func (e *DamagedError) Error() string {
	if e.Have == "" {
		return fmt.Sprintf("the data of shard %d with SHA-256 %s are not there", e.Shard, e.Want)
	}
	return fmt.Sprintf("the data of shard %d have SHA-256 %s, not %s: they are damaged", e.Shard, e.Have, e.Want)
}

// recordSize is the most that a record may hold.
const recordSize = 1 << 10

// link is Link of a *file.Dir, but for tests.
var link = (*file.Dir).Link

// createOnce writes the record of shard i unless there is one, and reports whether it did.
func (f *Folder) createOnce(i int, line string) (won bool, err error) {
	path := f.recordPath(i)
	beside, err := f.files.Hide(f.dir, filepath.Base(path), func(w io.Writer) error {
		_, err := io.WriteString(w, line)
		return err
	})
	if err != nil {
		return false, f.store(err)
	}
	defer f.files.Remove(beside)
	err = link(f.files, beside, path)
	if err != nil && same(beside, path) { // a server's answer came too late
		err = nil
	}
	if withoutLinks(err) {
		err = f.createExclusive(path, line)
	}
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, &StoreError{f.dir, file.Cause(err)}
	}
	file.Sync(f.dir)
	return true, nil
}

// same reports whether two names are of one file.
func same(a, b string) bool {
	x, err1 := os.Lstat(a)
	y, err2 := os.Lstat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// withoutLinks reports whether an error of link says that the file system has none.
func withoutLinks(err error) bool {
	for _, no := range []error{syscall.EPERM, syscall.EACCES, syscall.ENOSYS, syscall.ENOTSUP, syscall.EOPNOTSUPP, syscall.EMLINK, syscall.EXDEV, errors.ErrUnsupported} {
		if errors.Is(err, no) {
			return true
		}
	}
	return false
}

// createExclusive writes a record where there are no links. A crash may leave half of
// it, which Open takes for damaged.
func (f *Folder) createExclusive(path, line string) error {
	to, err := f.files.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = io.WriteString(to, line)
	if err == nil {
		err = to.Sync()
	}
	if closed := to.Close(); err == nil {
		err = closed
	}
	if err != nil {
		f.files.Remove(path)
	}
	return err
}
