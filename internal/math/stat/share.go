package stat

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseShare reads "5%" as .05 and ".05" as it is. Percent is whether the text has the sign. The
// caller checks the range.
func ParseShare(text string) (share float64, percent bool, err error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, percent, fmt.Errorf("%q is not a number", text)
	}
	if percent {
		v /= 100
	}
	return v, percent, nil
}
