package audit

import (
	"strconv"
	"strings"
)

// finerNote says that a code in further digits would not be found.
const finerNote = "the outputs have more digits than a float32: the attacks did not look at the digits beyond it, where anything can be hidden"

// finer reports whether v is not the shortest decimal number that rounds to its float32.
func finer(v float64) bool {
	shortest, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', -1, 32), 64)
	return err != nil || shortest != v && float64(float32(v)) != v
}

// finerText reports the same of a text.
func finerText(text string) bool {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return err == nil && finer(v)
}
