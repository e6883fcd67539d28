package infer

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseRate reads a rate per second, written as 10, 10/s, 30/m or 3600/h.
func ParseRate(text string) (float64, error) {
	digits, unit, _ := strings.Cut(strings.TrimSpace(text), "/")
	seconds := map[string]float64{"": 1, "s": 1, "m": 60, "min": 60, "h": 3600}[strings.TrimSpace(unit)]
	v, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if err != nil || seconds == 0 || !(v > 0 && v <= 1e9) {
		return 0, fmt.Errorf("invalid rate %q: write it as 10/s or 30/m", text)
	}
	return v / seconds, nil
}
