package cli

import (
	"strings"
	"testing"
)

// A flag that is given counts; of the others, a costly model gets few searches, and each is named.
func TestFewerSearches(t *testing.T) {
	usual := boundCmd{}
	if notes := usual.complete(false); len(notes) > 0 || usual.Examples != "100" || *usual.Restarts != 25 || *usual.Barankin != 64 || *usual.Far != 8 || usual.Twins != "6" {
		t.Errorf("%+v, %v", usual, notes)
	}
	few := boundCmd{Examples: "all"}
	few.Far = new(3)
	if notes := few.complete(true); len(notes) != 1 || strings.Count(notes[0], "instead of") != 4 || few.Examples != "all" || *few.Restarts != 2 || *few.Barankin != 0 || *few.Far != 3 || few.Twins != "0" {
		t.Errorf("%+v, %v", few, notes)
	}
}
