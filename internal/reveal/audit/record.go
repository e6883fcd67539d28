package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tattle/internal/data/sheet"
	"tattle/internal/file"
	"tattle/internal/npy"
	"tattle/internal/reveal/curious"
)

// A Record holds everything that the figures of an audit follow from, apart from its
// options. Write keeps it in files, and ReadRecord reads it back.
type Record struct {
	Sample     *Sample   `json:"-"`
	References []*Sample `json:"-"`                  // outputs of honest classifiers; nil for none
	Unpaired   bool      `json:"unpaired,omitempty"` // References are of other examples
	Recipe     Recipe    `json:"recipe,omitempty"`   // of the references
	Planted    *Trained  `json:"planted,omitempty"`  // a model that must be found; nil for none
	Notes      []string  `json:"notes,omitempty"`    // on how it was made, for the reader of the report
	Defences   bool      `json:"-"`                  // try defences
}

// Audit audits the sample: all figures, the negative control, codes that are planted into its outputs, and the planted
// model. It tries defences if the record says so. It returns an error if the record or an option is wrong and when ctx ends.
func (r *Record) Audit(ctx context.Context, o Options) (*Result, error) {
	o = o.withDefaults()
	if err := cmp.Or(o.check(), r.check()); err != nil {
		return nil, err
	}
	p, changed := r.prepared()
	res, err := examine(ctx, p, o)
	if err != nil {
		return nil, err
	}
	if res.Warnings = append(res.Warnings, changed...); len(res.usable()) == 0 {
		return res, nil
	}
	res.dependences(o)
	c, err := negative(ctx, p.Sample, o.forControl())
	if err != nil {
		return nil, err
	}
	if c != nil {
		res.Controls = append(res.Controls, *c)
	} else {
		res.Warnings = append(res.Warnings, "The negative control was left out: few people have the same y in as many examples, so s cannot be dealt out anew among them.")
	}
	if res.Channels, err = measureChannels(ctx, p.Sample, len(res.usable()), o); err != nil {
		return nil, err
	}
	if p.Planted != nil {
		positive, err := p.Planted.Control(ctx, o.staged("the planted model: "))
		if err != nil {
			return nil, err
		}
		res.Controls = append(res.Controls, positive)
	}
	if p.Defences {
		if res.Defences, err = defend(ctx, p.Sample, o); err != nil {
			return nil, err
		}
	}
	res.Conclude()
	return res, nil
}

// staged returns options with a prefix for the names of the stages that Progress reports.
func (o Options) staged(words string) Options {
	if report := o.Progress; report != nil {
		o.Progress = func(stage string, done, total int) { report(words+stage, done, total) }
	}
	return o
}

// maxReferences is the largest number of references of a record.
const maxReferences = 1000

// TrainedFile says what was trained for an audit: every audit that is kept has one. The outputs of what was trained are in files of
// their own.
const TrainedFile = "trained.json"

// trainedRecord is trained.json.
type trainedRecord struct {
	Count int `json:"references"`
	*Record
}

// keptSample is a sample of a record, the file that keeps it and the name that the file does not keep.
type keptSample struct {
	file, name string
	sample     **Sample
}

// samples lists all samples with their files. Reading a record fills them in.
func (r *Record) samples() []keptSample {
	list := []keptSample{{"outputs.npz", "", &r.Sample}}
	for i := range r.References {
		list = append(list, keptSample{fmt.Sprintf("reference-%d.npz", i+1), fmt.Sprintf("reference %d", i+1), &r.References[i]})
	}
	if r.Planted != nil {
		list = append(list, keptSample{"planted.npz", r.Planted.Name, &r.Planted.Sample})
	}
	return list
}

// Files returns the names of the files that Write writes.
func (r *Record) Files() []string {
	var names []string
	for _, k := range r.samples() {
		names = append(names, k.file)
	}
	return append(names, TrainedFile)
}

// Write writes the record to files in the folder dir.
func (r *Record) Write(files *file.Dir, dir string) error {
	for _, k := range r.samples() {
		if err := (*k.sample).write(files, filepath.Join(dir, k.file)); err != nil {
			return err
		}
	}
	t := &trainedRecord{len(r.References), r}
	return files.Write(filepath.Join(dir, TrainedFile), func(w io.Writer) error { return json.NewEncoder(w).Encode(t) })
}

