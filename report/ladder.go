package report

// LadderRow is one rung of the ladder of bounds: its median over all
// coordinates and over the low band, in normalised units, beside the method of
// paper A on the same inputs and the same noise.
type LadderRow struct {
	Rung              string `json:"rung"`
	Status            string `json:"status"`
	Search            string `json:"search,omitempty"`
	MedianAll         Number `json:"median_all"` // null where unbounded
	MedianLow         Number `json:"median_low"`
	RatioToAlgorithm1 Number `json:"ratio_to_algorithm1"` // of MedianAll; null where it is not known
	RatioToAuthors    Number `json:"ratio_to_authors"`
	UnboundedFraction Number `json:"unbounded_fraction"`
	Unbounded         bool   `json:"unbounded,omitempty"`     // MedianAll is
	UnboundedLow      bool   `json:"unbounded_low,omitempty"` // MedianLow is
	Note              string `json:"note,omitempty"`
}
