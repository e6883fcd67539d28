package cli

import (
	"fmt"
	"reflect"

	"tattle/bound"
	"tattle/dataset"
	"tattle/measure"
	"tattle/nn"
	"tattle/report"
)

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
func recordedFurther(x *bound.Experiment, r *report.Report, data *dataset.Set, shape []int) error {
	further := measure.Further{Barankin: x.Barankin.Witnesses, Far: x.Far.Starts, Twins: x.Twins.Examples}
	for name, n := range map[string]int{"barankin.witnesses": further.Barankin, "far.starts": further.Far, "twins.examples": further.Twins} {
		if most := max(mostWitnesses, r.Data.Examples); n < 0 || n > most {
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
	x.Far, x.Barankin, x.Twins = bound.FarOptions{}, bound.BarankinOptions{}, bound.TwinOptions{}
	further.AddIn(x, far, r.Seed)
	return nil
}

// unlikeData errs where a report says something else of the data than they are.
func unlikeData(recorded report.Data, data *dataset.Set) error {
	if is := rangeOf(data); !reflect.DeepEqual(is, recorded.Range) {
		return fmt.Errorf("data.range is %v, the data's is %v", recorded.Range, is)
	}
	if is := stored(data); !reflect.DeepEqual(is, recorded.Stored) {
		return fmt.Errorf("data.stored is %v, the data are stored as %v", recorded.Stored, *is)
	}
	return nil
}
