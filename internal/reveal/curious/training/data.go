package training

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"tattle/internal/data/dataset"
)

// Data opens the data of trainings, those of one source at a time: they are large. Sources of the same
// pictures share them.
type Data struct {
	Progress func(done, total int) // examples read; may be nil
	Notes    []string              // on all data that were opened

	mu           sync.Mutex
	decoded      dataset.Decoded
	source       *Source // whose data are open
	parts, whole *dataset.Parts
	labels       map[*Source]*dataset.Parts // of all that were opened: the parts without their inputs
}

// Open returns the data of a source, as Source.Open does. It returns an error if they have
// changed since they were opened first.
func (d *Data) Open(ctx context.Context, s *Source) (parts, whole *dataset.Parts, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.parts != nil && d.source == s {
		return d.parts, d.whole, nil
	}
	d.parts, d.whole = nil, nil
	sharing := *s
	sharing.Decoded = &d.decoded
	if parts, whole, err = sharing.Open(ctx, d.Progress); err != nil {
		return nil, nil, err
	}
	if was := d.labels[s]; was != nil && was.Sum() != parts.Sum() {
		return nil, nil, fmt.Errorf("%s: the data of %s are not those that the run began with: SHA-256 %.16s…, not %.16s…", s.Path, s.Target, parts.Sum(), was.Sum())
	}
	for _, n := range parts.Notes {
		if !slices.Contains(d.Notes, n) {
			d.Notes = append(d.Notes, n)
		}
	}
	if d.labels == nil {
		d.labels = map[*Source]*dataset.Parts{}
	}
	d.labels[s] = &dataset.Parts{Train: labelsOf(parts.Train), Validation: labelsOf(parts.Validation), Test: labelsOf(parts.Test)}
	d.source, d.parts, d.whole = s, parts, whole
	return parts, whole, nil
}

// Labels returns the parts of a source without their inputs. It opens the data unless they
// were open before.
func (d *Data) Labels(ctx context.Context, s *Source) (*dataset.Parts, error) {
	if p := d.opened(s); p != nil {
		return p, nil
	}
	_, _, err := d.Open(ctx, s)
	return d.opened(s), err
}

// opened returns the labels of a source whose data were open, else nil.
func (d *Data) opened(s *Source) *dataset.Parts {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.labels[s]
}

// labelsOf returns a part without its inputs.
func labelsOf(s *dataset.Set) *dataset.Set {
	c := *s
	c.Pixels, c.Values = nil, nil
	return &c
}
