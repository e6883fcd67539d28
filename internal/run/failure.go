package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"tattle/internal/file"
)

// Failure is a shard that was set aside.
type Failure struct {
	Shard  int      `json:"shard"`
	Name   string   `json:"name"`            // what the shard is
	Causes []string `json:"causes"`          // of each attempt, in order
	Stack  string   `json:"stack,omitempty"` // of the last panic
}

// Cause returns the last cause, as a line that prints.
func (f Failure) Cause() string {
	if len(f.Causes) == 0 {
		return "no cause is known"
	}
	return file.Line(f.Causes[len(f.Causes)-1])
}

// failureSize is the most that the file of a failure may hold.
const failureSize = 1 << 20

// SetAside notes that a shard failed for good.
func (f *Folder) SetAside(failure Failure) error {
	if err := f.has(failure.Shard); err != nil {
		return err
	}
	data, err := json.MarshalIndent(failure, "", "  ")
	if err != nil {
		return fmt.Errorf("shard %d: %w", failure.Shard, err)
	}
	err = f.files.WriteBytes(f.failedPath(failure.Shard), append(data, '\n'))
	if err != nil {
		return &StoreError{f.dir, err}
	}
	return nil
}

// retryAll forgets which shards were set aside.
func (f *Folder) retryAll() error {
	n, err := list(f.dir)
	if err != nil {
		return &StoreError{f.dir, err}
	}
	for i := range n.failed {
		if err := f.files.Remove(f.failedPath(i)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return &StoreError{f.dir, err}
		}
	}
	return nil
}

// Failures returns the shards that were set aside and are not done, in order.
func (f *Folder) Failures() ([]Failure, error) {
	names, err := list(f.dir)
	if err != nil {
		return nil, err
	}
	var all []Failure
	for _, i := range slices.Sorted(maps.Keys(names.failed)) {
		if i < f.Len() && !f.Done(i) {
			all = append(all, readFailure(f.failedPath(i), i))
		}
	}
	return all, nil
}

// readFailure reads the file of a failure; what is damaged says so itself.
func readFailure(path string, i int) Failure {
	data, err := readSmall(path, failureSize)
	failure := Failure{Shard: i}
	if err == nil {
		err = json.Unmarshal(data, &failure)
	}
	if err != nil {
		return Failure{Shard: i, Name: fmt.Sprintf("shard %d", i), Causes: []string{fmt.Sprintf("%s cannot be read: %v", filepath.Base(path), err)}}
	}
	failure.Shard = i
	if failure.Name = file.Line(failure.Name); failure.Name == "" {
		failure.Name = fmt.Sprintf("shard %d", i)
	}
	return failure
}
