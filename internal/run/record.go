package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"tattle/internal/file"
)

// RecordName is the file that says how a run was begun.
const RecordName = "run.json"

// RecordFiles are the files of a finished run's folder that say how it was begun and what came of it.
var RecordFiles = []string{RecordName, ManifestName, digestName, resultsName}

const recordSchema = "tattle run file 1"

// Record says how a run was begun: what goes on with it from its folder alone.
type Record struct {
	Args    []string  `json:"args"` // the command line without --out, --resume and where it is computed
	Cwd     string    `json:"cwd"`  // what relative paths in Args start from
	Program Program   `json:"program,omitzero"`
	Started time.Time `json:"started,omitzero"`
}

type writtenRecord struct {
	Schema string `json:"schema"`
	Record
}

// WriteRecord writes run.json into a folder.
func WriteRecord(files *file.Dir, dir string, r Record) error {
	data, err := json.MarshalIndent(writtenRecord{recordSchema, r}, "", "  ")
	if err != nil {
		return err
	}
	return files.WriteBytes(filepath.Join(dir, RecordName), append(data, '\n'))
}

// ReadRecord reads run.json from a folder.
func ReadRecord(dir string) (Record, error) {
	path := filepath.Join(dir, RecordName)
	data, err := readSmall(path, 1<<20)
	if _, missing := os.Stat(dir); errors.Is(err, os.ErrNotExist) && missing == nil {
		return Record{}, fmt.Errorf("%s holds no run: it has no %s", dir, RecordName)
	}
	if err != nil {
		return Record{}, err
	}
	var w writtenRecord
	if err := json.Unmarshal(data, &w); err != nil {
		return Record{}, fmt.Errorf("%s: %w", path, err)
	}
	if w.Schema != recordSchema {
		return Record{}, fmt.Errorf("%s: schema %q, not %q", path, w.Schema, recordSchema)
	}
	return w.Record, nil
}
