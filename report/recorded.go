package report

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"tattle/bound"
	"tattle/dataset"
	"tattle/measure"
	"tattle/nn"
)

// BoundExperiment returns the experiment that the report describes, in coordinates c, for
// inputs of that shape. data is nil if the data are absent. The noise, the number of
// queries and the sizes of the model are the caller's to set.
func (r *Report) BoundExperiment(c bound.Coordinates, data *dataset.Set, shape []int) (bound.Experiment, error) {
	e := bound.Experiment{Settings: *r.Experiment, Coordinates: c}
	e.Search.Seed = r.Seed
	if data != nil {
		if err := unlikeData(r.Data, data); err != nil {
			return e, err
		}
	}
	var err error
	if e.Domain, err = recordedDomain(e.Domain.String(), r, data, shape); err != nil {
		return e, err
	}
	return e, recordedFurther(&e, r, data, shape)
}

// stored says what the inputs of a set can be stored as.
func stored(set *dataset.Set) *Stored {
	_, known := set.Grid()
	switch {
	case set.Values != nil:
		return &Stored{As: heldColumns}
	case !known:
		return &Stored{As: heldFloat32}
	}
	s := &Stored{As: heldBytes, Mean: set.Mean, Std: set.Std, ChannelsLast: set.ChannelsLast}
	if set.Resized {
		s.As = heldResized
	}
	return s
}

// recordedDomain returns the domain of that name of a run: by the data, or, where they
// are not there, by what the report keeps of them.
func recordedDomain(name string, r *Report, data *dataset.Set, shape []int) (bound.Domain, error) {
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
func recordedPictures(s *Stored, shape []int) (*dataset.Set, error) {
	switch {
	case s == nil || len(s.Mean) == 0:
		return nil, errors.New("data.stored: only the data show which values inputs can have: name them with --data")
	case len(s.Std) != len(s.Mean) || slices.Contains(s.Std, 0) || nn.Size(shape)%len(s.Mean) != 0:
		return nil, fmt.Errorf("data.stored: the means %v and standard deviations %v are not those of the channels of %v", s.Mean, s.Std, shape)
	}
	return &dataset.Set{Shape: shape, Mean: s.Mean, Std: s.Std, ChannelsLast: s.ChannelsLast}, nil
}

// rangeOf returns the least and the greatest value of each channel.
func rangeOf(set *dataset.Set) [][2]float64 {
	low, high := set.Range()
	all := make([][2]float64, len(low))
	for c := range low {
		all[c] = [2]float64{float64(low[c]), float64(high[c])}
	}
	return all
}

// recordedRange returns the domain of inputs of a shape within the ranges of their
// channels.
func recordedRange(channels [][2]float64, shape []int) (bound.Domain, error) {
	n := nn.Size(shape)
	if len(channels) == 0 || n%len(channels) != 0 {
		return bound.Domain{}, fmt.Errorf("data.range: %d ranges, which are not those of the channels of %v", len(channels), shape)
	}
	var low, high []float64
	for _, c := range channels {
		for range n / len(channels) {
			low, high = append(low, c[0]), append(high, c[1])
		}
	}
	return bound.Legal(low, high)
}

// recordedFurther sets the domains and seeds of the further bounds that a report says were
// computed.
func recordedFurther(x *bound.Experiment, r *Report, data *dataset.Set, shape []int) error {
	further := measure.Further{Barankin: x.Barankin.Witnesses, Far: x.Far.Starts, Twins: x.Twins.Examples}
	for name, n := range map[string]int{"barankin.witnesses": further.Barankin, "far.starts": further.Far, "twins.examples": further.Twins} {
		if most := max(measure.MaxWitnesses, r.Data.Examples); n < 0 || n > most {
			return fmt.Errorf("experiment.%s is %d: it must be between 0 and %d", name, n, most)
		}
	}
	name := x.Far.Domain.String()
	if further.Far == 0 {
		name = x.Twins.Domain.String()
	}
	far, err := recordedDomain(name, r, data, shape)
	if err != nil {
		return err
	}
	x.Far, x.Barankin, x.Twins, x.Pairs = bound.FarOptions{}, bound.BarankinOptions{}, bound.TwinOptions{}, bound.PairOptions{}
	further.AddIn(x, far, r.Seed)
	return nil
}

// unlikeData returns an error if a report says something else of the data than they are.
func unlikeData(recorded Data, data *dataset.Set) error {
	if is := rangeOf(data); !reflect.DeepEqual(is, recorded.Range) {
		return fmt.Errorf("data.range is %v, the data's is %v", recorded.Range, is)
	}
	if is := stored(data); !reflect.DeepEqual(is, recorded.Stored) {
		return fmt.Errorf("data.stored is %v, the data are stored as %v", recorded.Stored, *is)
	}
	return nil
}
