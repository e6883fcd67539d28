package cli

import (
	"errors"
	"fmt"
	"slices"

	"tattle/bound"
	"tattle/dataset"
	"tattle/nn"
	"tattle/report"
)

// domainOf returns the domain of that name for the inputs of a set.
func domainOf(set *dataset.Set, name string) (bound.Domain, error) {
	if name == bound.DomainFree {
		return bound.Free, nil
	}
	low, high := legalRange(set)
	if name == bound.DomainLegal {
		return bound.Legal(low, high)
	}
	columns, _ := set.Grid()
	grid := make([]bound.Values, len(columns))
	for i, c := range columns {
		grid[i] = bound.Values{Width: c.Width, List: c.Values}
	}
	return bound.Stored(low, high, grid)
}

// farDomain names the domain of far witnesses and twins, where near ones are in
// another: what the data can hold, as far as that is known, unless the data's range was
// asked for.
func farDomain(set *dataset.Set, near string) string {
	if _, known := set.Grid(); near == bound.DomainFree && !known {
		return bound.DomainLegal
	} else if near == bound.DomainFree {
		return bound.DomainStored
	}
	return near
}

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
		return domainOf(data, name)
	}
	legal, err := recordedRange(r.Data.Range, shape)
	if err != nil || name == bound.DomainLegal {
		return legal, err
	}
	set, err := recordedPictures(r.Data.Stored, shape)
	if err != nil {
		return legal, err
	}
	return domainOf(set, name)
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
