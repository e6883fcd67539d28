package cli

import (
	"fmt"
	"strconv"
	"strings"

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

// held says in words what stored inputs are.
func held(set *dataset.Set) string {
	_, known := set.Grid()
	switch {
	case !known:
		return report.HeldFloat32
	case set.Values != nil:
		return report.HeldColumns
	case set.Resized:
		return report.HeldResized
	}
	return report.HeldBytes
}

// The beginnings of what a report keeps of a grid.
const (
	bytesGrid = "bytes"
	rowsGrid  = "columns"
)

// gridOf writes what is to be known of how a set is stored: of pictures all of it, the
// mean and the standard deviation of each channel, exactly.
func gridOf(set *dataset.Set) string {
	if set.Values != nil {
		return rowsGrid
	}
	words := []string{bytesGrid}
	for c, mean := range set.Mean {
		words = append(words, exactly(mean)+":"+exactly(set.Std[c]))
	}
	if set.ChannelsLast {
		words = append(words, dataset.LayoutHWC)
	}
	return strings.Join(words, " ")
}

func exactly(v float32) string { return strconv.FormatFloat(float64(v), 'g', -1, 32) }

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
	legal, err := recordedRange(r.Settings[rangeSetting], shape)
	if err != nil || name == bound.DomainLegal {
		return legal, err
	}
	set, err := recordedPictures(r.Settings[gridSetting], shape)
	if err != nil {
		return legal, err
	}
	return domainOf(set, name)
}

// recordedPictures returns a set without pictures whose bytes become what the report
// says.
func recordedPictures(s string, shape []int) (*dataset.Set, error) {
	words := strings.Fields(s)
	if len(words) < 2 || words[0] != bytesGrid {
		return nil, fmt.Errorf("the inputs are stored as %q, which only the data can tell: name them with --data", s)
	}
	set := &dataset.Set{Shape: shape}
	if last := len(words) - 1; words[last] == dataset.LayoutHWC {
		set.ChannelsLast, words = true, words[:last]
	}
	for _, w := range words[1:] {
		a, b, _ := strings.Cut(w, ":")
		mean, err1 := strconv.ParseFloat(a, 32)
		std, err2 := strconv.ParseFloat(b, 32)
		if err1 != nil || err2 != nil || !(std != 0) {
			return nil, fmt.Errorf("%s %q: not the mean and the standard deviation of each channel", gridSetting, s)
		}
		set.Mean, set.Std = append(set.Mean, float32(mean)), append(set.Std, float32(std))
	}
	if len(set.Mean) == 0 || nn.Size(shape)%len(set.Mean) != 0 {
		return nil, fmt.Errorf("%s %q: not of the channels of %v", gridSetting, s, shape)
	}
	return set, nil
}
