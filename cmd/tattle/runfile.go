package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"tattle/run"
)

// runFile says how the run of a folder was begun: whoever goes on with it, lists it or
// merges it reads it there.
const runFile = "run.json"

const runSchema = "tattle run file 1"

// A begunRun is what runFile says.
type begunRun struct {
	Schema  string      `json:"schema"`
	Args    []string    `json:"args"` // without where the run is kept and who computes it
	Cwd     string      `json:"cwd"`  // what relative paths among them are relative to
	Program run.Program `json:"program"`
}

// writeRunFile notes in dir how its run was begun.
func writeRunFile(dir string, args []string) error {
	cwd, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("note how the run was begun: %w", err)
	}
	data, err := json.MarshalIndent(begunRun{runSchema, args, cwd, program()}, "", "  ")
	if err != nil {
		return err
	}
	return run.WriteFile(filepath.Join(dir, runFile), func(w io.Writer) error {
		_, err := w.Write(append(data, '\n'))
		return err
	})
}

// most that is believed of a runFile.
const mostRunFile = 1 << 20

// readRunFile reads what writeRunFile wrote.
func readRunFile(dir string) (*begunRun, error) {
	path := filepath.Join(dir, runFile)
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, usage(fmt.Errorf("%s: holds no run: it has no %s", dir, runFile), "name the folder given as --out")
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostRunFile))
	if err != nil {
		return nil, err
	}
	b := &begunRun{}
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	if err := strict.Decode(b); err != nil {
		return nil, fmt.Errorf("%s: %w: it was changed; start the run again", path, err)
	}
	if b.Schema != runSchema || len(b.Args) == 0 {
		return nil, fmt.Errorf("%s: schema %q with %d arguments: it is not of this program; start the run again", path, b.Schema, len(b.Args))
	}
	return b, nil
}