// ReadRecord reads a record that Write wrote. The name and the notes of its sample are not
// kept, and defences are not switched on.
func ReadRecord(ctx context.Context, dir string) (*Record, error) {
	path := filepath.Join(dir, TrainedFile)
	b, err := file.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := new(Record)
	t := &trainedRecord{Record: r}
	if err := json.Unmarshal(b, t); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if t.Count < 0 || t.Count > maxReferences {
		return nil, fmt.Errorf("%s: %d references", path, t.Count)
	}
	if t.Count > 0 {
		r.References = make([]*Sample, t.Count)
	}
	for _, k := range r.samples() {
		if *k.sample, err = OpenOutputs(ctx, filepath.Join(dir, k.file), OpenOptions{}); err != nil {
			return nil, err
		}
		if k.name != "" {
			(*k.sample).Name = k.name
		}
	}
	return r, nil
}

// write writes a sample as an .npz, whole or not at all. OpenOutputs reads it back to the
// same outputs, labels, classes and names; Name becomes the file's, and Notes are not kept. It
// returns an error if a name of a class or an attribute would come back as another.
func (s *Sample) write(files *file.Dir, path string) error {
	if err := s.writable(); err != nil {
		return fmt.Errorf("write %s: %w", file.Shown(path), err)
	}
	return files.Write(path, s.writeNPZ)
}

// writable refuses names that would not be read back.
func (s *Sample) writable() error {
	if s.Kind == Vector && s.targeted() == (s.Target == "") {
		return fmt.Errorf("vectors with %d classes of the target %q: give both or neither", len(s.Classes), s.Target)
	}
	names := s.Classes
	if s.Target != "" {
		names = append(slices.Clone(names), s.Target)
	}
	return checkNames(names, s.Sensitive)
}

// checkNames refuses names of the target's classes, and of attributes, that would not be read back.
func checkNames(names []string, sensitive []Attribute) error {
	for _, a := range sensitive {
		names = slices.Concat(names, []string{a.Name}, a.Values)
	}
	for _, name := range names {
		if len(name) > sheet.MaxName {
			return fmt.Errorf("the name %s has %d bytes, more than %d: shorten it", file.Shown(name), len(name), sheet.MaxName)
		}
		if name == "" || strings.TrimSpace(name) != name || strings.ContainsAny(name, "\r\x00") || !utf8.ValidString(name) {
			return fmt.Errorf("the name %q cannot be written (empty, with blanks around it, or no text): rename it", name)
		}
	}
	return nil
}

// writeNPZ writes outputs as logits or probabilities [n, Y] or as vectors [n, Width], the target as y and the
// group as group, the attributes as s1, s2 and so on, and beside each what it is about.
func (s *Sample) writeNPZ(w io.Writer) error {
	z, n := npy.NewWriter(w), s.Len()
	outputs := map[curious.Outputs]string{curious.Raw: "logits", curious.Soft: "probabilities", Vector: "vectors"}[s.Kind]
	if err := z.Add(outputs, []int{n, s.RowWidth()}, s.Outputs); err != nil {
		return err
	}
	add := func(array string, a Attribute) error {
		var labels any = a.Labels
		if a.Numeric() {
			labels, a.Values = a.Numbers, nil
		}
		if err := z.Add(array, []int{n}, labels); err != nil {
			return err
		}
		return z.Add(array+aboutSuffix, []int{1 + len(a.Values)}, append([]string{a.Name}, a.Values...))
	}
	if s.Kind != Vector || s.targeted() {
		if err := add("y", Attribute{Name: cmp.Or(s.Target, "y"), Labels: s.Y, Values: s.Classes, Numbers: s.YNumbers}); err != nil {
			return err
		}
	}
	if s.Group != nil {
		if err := add("group", Attribute{Name: s.Group.Name, Labels: s.Group.Labels}); err != nil {
			return err
		}
	}
	for i, a := range s.Sensitive {
		if err := add("s"+strconv.Itoa(i+1), a); err != nil {
			return err
		}
	}
	return z.Close()
}
