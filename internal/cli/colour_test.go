package cli

import (
	"bytes"
	"testing"

	"tattle/internal/file"
	"tattle/internal/must"
	"tattle/internal/report"
)

// The verdict has the colour of its tone, and what a report quotes cannot colour anything.
func TestColour(t *testing.T) {
	var b bytes.Buffer
	must.Do(t, colourVerdicts(&file.Screen{W: &b}, &b, report.Good, "Title\nVerdict: met\nx\x1b[31my\n"))
	if want := "Title\n\x1b[1;32mVerdict: met\n\x1b[0mx\\u001b[31my\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
