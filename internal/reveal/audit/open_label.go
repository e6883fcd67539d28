package audit

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/data/sheet"
	"tattle/internal/file"
)

const maxSensitiveValues = 100 // classes of an attribute

// absent are the words for a label that is not known, in small letters.
var absent = []string{"", "na", "n/a", "<na>", "nan", "null", "?"}

// label is a target or a sensitive attribute as the options or the header describe it.
type label struct {
	dataset.Asked
	at   int    // its column
	name string // of the column, then of the attribute
}

// labelOf reads NAME, NAME:number or NAME:class of a header.
func labelOf(text string) label {
	asked, err := dataset.ParseAsked(text)
	if err != nil || asked.Grouped() { // a name like any other
		return label{name: text}
	}
	return label{Asked: asked, name: asked.Column()}
}

// attribute makes the attribute of all examples, of at most a number of classes; those without a value have the
// label −1, or NaN. named are values that are classes even if they mean a missing one elsewhere.
func (w *label) attribute(c *sheet.Labels, most int, named []string) (a Attribute, err error) {
	values := slices.Clone(c.Values) // "" for those that mean a missing value
	for i, v := range values {
		switch class, err := strconv.Atoi(v); {
		case w.Listed == nil:
			if slices.Contains(absent, strings.ToLower(v)) && !slices.Contains(named, v) {
				values[i] = ""
			}
		case err != nil || class < -1 || class >= len(w.Listed):
			return a, fmt.Errorf("%s, row %d (from 0): class %s does not exist: it is described with %d classes, from 0", file.Shown(w.name), slices.Index(c.Codes, int32(i)), file.Shown(v), len(w.Listed))
		case class < 0:
			values[i] = ""
		default:
			values[i] = w.Listed[class]
		}
	}
	a, err = w.Of(w.name, values, most)
	a.Labels, a.Numbers = pick(a.Labels, c.Codes), pick(a.Numbers, c.Codes)
	return a, err
}

// finite reads a finite decimal number.
func finite(text string) (float64, bool) {
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && !strings.ContainsAny(text, sheet.NotDecimal) && !math.IsInf(x, 0) && !math.IsNaN(x)
}

func isNumber(text string) bool {
	_, ok := finite(text)
	return ok
}
