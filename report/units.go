package report

import "fmt"

// units says in what the tables are.
func (r *Report) units() string {
	if g := float64(r.Data.GreyLevels); g > 0 {
		return fmt.Sprintf("in the model's normalised units (one is %s grey levels of 255)", number(g))
	}
	return "in the model's normalised units"
}

// folded is the report without the rows that a terminal has no room for.
func (r *Report) folded() *Report {
	if r.FloorsAndCeilings == nil {
		return r
	}
	short := *r
	short.Bounds, short.Attacks, short.PriorAlone = nil, nil, nil
	short.MidRange = nil
	for _, b := range r.Bounds {
		if b.Band == "all" && !b.Pair() && !meanSquare(b.Method) {
			short.Bounds = append(short.Bounds, b)
		}
	}
	for _, a := range r.Attacks {
		if a.Band == "all" {
			short.Attacks = append(short.Attacks, a)
		}
	}
	if a := r.priorAlone("all"); a != nil {
		short.PriorAlone = []Attack{*a}
	}
	if a := rowOfBand(r.MidRange, "all"); a != nil {
		short.MidRange = []Attack{*a}
	}
	return &short
}
