package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"tattle/internal/file"
)

// A Record holds everything that the figures of an audit follow from, apart from its
// options. Write keeps it in files, and ReadRecord reads it back.
type Record struct {
	Sample *Sample
	Comparison
	Notes []string // on how it was made, for the reader of the report
}

// Audit audits the sample as Complete does. It adds to the notes what could not be done.
func (r *Record) Audit(ctx context.Context, o Options) (*Result, error) {
	res, notes, err := complete(ctx, r.Sample, r.Comparison, o)
	for _, n := range notes {
		if !slices.Contains(r.Notes, n) { // a record that was read has them
			r.Notes = append(r.Notes, n)
		}
	}
	return res, err
}

// The files of a record.
const (
	outputsFile = "outputs.npz"
	plantedFile = "planted.npz"
	taskFile    = "planted-task.npz"
	trainedFile = "trained.json"
)

func referenceFile(i int) string { return fmt.Sprintf("reference-%d.npz", i+1) }
func defenceFile(i int) string   { return fmt.Sprintf("defence-%d.npz", i+1) }

// MaxReferences is the largest number of references of a record.
const MaxReferences = 1000

// sampleFile is a sample and the file that keeps it.
type sampleFile struct {
	name   string
	sample *Sample
}

// samples lists all samples with their files.
func (r *Record) samples() []sampleFile {
	files := []sampleFile{{outputsFile, r.Sample}}
	for i, s := range r.References {
		files = append(files, sampleFile{referenceFile(i), s})
	}
	if r.Planted != nil {
		files = append(files, sampleFile{plantedFile, r.Planted.Sample})
	}
	if r.Task != nil {
		files = append(files, sampleFile{taskFile, r.Task.Sample})
	}
	for i, x := range r.Released {
		files = append(files, sampleFile{defenceFile(i), x.Sample})
	}
	return files
}

// Files returns the names of the files that Write writes.
func (r *Record) Files() []string {
	var names []string
	for _, f := range r.samples() {
		names = append(names, f.name)
	}
	return append(names, trainedFile)
}

// trainedRecord is trained.json: what was trained for an audit. The outputs of what was
// trained are in files of their own.
type trainedRecord struct {
	By         map[string]string `json:"by"` // SHA-256 of the sample that it was trained for
	References int               `json:"references"`
	Unpaired   bool              `json:"unpaired,omitempty"`
	Recipe     Recipe            `json:"recipe,omitempty"`
	Planted    *Planted          `json:"planted,omitempty"`
	Task       *Planted          `json:"planted_task,omitempty"`
	Released   []string          `json:"released,omitempty"` // names of defences
	Notes      []string          `json:"notes,omitempty"`
}

// Write writes the record to files in the folder dir.
func (r *Record) Write(dir string) error {
	for _, f := range r.samples() {
		if err := WriteOutputs(filepath.Join(dir, f.name), f.sample); err != nil {
			return err
		}
	}
	t := &trainedRecord{
		By: map[string]string{"sample": r.Sample.Sum()}, References: len(r.References), Unpaired: r.Unpaired, Recipe: r.Recipe,
		Planted: r.Planted, Task: r.Task, Notes: r.Notes,
	}
	for _, p := range []*Planted{r.Planted, r.Task} {
		if p != nil {
			p.Name = p.Sample.Name
		}
	}
	for _, x := range r.Released {
		t.Released = append(t.Released, x.Name)
	}
	return file.Write(filepath.Join(dir, trainedFile), func(w io.Writer) error { return json.NewEncoder(w).Encode(t) })
}

// ReadRecord reads a record that Write wrote. The name and the notes of its sample are not
// kept, and defences are not switched on.
func ReadRecord(ctx context.Context, dir string) (*Record, error) {
	b, err := file.ReadFile(filepath.Join(dir, trainedFile))
	if err != nil {
		return nil, err
	}
	t := new(trainedRecord)
	if err := json.Unmarshal(b, t); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, trainedFile), err)
	}
	if t.References < 0 || t.References > MaxReferences {
		return nil, fmt.Errorf("%s: %d references", filepath.Join(dir, trainedFile), t.References)
	}
	r := &Record{Notes: t.Notes}
	r.Unpaired, r.Recipe = t.Unpaired, t.Recipe
	return r, r.readSamples(ctx, dir, t)
}

// readSamples reads the outputs that trained.json lists.
func (r *Record) readSamples(ctx context.Context, dir string, t *trainedRecord) (err error) {
	read := func(file, name string) (*Sample, error) {
		s, err := OpenOutputs(ctx, filepath.Join(dir, file), OpenOptions{})
		if err == nil && name != "" {
			s.Name = name
		}
		return s, err
	}
	planted := func(p *Planted, file string) (*Planted, error) {
		if p == nil {
			return nil, nil
		}
		p.Sample, err = read(file, p.Name)
		return p, err
	}
	if r.Sample, err = read(outputsFile, ""); err != nil {
		return err
	}
	for i := range t.References {
		s, err := read(referenceFile(i), fmt.Sprintf("reference %d", i+1))
		if err != nil {
			return err
		}
		r.References = append(r.References, s)
	}
	if r.Planted, err = planted(t.Planted, plantedFile); err != nil {
		return err
	}
	if r.Task, err = planted(t.Task, taskFile); err != nil {
		return err
	}
	for i, name := range t.Released {
		s, err := read(defenceFile(i), name)
		if err != nil {
			return err
		}
		r.Released = append(r.Released, Released{Name: name, Sample: s})
	}
	return r.check()
}

// check returns an error if the parts of the record do not fit together: a file was changed.
func (r *Record) check() error {
	p := r.Planted
	if p == nil || p.Rows == nil {
		return nil
	}
	if len(p.Rows) != p.Sample.Len() || len(r.References) == 0 {
		return errors.New("the planted model's outputs do not match the rows that the record names")
	}
	n := r.References[0].Len()
	for _, i := range p.Rows {
		if i < 0 || i >= n {
			return fmt.Errorf("the planted model was applied to example %d of %d", i, n)
		}
	}
	return nil
}
