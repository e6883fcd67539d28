package training

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"tattle/curious"
)

// resultSchema is the version of the result.json of a seed.
const resultSchema = "tattle/result/1"

// Result is the result.json of a seed's training.
type Result struct {
	Record
	Source     *Source             `json:"-"` // is in source.json
	Parameters int                 `json:"parameters"`
	Steps      int                 `json:"steps"`
	Taus       []float64           `json:"taus,omitempty"` // of the attacks; 0 but for thresholds
	Evaluation *curious.Evaluation `json:"evaluation"`
}

// write writes result.json for models that are in dir, and source.json.
func (r *Result) write(dir string, models []string) error {
	if err := r.Source.write(dir); err != nil {
		return err
	}
	return Write(dir, r, models)
}

// ReadResult reads the result.json of a seed's training in dir, with its source. It
// returns an error if the training failed.
func ReadResult(dir string) (*Result, error) {
	r := new(Result)
	if err := read(dir, resultSchema, r); err != nil {
		return nil, err
	}
	if r.Evaluation == nil {
		return nil, fmt.Errorf("%s: a training that failed: %s", dir, r.Failed)
	}
	var err error
	r.Source, err = readSource(dir)
	return r, err
}

// Options returns the options of the training, as far as its settings have them.
func (r *Result) Options() (o curious.Options, err error) {
	o.Attack, o.Outputs = curious.Kind(r.Settings["attack"]), curious.Outputs(r.Settings["outputs"])
	if o.Beta, err = curious.ParseBeta(r.Settings["beta"]); err == nil {
		_, err = fmt.Sscan(r.Settings["seed"], &o.Seed)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", ResultFile, err)
	}
	return o, err
}

// Several returns the paths of the result.json of each seed in the folder of a run of
// several seeds.
func Several(dir string) ([]string, error) {
	paths, err := fs.Glob(os.DirFS(dir), seedPrefix+"*/"+ResultFile)
	for i, name := range paths {
		paths[i] = filepath.Join(dir, filepath.FromSlash(name))
	}
	return paths, err
}
