package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"tattle/internal/file"
)

// Open continues the run in a folder. It returns an error if there is no run or if its manifest
// was changed by hand, and a *MismatchError if the run is not m's. Shards whose data differ from
// their record count as not done, and their records are removed; Corrupt lists them. If no
// other process seems to work in the folder, what a killed one left half-written is removed.
func Open(files *file.Dir, dir string, m Manifest) (*Folder, error) {
	f, n, err := read(files, dir, m)
	if err != nil {
		return nil, err
	}
	if !f.shared(n) {
		if err := files.Sweep(dir); err != nil {
			return nil, fmt.Errorf("resume: %w", err)
		}
		for i := range n.claims {
			files.Remove(f.claimPath(i))
		}
	}
	return f, f.audit(n)
}

// shared reports whether another process may work in the folder: on this machine by its
// lock, on any by its claims.
func (f *Folder) shared(n *listing) bool {
	if file.Locked(f.dir) {
		return true
	}
	for i := range n.claims {
		if !ownerDied(f.claimPath(i)) {
			return true
		}
	}
	return false
}

// Join is Open for a process that helps another: it only reads. Shards count as
// done where a record says so and there are data; nobody looks into these.
func Join(files *file.Dir, dir string, m Manifest) (*Folder, error) {
	f, _, err := read(files, dir, m)
	if err != nil {
		return nil, err
	}
	_, err = f.refresh()
	return f, err
}

// read returns the folder of a run, no shard done, and what it holds.
func read(files *file.Dir, dir string, m Manifest) (*Folder, *listing, error) {
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
	return newFolder(files, dir, m, data), n, nil
}

// audit takes in the shards whose data are as recorded, and removes the records of the
// others with their data.
func (f *Folder) audit(n *listing) error {
	for i := range f.digests {
		if !n.records[i] {
			continue
		}
		err := f.verify(i)
		if _, ok := err.(*DamagedError); ok {
			f.corrupt = append(f.corrupt, i)
			err = f.drop(i)
		}
		if err != nil {
			return fmt.Errorf("resume: %w", err)
		}
	}
	return nil
}

// verify adds shard i if its data are as recorded; else it returns a *DamagedError.
func (f *Folder) verify(i int) error {
	digest, err := f.readRecord(i)
	if err != nil {
		return err
	}
	found, err := f.found(i, digest)
	if err != nil {
		return err
	}
	if digest == "" || found != digest {
		return &DamagedError{i, digest, found}
	}
	f.done(i, digest)
	return nil
}

// Whole returns an error unless all shards are there, with the data that were committed. From
// then on Discard and Release do nothing: the folder is another process's.
func (f *Folder) Whole(ctx context.Context) error {
	f.kept = true
	for i := range f.digests {
		err := cmp.Or(ctx.Err(), f.verify(i))
		if damaged, ok := err.(*DamagedError); ok && damaged.Have == "" {
			return &StoreError{f.dir, fs.ErrNotExist}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// found returns the SHA-256 of the file that should hold the data of shard i with that digest; ""
// if there is no such file.
func (f *Folder) found(i int, digest string) (string, error) {
	if digest == "" {
		return "", nil
	}
	path := f.DataPath(i, digest)
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		return "", nil
	}
	found := ""
	if err == nil {
		found, err = Digest(path)
	}
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	return found, err
}

// readRecord returns what the record of shard i commits, "" if it is damaged.
func (f *Folder) readRecord(i int) (string, error) {
	info, err := os.Lstat(f.recordPath(i))
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > recordSize {
		return "", nil
	}
	data, err := file.ReadFile(f.recordPath(i))
	if err != nil {
		return "", err
	}
	return parseRecord(i, string(data)), nil
}

// drop removes the record of shard i, then the data it names.
func (f *Folder) drop(i int) error {
	digest, err := f.readRecord(i)
	if err == nil {
		err = f.files.Remove(f.recordPath(i))
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if digest != "" {
		err = f.files.Remove(f.DataPath(i, digest))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	f.done(i, "")
	return nil
}

// refresh takes in what other processes have committed since, and returns what the folder holds.
func (f *Folder) refresh() (*listing, error) {
	n, err := list(f.dir)
	if err != nil {
		return nil, &StoreError{f.dir, err}
	}
	for i := range n.records {
		if i >= len(f.digests) || f.Done(i) {
			continue
		}
		digest, err := f.readRecord(i)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, &StoreError{f.dir, err}
		}
		for _, name := range n.data[i] {
			if digest != "" && name == dataName(i, digest) {
				f.done(i, digest)
			}
		}
	}
	return n, nil
}
