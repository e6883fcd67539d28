package bound

import (
	"path/filepath"
	"strings"

	"tattle/release"
	"tattle/run"
)

// settings is all that decides the outcome, for the manifest of the shards.
type settings struct {
	Inputs        int              `json:"inputs"`
	Features      int              `json:"features"`
	Noise         string           `json:"noise"`
	Sigma         float64          `json:"sigma"`
	Fisher        float64          `json:"fisher"`
	Queries       int              `json:"queries"`
	Sizes         []float64        `json:"sizes"`
	Coordinates   string           `json:"coordinates"`
	Count         int              `json:"coordinate_count"`
	Detail        string           `json:"coordinate_detail,omitempty"`
	Low           []float64        `json:"domain_low,omitempty"`
	High          []float64        `json:"domain_high,omitempty"`
	Grid          string           `json:"domain_grid,omitempty"` // digest of what inputs can be stored as
	Runtime       Runtime          `json:"runtime"`
	Search        SearchOptions    `json:"search"`
	Reason        string           `json:"search_reason"` // decides nothing: kept, as it may be about a budget that is another now
	SkipCramerRao bool             `json:"skip_cramer_rao"`
	Far           *farRecord       `json:"far,omitempty"`
	Barankin      int              `json:"barankin_witnesses,omitempty"`
	Near          bool             `json:"barankin_near,omitempty"`
	Directions    *bool            `json:"barankin_directions,omitempty"` // whether J is decomposed for singular directions; nil where it is, or not, for other reasons
	Twins         *twinRecord      `json:"twins,omitempty"`
	Spectrum      *SpectrumOptions `json:"spectrum,omitempty"`
	Rounding      string           `json:"rounding,omitempty"` // but for the usual, proved
	Shard         int              `json:"shard_examples"`
	Examples      []int            `json:"examples"`
}

type farRecord struct {
	Starts, Scales, Steps int
	Low, High             []float64
	Grid                  string `json:",omitempty"`
	Seed                  uint64
}

type twinRecord struct {
	Examples  int
	Low, High []float64
	Grid      string `json:",omitempty"`
	Seed      uint64
	Targets   int // to choose from; 0 where they are the examples' own data
}

// further are the settings of far witnesses and twins, nil if they are left out.
func (e Experiment) further() (far *farRecord, twins *twinRecord) {
	if o := e.Far; o.Starts > 0 {
		far = &farRecord{o.Starts, o.Scales, o.Steps, o.Domain.Low, o.Domain.High, o.Domain.digest(), o.Seed}
	}
	if o := e.Twins; o.Examples > 0 {
		twins = &twinRecord{o.Examples, o.Domain.Low, o.Domain.High, o.Domain.digest(), o.Seed, 0}
		if o.Toward != nil {
			twins.Targets = o.Toward.Len()
		}
	}
	return far, twins
}

// noiseName names a noise, a table without the folder of its file: that is another with
// each who takes part.
func noiseName(n release.Noise) string {
	name, file, ok := strings.Cut(n.String(), ":")
	if !ok || name != "table" {
		return n.String()
	}
	return name + ":" + filepath.Base(file)
}

func (r *runner) manifest() run.Manifest {
	e, detail := r.experiment, ""
	if d, ok := e.Coordinates.(detailed); ok {
		detail = d.detail()
	}
	p, n := r.model.Dims()
	far, twins := e.further()
	var spectrum *SpectrumOptions
	if e.Spectrum.Probes > 0 {
		spectrum = &e.Spectrum
	}
	var directions *bool
	if e.SkipCramerRao && e.Barankin.Witnesses > 0 {
		directions = &r.explicit
	}
	rounding := e.Rounding
	if rounding == RoundingProved {
		rounding = ""
	}
	return run.Manifest{
		Command: "bound",
		Shards:  (len(r.indices) + r.shard - 1) / r.shard,
		Settings: settings{
			Inputs: p, Features: n,
			Noise: noiseName(e.Noise), Sigma: e.Noise.Std(), Fisher: e.Noise.Fisher(), Queries: max(1, e.Queries),
			Sizes: e.Sizes, Coordinates: e.Coordinates.Name(), Count: e.Coordinates.Len(), Detail: detail,
			Low: e.Domain.Low, High: e.Domain.High, Grid: e.Domain.digest(), Runtime: e.Runtime,
			Search: e.Search, Reason: r.reason, SkipCramerRao: e.SkipCramerRao,
			Far: far, Barankin: e.Barankin.Witnesses, Near: e.Barankin.Near, Directions: directions, Twins: twins,
			Spectrum: spectrum, Rounding: rounding, Shard: r.shard, Examples: r.indices,
		},
		Hashes: r.options.Hashes,
	}
}
