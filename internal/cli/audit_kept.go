package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"tattle/audit"
	"tattle/internal/file"
	"tattle/report"
	"tattle/run"
)

// training is trained.json: what was trained for an audit, and by what. The outputs of
// all of it lie beside it.
type training struct {
	By         map[string]string `json:"by"` // with another one it is another training
	References int               `json:"references"`
	Unpaired   bool              `json:"unpaired,omitempty"`
	Recipe     audit.Recipe      `json:"recipe,omitempty"`
	Planted    *plantedModel     `json:"planted,omitempty"`
	Task       *plantedModel     `json:"planted_task,omitempty"`
	Released   []string          `json:"released,omitempty"` // names of defences
	Notes      []string          `json:"notes,omitempty"`
}

// plantedModel is what is known of a planted model beside its outputs.
type plantedModel struct {
	TrueExcess float64 `json:"true_excess"`
	Where      string  `json:"where"`
	Note       string  `json:"note,omitempty"`
	Rows       []int   `json:"rows,omitempty"`
	Name       string  `json:"name"`
}

const trainedFile = "trained.json"

// samples are the files that keep what was trained.
func (d *audited) samples() []kept {
	var files []kept
	for i, s := range d.References {
		files = append(files, kept{referenceFile(i), s})
	}
	if d.Planted != nil {
		files = append(files, kept{plantedFile, d.Planted.Sample})
	}
	if d.Task != nil {
		files = append(files, kept{taskFile, d.Task.Sample})
	}
	for i, x := range d.Released {
		files = append(files, kept{defenceFile(i), x.Sample})
	}
	return files
}

// complete notes what was trained.
func (t *training) complete(d *audited) {
	t.References, t.Unpaired, t.Notes, t.Released = len(d.References), d.Unpaired, d.notes, nil
	t.Recipe = d.Recipe
	t.Planted, t.Task = noted(d.Planted), noted(d.Task)
	for _, x := range d.Released {
		t.Released = append(t.Released, x.Name)
	}
}

func noted(p *audit.Planted) *plantedModel {
	if p == nil {
		return nil
	}
	return &plantedModel{TrueExcess: p.TrueExcess, Where: p.Where, Note: p.Note, Rows: p.Rows, Name: p.Sample.Name}
}

func (t *training) write(dir string) error {
	return run.WriteFile(filepath.Join(dir, trainedFile), func(w io.Writer) error {
		return json.NewEncoder(w).Encode(t)
	})
}

func readTraining(dir string) (*training, error) {
	b, err := file.ReadFile(filepath.Join(dir, trainedFile))
	if err != nil {
		return nil, err
	}
	t := new(training)
	if err := json.Unmarshal(b, t); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, trainedFile), err)
	}
	if t.References < 0 || t.References > mostReferences {
		return nil, fmt.Errorf("%s: %d references", filepath.Join(dir, trainedFile), t.References)
	}
	return t, nil
}

// restore reads what was trained.
func (t *training) restore(ctx context.Context, e *env, dir string, d *audited) error {
	read := func(file, name string) (*audit.Sample, error) {
		s, err := audit.OpenOutputs(ctx, filepath.Join(dir, file), audit.OpenOptions{})
		if err == nil {
			s.Name = name
		}
		return s, err
	}
	d.References, d.Released, d.Planted, d.Task = nil, nil, nil, nil
	for i := range t.References {
		s, err := read(referenceFile(i), fmt.Sprintf("reference %d", i+1))
		if err != nil {
			return err
		}
		d.References = append(d.References, s)
	}
	for _, x := range []struct {
		was  *plantedModel
		file string
		to   **audit.Planted
	}{{t.Planted, plantedFile, &d.Planted}, {t.Task, taskFile, &d.Task}} {
		if p := x.was; p != nil {
			s, err := read(x.file, p.Name)
			if err != nil {
				return err
			}
			*x.to = &audit.Planted{Sample: s, TrueExcess: p.TrueExcess, Where: p.Where, Note: p.Note, Rows: p.Rows}
		}
	}
	for i, name := range t.Released {
		s, err := read(defenceFile(i), name)
		if err != nil {
			return err
		}
		d.Released = append(d.Released, audit.Released{Name: name, Sample: s})
	}
	d.Unpaired, d.notes, d.Recipe = t.Unpaired, t.Notes, t.Recipe
	return d.coherent()
}

// coherent errs where what was read does not go together: a file was changed.
func (d *audited) coherent() error {
	if p := d.Planted; p != nil && p.Rows != nil {
		if len(p.Rows) != p.Sample.Len() || len(d.References) == 0 {
			return errors.New("the planted model's outputs are not of the rows that are named")
		}
		n := d.References[0].Len()
		for _, i := range p.Rows {
			if i < 0 || i >= n {
				return fmt.Errorf("the planted model was asked example %d of %d", i, n)
			}
		}
	}
	return nil
}

// keep moves what was trained to its place beside the outputs, and notes all digests.
func (d *audited) keep(dir string, r *report.Report) error {
	files := append([]kept{{outputsFile, d.sample}}, d.samples()...)
	for _, f := range files {
		if err := audit.WriteOutputs(filepath.Join(dir, f.name), f.sample); err != nil {
			return err
		}
	}
	t := &training{By: map[string]string{"sample": d.sample.Sum()}}
	t.complete(d)
	if err := t.write(dir); err != nil {
		return err
	}
	var err error
	r.Arrays, err = d.digests(dir)
	return err
}

// digests lists the files that keep an audit, with their digests.
func (d *audited) digests(dir string) (all []report.Arrays, err error) {
	files := append([]kept{{outputsFile, d.sample}}, d.samples()...)
	for _, name := range append(names(files), trainedFile) {
		hash, err := run.Digest(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		all = append(all, report.Arrays{File: name, SHA256: hash})
	}
	return all, nil
}

// discard removes what an interrupted audit would have gone on with; what is left of it
// harms nobody.
func (d *audited) discard(dir string) {
	file.RemoveAll(filepath.Join(dir, shardsDir, answersDir))
	if d.shards != nil {
		d.shards.Discard()
	}
	file.Remove(filepath.Join(dir, shardsDir)) // unless it is of use to other processes
}

func names(files []kept) []string {
	var list []string
	for _, f := range files {
		list = append(list, f.name)
	}
	return list
}

// kept is a sample and the file that keeps it.
type kept struct {
	name   string
	sample *audit.Sample
}

const (
	plantedFile = "planted.npz"
	taskFile    = "planted-task.npz"
)

func referenceFile(i int) string { return fmt.Sprintf("reference-%d.npz", i+1) }
func defenceFile(i int) string   { return fmt.Sprintf("defence-%d.npz", i+1) }
