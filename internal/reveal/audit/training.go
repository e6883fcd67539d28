package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"tattle/internal/file"
	"tattle/internal/run"
)

// A Training makes one of the classifiers that an audit compares with or is checked by.
// Train needs none of the others, and what comes of it is the same wherever it runs.
type Training struct {
	Name  string // such as "reference 3"
	Train func(ctx context.Context, progress func(done, total int)) (*Trained, error)
}

// Trained is the result of a training: the outputs of the classifier and, if it was planted,
// what is known of it.
type Trained struct {
	Sample  *Sample
	Planted *Planted // has the same Sample
}

// TrainOptions says how Train keeps what is trained, and who trains it.
type TrainOptions struct {
	Settings any               // all that decides what comes out, as an object of JSON
	Hashes   map[string]string // SHA-256 by role of the data
	Pool     run.Pool          // nil is run.Leader
	Resume   bool              // go on with what the folder holds, if it holds anything
	Progress func(done, total int)
}

// Train does the trainings of an audit and returns what came of each, in their order. Each
// is kept in the folder dir as soon as it is done, until the folder that is returned is
// discarded. It returns the errors of the pool: a *run.MismatchError if the folder has other
// trainings.
// Progress gets thousandths of trainings.
func Train(ctx context.Context, dir string, all []Training, o TrainOptions) ([]*Trained, *run.Folder, error) {
	if o.Pool == nil {
		o.Pool = run.Leader{}
	}
	var mu sync.Mutex
	kept, reported, under := 0, 0, make([]float64, len(all)) // what is done of those under way
	progress := func(change func()) {
		mu.Lock()
		defer mu.Unlock()
		change()
		done := 1000 * float64(kept)
		for _, part := range under {
			done += 1000 * part
		}
		// Never less than before, although a training may be repeated.
		if reported = max(reported, min(int(done), 1000*len(all))); o.Progress != nil {
			o.Progress(reported, 1000*len(all))
		}
	}
	f, err := o.Pool.Run(ctx, run.Work{
		Dir:      dir,
		Manifest: run.Manifest{Command: "audit", Shards: len(all), Settings: o.Settings, Hashes: o.Hashes},
		Resume:   o.Resume,
		Do: func(ctx context.Context, i int, w io.Writer) error {
			defer progress(func() { under[i] = 0 })
			t, err := all[i].Train(ctx, func(done, total int) { progress(func() { under[i] = float64(done) / float64(max(1, total)) }) })
			if err != nil {
				return err
			}
			return t.write(w)
		},
		Progress: func(f *run.Folder) { progress(func() { kept = f.Len() - len(f.Remaining()) }) },
		Name:     func(i int) string { return all[i].Name },
	})
	if err != nil {
		return nil, nil, err
	}
	trained := make([]*Trained, len(all))
	for i := range all {
		data, err := file.ReadFile(f.Path(i))
		if err != nil {
			return nil, nil, err
		}
		if trained[i], err = decodeTrained(ctx, data); err != nil {
			return nil, nil, fmt.Errorf("%s: %w: take the file away and resume", f.Path(i), err)
		}
	}
	return trained, f, nil
}

// trainedHead is the first line of what keeps a training; the sample, as an .npz, is the
// rest.
type trainedHead struct {
	Name    string   `json:"name,omitempty"` // of the sample
	Notes   []string `json:"notes,omitempty"`
	Planted *Planted `json:"planted,omitempty"`
}

func (t *Trained) write(w io.Writer) error {
	head := trainedHead{Planted: t.Planted, Name: t.Sample.Name, Notes: t.Sample.Notes}
	if err := t.Sample.writable(); err != nil {
		return err
	}
	if err := json.NewEncoder(w).Encode(head); err != nil {
		return err
	}
	return t.Sample.writeNPZ(w)
}

// decodeTrained reads what write wrote.
func decodeTrained(ctx context.Context, data []byte) (*Trained, error) {
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	var head trainedHead
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, err
	}
	t := &Trained{Planted: head.Planted}
	var err error
	if t.Sample, err = ReadOutputs(ctx, "outputs", rest, OpenOptions{}); err != nil {
		return nil, err
	}
	t.Sample.Name, t.Sample.Notes = head.Name, head.Notes
	if p := t.Planted; p != nil {
		if p.Sample = t.Sample; len(t.Sample.Sensitive) != 1 {
			return nil, errors.New("what was planted is not of its examples")
		}
	}
	return t, t.Sample.Check()
}
