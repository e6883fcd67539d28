package cli

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"tattle/bound"
	"tattle/dataset"
	"tattle/nn"
	"tattle/report"
)

// Where a report keeps, among its settings, what verify needs of the rungs.
const (
	barankinSetting = "barankin"
	farSetting      = "far"
	twinsSetting    = "twins"
	rangeSetting    = "legal range"
	gridSetting     = "stored as"
)

// rangeOf writes each channel's range as "low:high", exactly.
func rangeOf(set *dataset.Set) string {
	low, high := set.Range()
	words := make([]string, len(low))
	for c := range low {
		words[c] = strconv.FormatFloat(float64(low[c]), 'g', -1, 64) + ":" + strconv.FormatFloat(float64(high[c]), 'g', -1, 64)
	}
	return strings.Join(words, " ")
}

// recordedRange reads that back, for inputs of a shape.
func recordedRange(s string, shape []int) (bound.Domain, error) {
	words := strings.Fields(s)
	if len(words) == 0 || nn.Size(shape)%len(words) != 0 {
		return bound.Domain{}, fmt.Errorf("%s %q: not the ranges of the channels of %v", rangeSetting, s, shape)
	}
	var low, high []float64
	for _, w := range words {
		a, b, _ := strings.Cut(w, ":")
		lo, err1 := strconv.ParseFloat(a, 64)
		hi, err2 := strconv.ParseFloat(b, 64)
		if err1 != nil || err2 != nil {
			return bound.Domain{}, fmt.Errorf("%s %q: not numbers", rangeSetting, s)
		}
		for range nn.Size(shape) / len(words) {
			low, high = append(low, lo), append(high, hi)
		}
	}
	return bound.Legal(low, high)
}

// recordedRungs fills in the rungs that a report says were taken; runs without them
// have none of these settings.
func recordedRungs(x *bound.Experiment, r *report.Report, data *dataset.Set, shape []int) error {
	count := map[string]int{}
	for _, name := range []string{barankinSetting, farSetting, twinsSetting} {
		if s := r.Settings[name]; s != "" {
			k, err := strconv.Atoi(s)
			if err != nil || k < 0 || k > max(mostWitnesses, r.Data.Examples) {
				return fmt.Errorf("settings: %s %q is not a number of them", name, s)
			}
			count[name] = k
		}
	}
	x.Barankin = combining(count[barankinSetting], x.Domain)
	if count[farSetting] == 0 && count[twinsSetting] == 0 {
		return nil
	}
	name := cmp.Or(r.Experiment.FarDomain, bound.DomainLegal) // the only one there was before reports said it
	domain, err := recordedDomain(name, r, data, shape)
	if err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	if k := count[farSetting]; k > 0 {
		x.Far = bound.FarOptions{Starts: k, Domain: domain, Seed: r.Seed}
	}
	if k := count[twinsSetting]; k > 0 {
		x.Twins = bound.TwinOptions{Examples: k, Domain: domain, Seed: r.Seed}
	}
	return nil
}
