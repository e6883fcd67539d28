package measure

import (
	"math"
	"strconv"
	"strings"

	"tattle/internal/protect/bound"
	"tattle/internal/report"
)

const (
	wholeInput   = "whole input"
	normalised   = report.Unit("normalised units")
	columnsUnits = report.Unit("of the column's units")
)

// unit returns the unit of errors in a band, and what a normalised unit is in it.
func (a *account) unit(band string) (report.Unit, float64) {
	for _, c := range a.setup.Data.Columns {
		if c.Name == band && c.Unit > 0 && a.byColumn() {
			return columnsUnits, c.Unit
		}
	}
	if g := a.setup.Data.GreyLevels; g > 0 {
		return report.Grey, g
	}
	return normalised, 1
}

func (a *account) byColumn() bool { return a.c != nil && a.c.Name() == CoordinatesColumns }

// level names a band for readers who do not know cosine modes.
func (a *account) level(band string) string {
	switch {
	case band == bound.AllBand && a.byColumn():
		return "whole row"
	case band == bound.AllBand:
		return wholeInput
	case band == "mode 0":
		return "mean (mode 0)"
	case band == "mode 1":
		return "coarsest (mode 1)"
	}
	if rest, ok := strings.CutPrefix(band, "modes from "); ok {
		return "finest (from mode " + rest + ")"
	}
	return times(band)
}

// times prints the band 8x8 as 8×8.
func times(band string) string {
	rows, columns, ok := strings.Cut(band, "x")
	if _, err := strconv.Atoi(rows); ok && rows == columns && err == nil {
		return rows + "×" + columns
	}
	return band
}

// root returns the root of a mean square in the unit of a band.
func (a *account) root(band string, square float64) (float64, report.Unit) {
	u, scale := a.unit(band)
	return scale * math.Sqrt(square), u
}
