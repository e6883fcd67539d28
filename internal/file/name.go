package file

import "strconv"

// Name returns a name from outside, quoted where it would not print as part of
// a line.
func Name(s string) string {
	if quoted := strconv.Quote(s); len(quoted) != len(s)+2 {
		return quoted
	}
	return s
}
