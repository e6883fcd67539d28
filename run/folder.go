package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"tattle/internal/file"
)

// Folder keeps the finished shards of a run on disk. Shard i has data, named by its
// number and the beginning of their SHA-256, and a record with that SHA-256 in the form
// that sha256sum -c reads. The record commits the data: it is made whole and once,
// whoever tries, so that any number of goroutines and processes may compute one shard.
// A Folder is safe for concurrent use.
type Folder struct {
	dir      string
	manifest []byte
	corrupt  []int
	discard  func() error // nil removes the folder

	mu      sync.Mutex
	digests []string // of what is committed, else ""
}

// Create starts a run in a folder, which it makes where there is none. It errs
// where the folder already holds a run. Shards without a manifest are removed: they are
// what is left of a run that was being removed.
func Create(dir string, m Manifest) (*Folder, error) {
	data, err := m.Encode()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("start a run: %w", err)
	}
	if _, err := os.Lstat(filepath.Join(dir, manifestName)); err == nil {
		return nil, fmt.Errorf("%s already holds a run: resume it or name another folder", dir)
	} else if !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("start a run: %w", err)
	}
	if err := clearShards(dir); err != nil {
		return nil, fmt.Errorf("start a run: %w", err)
	}
	if err := WriteManifest(dir, data); err != nil {
		return nil, err
	}
	return newFolder(dir, m, data), nil
}

func newFolder(dir string, m Manifest, data []byte) *Folder {
	return &Folder{dir: dir, manifest: data, digests: make([]string, m.Shards)}
}

// clearShards removes the files of shards, records first.
func clearShards(dir string) error {
	n, err := list(dir)
	if err != nil {
		return err
	}
	f := &Folder{dir: dir}
	for i := range n.records {
		err = errors.Join(err, os.Remove(f.recordPath(i)))
	}
	for i := range n.failed {
		err = errors.Join(err, os.Remove(f.failedPath(i)))
	}
	for _, data := range n.data {
		for _, name := range data {
			err = errors.Join(err, os.Remove(filepath.Join(dir, name)))
		}
	}
	return err
}

// Open goes on with the run in a folder, which no other process works in meanwhile. It
// errs where there is none, where its manifest was changed by hand, and with a
// *MismatchError where it is another run than m. Shards whose data are not as they were
// recorded count as not done, and their records are removed; Corrupt tells which. What
// an interrupted process left half-written is removed.
func Open(dir string, m Manifest) (*Folder, error) {
	f, n, err := read(dir, m)
	if err != nil {
		return nil, err
	}
	if err := f.sweep(n); err != nil {
		return nil, err
	}
	return f, f.audit(n)
}

// Join is Open for any number of processes at a time: it only reads. Shards count as
// done where a record says so and there are data; Verify looks into these.
func Join(dir string, m Manifest) (*Folder, error) {
	f, _, err := read(dir, m)
	if err != nil {
		return nil, err
	}
	return f, f.Refresh()
}

// read returns the folder of a run, no shard done, and what it holds.
func read(dir string, m Manifest) (*Folder, *listing, error) {
	data, err := ReadManifest(dir)
	if err != nil {
		return nil, nil, err
	}
	if err := m.same(dir, data); err != nil {
		return nil, nil, err
	}
	n, err := list(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("resume: %w", err)
	}
	return newFolder(dir, m, data), n, nil
}

