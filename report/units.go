package report

import "fmt"

// units says in what the tables are.
func (r *Report) units() string {
	if g := float64(r.Data.GreyLevels); g > 0 {
		return fmt.Sprintf("in the model's normalised units (one is %s grey levels of 255)", number(g))
	}
	return "in the model's normalised units"
}
