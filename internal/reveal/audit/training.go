package audit

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"tattle/internal/file"
	"tattle/internal/run"
)

// trainingJob makes one of the classifiers that an audit compares with or is checked by.
// train needs none of the others, and what comes of it is the same wherever it runs.
type trainingJob struct {
	name  string // such as "reference 3"
	train func(ctx context.Context, progress func(done, total int, loss float64)) (*Trained, error)
}

// Trained is what a classifier that was trained for an audit releases and, if it was planted, what is known of it.
type Trained struct {
	Sample     *Sample `json:"-"`                     // of a planted one, with the one attribute that it hides
	Name       string  `json:"name,omitempty"`        // of the sample
	TrueExcess float64 `json:"true_excess,omitempty"` // excess of its own attack over the best baseline, on examples that it did not learn from
	Where      string  `json:"where,omitempty"`       // the task
	Note       string  `json:"note,omitempty"`        // why it is another than the audited one, or learned from a part, a sentence
}

// train does the trainings of an audit and returns what came of each, in their order. Each
// is kept in the folder dir as soon as it is done. m says all that decides them. It returns the errors of the pool: a
// *run.MismatchError if the folder has other trainings.
func (q *Request) train(ctx context.Context, dir string, all []trainingJob, m run.Manifest) ([]*Trained, error) {
	tell := q.progress("training a classifier, percent done")
	if len(all) > 1 {
		tell = q.progress(fmt.Sprintf("training %d classifiers, percent done", len(all)))
	}
	var mu sync.Mutex
	kept, reported, under := 0, 0, make([]float64, len(all)) // what is done of those under way
	progress := func(change func()) {
		mu.Lock()
		defer mu.Unlock()
		change()
		done := float64(kept)
		for _, part := range under {
			done += part
		}
		reported = max(reported, min(int(100*done/float64(len(all))), 100)) // never less than before, although a training may be repeated
		tell(reported, 100)
	}
	m.Command, m.Shards = "audit", len(all)
	f, err := cmp.Or[run.Pool](q.Pool, run.Leader{}).Run(ctx, run.Work{
		Dir: dir, Manifest: m, Resume: q.Resume,
		Do: func(ctx context.Context, i int, w io.Writer) error {
			defer progress(func() { under[i] = 0 })
			t, err := all[i].train(ctx, func(done, total int, _ float64) {
				progress(func() { under[i] = float64(done) / float64(max(1, total)) })
			})
			if err != nil {
				return err
			}
			return t.write(w)
		},
		Progress: func(f *run.Folder) { progress(func() { kept = f.Len() - len(f.Remaining()) }) },
		Name:     func(i int) string { return all[i].name },
	})
	if err != nil {
		return nil, err
	}
	trained := make([]*Trained, len(all))
	for i := range all {
		data, err := file.ReadFile(f.Path(i))
		if err != nil {
			return nil, err
		}
		if trained[i], err = decodeTrained(ctx, data); err != nil {
			return nil, fmt.Errorf("%s: %w: take the file away and resume", f.Path(i), err)
		}
	}
	return trained, nil
}

// trainedHead is the first line of what keeps a training; the sample, as an .npz, is the
// rest.
type trainedHead struct {
	*Trained
	Notes []string `json:"notes,omitempty"` // of the sample
}

func (t *Trained) write(w io.Writer) error {
	if err := t.Sample.writable(); err != nil {
		return err
	}
	if err := json.NewEncoder(w).Encode(trainedHead{t, t.Sample.Notes}); err != nil {
		return err
	}
	return t.Sample.writeNPZ(w)
}

// decodeTrained reads what write wrote.
func decodeTrained(ctx context.Context, data []byte) (t *Trained, err error) {
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	head := trainedHead{Trained: new(Trained)}
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, err
	}
	t = head.Trained
	if t.Sample, err = ReadOutputs(ctx, "outputs", rest, OpenOptions{}); err != nil {
		return nil, err
	}
	t.Sample.Name, t.Sample.Notes = t.Name, head.Notes
	return t, t.Sample.Check()
}
