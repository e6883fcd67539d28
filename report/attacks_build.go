package report

import (
	"tattle/attack"
	"tattle/bound"
	"tattle/measure"
)

// AddAttacks adds the rows of the attacks and of the prior alone.
func (r *Report) AddAttacks(a *measure.Attacks, c bound.Coordinates, band int) {
	for _, x := range a.Results {
		r.Attacks = append(r.Attacks, attackRows(a, x, c, band)...)
	}
	if a.PriorAlone != nil {
		r.PriorAlone = attackRows(a, a.PriorAlone, c, band)
		r.ComparePrior()
	}
}

// attackRows are the report's rows of one attack, or those of the prior alone.
func attackRows(a *measure.Attacks, x *attack.Result, c bound.Coordinates, band int) []Attack {
	var rows []Attack
	var recognised *float64
	if share := x.Recognised; share == share {
		recognised = &share
	}
	for _, row := range x.Summaries(c, band) {
		q := map[string]*float64{}
		for level, v := range row.RMSQuantiles {
			q[level] = &v
		}
		rows = append(rows, Attack{
			Name: x.Attack, About: x.About, Coordinates: row.Coordinates, Band: row.Band, RMSQuantiles: q,
			MeanSquare: Number(row.MeanSquare), Gain: attackGain(a, x, row.Keep), Examples: row.Examples, Draws: row.Draws, Recognised: recognised, Status: row.Status,
		})
	}
	return rows
}

// attackGain is what an attack gains over the prior alone, nil if there is nothing to
// compare.
func attackGain(a *measure.Attacks, x *attack.Result, band []int) *Gain {
	g := a.Gain(x, band)
	if g == nil {
		return nil
	}
	return &Gain{MeanSquare: Number(g.MeanSquare), Low: Number(g.Low), Confidence: g.Confidence}
}