// sweep removes what was left half-written.
func (f *Folder) sweep(n *listing) error {
	for _, name := range n.other {
		if file.IsTemporary(name) {
			if err := os.Remove(filepath.Join(f.dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("resume: %w", err)
			}
		}
	}
	return nil
}

// audit takes in the shards whose data are as recorded, and removes the records of the
// others with their data.
func (f *Folder) audit(n *listing) error {
	for i := range f.digests {
		if !n.records[i] {
			continue
		}
		if err := f.take(i, true); err != nil {
			return err
		}
	}
	return nil
}

// take takes shard i in if its data are as recorded. Else the shard is corrupt; drop
// removes it.
func (f *Folder) take(i int, drop bool) error {
	err := f.verify(i)
	if _, ok := err.(*DamagedError); ok {
		f.corrupt = append(f.corrupt, i)
		err = nil
		if drop {
			err = f.drop(i)
		}
	}
	if err != nil {
		return fmt.Errorf("resume: %w", err)
	}
	return nil
}

// verify takes shard i in, if its data are as recorded; else it errs with a
// *DamagedError.
func (f *Folder) verify(i int) error {
	digest, err := f.readRecord(i)
	if err != nil {
		return err
	}
	found := ""
	if digest != "" {
		found, err = Digest(filepath.Join(f.dir, dataName(i, digest)))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	if digest == "" || found != digest {
		return &DamagedError{i, digest, found}
	}
	f.done(i, digest)
	return nil
}

// readRecord returns what the record of shard i commits, "" where it is damaged.
func (f *Folder) readRecord(i int) (string, error) {
	info, err := os.Lstat(f.recordPath(i))
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > recordSize {
		return "", nil
	}
	data, err := os.ReadFile(f.recordPath(i))
	if err != nil {
		return "", err
	}
	return parseRecord(i, string(data)), nil
}

// drop removes the record of shard i, then the data it names.
func (f *Folder) drop(i int) error {
	digest, err := f.readRecord(i)
	if err == nil {
		err = os.Remove(f.recordPath(i))
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if digest != "" {
		err = os.Remove(filepath.Join(f.dir, dataName(i, digest)))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	f.done(i, "")
	return nil
}

// Drop makes shard i undone: its record and data are removed.
func (f *Folder) Drop(i int) error {
	if err := f.has(i); err != nil {
		return err
	}
	if err := f.drop(i); err != nil {
		return &StoreError{f.dir, err}
	}
	return nil
}

// Refresh takes in what other processes have committed since.
func (f *Folder) Refresh() error {
	n, err := list(f.dir)
	if err != nil {
		return &StoreError{f.dir, err}
	}
	for i := range n.records {
		if i >= len(f.digests) || f.Done(i) {
			continue
		}
		digest, err := f.readRecord(i)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return &StoreError{f.dir, err}
		}
		for _, name := range n.data[i] {
			if digest != "" && name == dataName(i, digest) {
				f.done(i, digest)
			}
		}
	}
	return nil
}

// Verify errs with a *DamagedError where the data of shard i are not what was committed.
func (f *Folder) Verify(i int) error {
	if err := f.has(i); err != nil {
		return err
	}
	return f.verify(i)
}

// done notes what was committed as shard i, "" for nothing.
func (f *Folder) done(i int, digest string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.digests[i] = digest
}

// has errs where there is no shard i.
func (f *Folder) has(i int) error {
	if i < 0 || i >= len(f.digests) {
		return fmt.Errorf("shard %d of a run of %d", i, len(f.digests))
	}
	return nil
}

// Dir returns the folder's path.
func (f *Folder) Dir() string { return f.dir }

// Manifest returns the folder's manifest.json.
func (f *Folder) Manifest() []byte { return f.manifest }

// Len returns the number of shards.
func (f *Folder) Len() int { return len(f.digests) }

// Digest returns the SHA-256 of shard i, "" where it is not done.
func (f *Folder) Digest(i int) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.digests[i]
}

// Done reports whether shard i is finished.
func (f *Folder) Done(i int) bool { return f.Digest(i) != "" }

// Remaining returns the shards still to do, in order.
func (f *Folder) Remaining() []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	var left []int
	for i, digest := range f.digests {
		if digest == "" {
			left = append(left, i)
		}
	}
	return left
}

// Corrupt returns the shards that Open found to be other than what had been
// committed. They are to be done again.
func (f *Folder) Corrupt() []int { return f.corrupt }

// Path returns the file of shard i, which is there where the shard is done.
func (f *Folder) Path(i int) string {
	if digest := f.Digest(i); digest != "" {
		return filepath.Join(f.dir, dataName(i, digest))
	}
	return filepath.Join(f.dir, shardName(i))
}

func (f *Folder) recordPath(i int) string { return filepath.Join(f.dir, shardName(i)+recordSuffix) }

func (f *Folder) failedPath(i int) string { return filepath.Join(f.dir, shardName(i)+failedSuffix) }

// KeepManifest writes the manifest into another folder, which holds what the shards were
// merged into: Manifest.Check then tells what that is of.
func (f *Folder) KeepManifest(dir string) error { return WriteManifest(dir, f.manifest) }

// Discard removes the folder, once its shards are merged; callers use nothing else for
// that. Where other processes may still need it, the pool that returned it sees to that:
// then it stays, for now or for good.
func (f *Folder) Discard() error {
	if f.discard != nil {
		return f.discard()
	}
	return remove(f.dir)
}

// OnDiscard has Discard do something else.
func (f *Folder) OnDiscard(discard func() error) { f.discard = discard }

// remove removes the folder of a run, beginning with what makes it one.
func remove(dir string) error {
	err := os.Remove(filepath.Join(dir, manifestName))
	if err == nil || errors.Is(err, os.ErrNotExist) {
		err = os.RemoveAll(dir)
	}
	if err != nil {
		return fmt.Errorf("remove merged shards: %w", err)
	}
	return nil
}
