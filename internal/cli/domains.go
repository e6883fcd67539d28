package cli

import (
	"errors"
	"fmt"
	"slices"

	"tattle/bound"
	"tattle/dataset"
	"tattle/measure"
	"tattle/nn"
	"tattle/report"
)

// stored says what the inputs of a set can be stored as.
func stored(set *dataset.Set) *report.Stored {
	_, known := set.Grid()
	switch {
	case set.Values != nil:
		return &report.Stored{As: report.HeldColumns}
	case !known:
		return &report.Stored{As: report.HeldFloat32}
	}
	s := &report.Stored{As: report.HeldBytes, Mean: set.Mean, Std: set.Std, ChannelsLast: set.ChannelsLast}
	if set.Resized {
		s.As = report.HeldResized
	}
	return s
}

// recordedDomain returns the domain of that name of a run: by the data, or, where they
// are not there, by what the report keeps of them.
func recordedDomain(name string, r *report.Report, data *dataset.Set, shape []int) (bound.Domain, error) {
	switch {
	case name == bound.DomainFree:
		return bound.Free, nil
	case name != bound.DomainLegal && name != bound.DomainStored:
		return bound.Domain{}, fmt.Errorf("there is no domain %q", name)
	case data != nil:
		return measure.DomainOf(data, name)
	}
	legal, err := recordedRange(r.Data.Range, shape)
	if err != nil || name == bound.DomainLegal {
		return legal, err
	}
	set, err := recordedPictures(r.Data.Stored, shape)
	if err != nil {
		return legal, err
	}
	return measure.DomainOf(set, name)
}

// recordedPictures returns a set without pictures whose bytes become what the report
// says.
func recordedPictures(s *report.Stored, shape []int) (*dataset.Set, error) {
	switch {
	case s == nil || len(s.Mean) == 0:
		return nil, errors.New("data.stored: only the data show which values inputs can have: name them with --data")
	case len(s.Std) != len(s.Mean) || slices.Contains(s.Std, 0) || nn.Size(shape)%len(s.Mean) != 0:
		return nil, fmt.Errorf("data.stored: the means %v and standard deviations %v are not those of the channels of %v", s.Mean, s.Std, shape)
	}
	return &dataset.Set{Shape: shape, Mean: s.Mean, Std: s.Std, ChannelsLast: s.ChannelsLast}, nil
}
