package report

import "tattle/bound"

// StatusDemonstrated marks what an attack that ran has reached.
const StatusDemonstrated = "demonstrated"

// Attack is how near one attack came in one band: the root mean square error of
// each coordinate over draws of the noise, as quantiles over examples and
// coordinates. It is a ceiling: whoever runs it errs so much and no more.
type Attack struct {
	Name        string `json:"name"`
	About       string `json:"about"` // one sentence: what it knows, how it was trained
	Coordinates string `json:"coordinates"`
	Band        string `json:"band"` // "all", or the low band as "8x8"

	// RMSQuantiles maps "0.05", "0.25", … to quantiles, as bound.Summary does.
	RMSQuantiles map[string]*float64 `json:"rms_quantiles"`
	MeanSquare   Number              `json:"mean_square"` // per input coordinate, mean over examples and draws, normalised units squared
	Examples     int                 `json:"examples"`
	Draws        int                 `json:"draws"`
	Status       string              `json:"status"` // StatusDemonstrated
}

// Quantile returns the quantile of that level, NaN where there is none.
func (a Attack) Quantile(level float64) float64 {
	return bound.Summary{StdQuantiles: a.RMSQuantiles}.Quantile(level)
}
