package bound

import (
	"path/filepath"
	"strings"

	"tattle/internal/protect/release"
	"tattle/internal/run"
)

// settings is all that decides the outcome, for the manifest of the shards.
type settings struct {
	Settings             // Reasons decide nothing: they are kept, as they may be about a budget that is another now
	Inputs      int      `json:"inputs"`
	Features    int      `json:"features"`
	Noise       string   `json:"noise"`
	Sigma       float64  `json:"sigma"`
	Fisher      float64  `json:"fisher"`
	Queries     int      `json:"queries"`
	Coordinates string   `json:"coordinates"`
	Count       int      `json:"coordinate_count"`
	Detail      string   `json:"coordinate_detail,omitempty"`
	Domains     []string `json:"domain_digests"`                // of near witnesses, far ones, twins and pairs
	Directions  *bool    `json:"barankin_directions,omitempty"` // whether J is decomposed for singular directions; nil where it is, or not, for other reasons
	Shard       int      `json:"shard_examples"`
	Examples    []int    `json:"examples"`
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
	var directions *bool
	if e.SkipCramerRao && e.Barankin.Witnesses > 0 {
		directions = &r.explicit
	}
	return run.Manifest{
		Command: "bound",
		Shards:  (len(r.indices) + r.shard - 1) / r.shard,
		Settings: settings{
			Settings: e.Settings, Inputs: p, Features: n,
			Noise: noiseName(e.Noise), Sigma: e.Noise.Std(), Fisher: e.Noise.Fisher(), Queries: max(1, e.Queries),
			Coordinates: e.Coordinates.Name(), Count: e.Coordinates.Len(), Detail: detail,
			Domains:    []string{e.Domain.digest(), e.Far.Domain.digest(), e.Twins.Domain.digest(), e.Pairs.Domain.digest()},
			Directions: directions, Shard: r.shard, Examples: r.indices,
		},
		Hashes: r.options.Hashes,
	}
}
