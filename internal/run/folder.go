package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"tattle/internal/file"
)

// Folder keeps the finished shards of a run on disk. Shard i has data, named by its
// number and the beginning of their SHA-256, and a record with that SHA-256 in the form
// that sha256sum -c reads. The record commits the data: it is created atomically and only once,
// so that any number of goroutines and processes may compute the same shard.
// A Folder is safe for concurrent use.
type Folder struct {
	files    *file.Dir // changes the files
	dir      string
	manifest []byte
	corrupt  []int
	kept     bool // Discard and Release do nothing

	mu      sync.Mutex
	digests []string // of what is committed, else ""
}

// Create starts a run in a folder, which it makes where there is none. It returns an error
// if the folder already holds a run. Shards without a manifest are removed: they are
// what is left of a run that was being removed.
func Create(files *file.Dir, dir string, m Manifest) (*Folder, error) {
	data, err := m.Encode()
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(filepath.Join(dir, ManifestName)); err == nil {
		return nil, fmt.Errorf("%s already holds a run: resume it or name another folder", dir)
	} else if !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("start a run: %w", err)
	}
	if err := clearShards(files, dir); err != nil {
		return nil, fmt.Errorf("start a run: %w", err)
	}
	if err := WriteManifest(files, dir, data); err != nil {
		return nil, err
	}
	return newFolder(files, dir, m, data), nil
}

func newFolder(files *file.Dir, dir string, m Manifest, data []byte) *Folder {
	return &Folder{files: files, dir: dir, manifest: data, digests: make([]string, m.Shards)}
}

// clearShards removes the files of shards, records first.
func clearShards(files *file.Dir, dir string) error {
	n, err := list(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var names []string
	for i := range n.records {
		names = append(names, shardName(i)+recordSuffix)
	}
	for i := range n.failed {
		names = append(names, shardName(i)+failedSuffix)
	}
	for i := range n.claims {
		names = append(names, shardName(i)+claimSuffix)
	}
	for _, data := range n.data {
		names = append(names, data...)
	}
	for _, name := range names {
		if err := files.Remove(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// done notes what was committed as shard i, "" for nothing.
func (f *Folder) done(i int, digest string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.digests[i] = digest
}

// has returns an error if there is no shard i.
func (f *Folder) has(i int) error {
	if i < 0 || i >= len(f.digests) {
		return fmt.Errorf("shard %d of a run of %d", i, len(f.digests))
	}
	return nil
}

// Len returns the number of shards.
func (f *Folder) Len() int { return len(f.digests) }

// Digest returns the SHA-256 of shard i, "" if it is not done.
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
		return f.DataPath(i, digest)
	}
	return filepath.Join(f.dir, shardName(i))
}

// DataPath returns the file that data of shard i with that SHA-256 have, committed or not.
func (f *Folder) DataPath(i int, digest string) string {
	return filepath.Join(f.dir, dataName(i, digest))
}

func (f *Folder) recordPath(i int) string { return filepath.Join(f.dir, shardName(i)+recordSuffix) }

func (f *Folder) claimPath(i int) string { return filepath.Join(f.dir, shardName(i)+claimSuffix) }

func (f *Folder) failedPath(i int) string { return filepath.Join(f.dir, shardName(i)+failedSuffix) }

// resultsName is the file with the SHA-256 of what shards were merged into.
const resultsName = "results.sha256"

// KeepManifest writes the manifest, and the digests of results, into the folder that holds
// what the shards were merged into. Manifest.Check then compares the manifest with that of
// a run, and Intact the results with their digests.
func (f *Folder) KeepManifest(files *file.Dir, dir string, results ...string) error {
	var lines strings.Builder
	for _, name := range results {
		digest, err := Digest(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%s  %s\n", digest, name)
	}
	err := files.WriteBytes(filepath.Join(dir, resultsName), []byte(lines.String()))
	if err != nil {
		return err
	}
	return WriteManifest(files, dir, f.manifest)
}

// Intact reports whether the results in a folder are those that KeepManifest found there.
func Intact(dir string) bool {
	lines, err := readSmall(filepath.Join(dir, resultsName), manifestSize)
	if err != nil || len(lines) == 0 {
		return false
	}
	for line := range strings.Lines(string(lines)) {
		digest, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok || !filepath.IsLocal(name) {
			return false
		}
		path := filepath.Join(dir, name)
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() {
			return false
		}
		if found, err := Digest(path); err != nil || found != digest {
			return false
		}
	}
	return true
}

const (
	discardTries = 100
	discardPause = 20 * time.Millisecond
)

// Discard removes the folder after its shards are merged; callers must not remove it otherwise.
func (f *Folder) Discard() error {
	if f.kept {
		return nil
	}
	err := f.files.Remove(filepath.Join(f.dir, ManifestName)) // first, as it makes the folder a run's
	if err == nil || errors.Is(err, os.ErrNotExist) {
		for range discardTries { // another process claims shards until it sees that the manifest is gone
			if err = f.files.RemoveAll(f.dir); !errors.Is(err, os.ErrExist) { // a folder that is not empty is such an error
				break
			}
			time.Sleep(discardPause)
		}
	}
	if err != nil {
		return fmt.Errorf("remove merged shards: %w", err)
	}
	return nil
}

// Release removes shard i once it is merged, to make room for what it is merged into.
func (f *Folder) Release(i int) error {
	if err := f.has(i); err != nil || f.kept {
		return err
	}
	if err := f.drop(i); err != nil {
		return &StoreError{f.dir, err}
	}
	return nil
}
