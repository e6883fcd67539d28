package dataset

import (
	"testing"

	"tattle/internal/engine/nn"
)

// What a model was trained on is found among examples with other labels, in whole or in part, and
// not among others; a second training adds to the record.
func TestFoundIn(t *testing.T) {
	all := Glyphs(GlyphOptions{N: 1200, Seed: 1})
	other := Glyphs(GlyphOptions{N: 600, Seed: 2})
	metadata := RecordTraining(map[string]string{"key": "value"}, all.Subset(nn.Indices(600)))
	if metadata["key"] != "value" {
		t.Error("what the metadata had is gone")
	}
	relabelled := *all
	relabelled.Y = make([]int, all.Len())
	found, of := relabelled.FoundIn(metadata)
	if found != of || of != recorded {
		t.Errorf("%d of %d found among the training inputs", found, of)
	}
	if found, _ := all.Subset(nn.Indices(300)).FoundIn(metadata); found < recorded/3 || found > 2*recorded/3 { // half of them, within 5 deviations
		t.Errorf("%d of %d found in half of the training inputs", found, of)
	}
	if found, _ := other.FoundIn(metadata); found > 0 {
		t.Errorf("%d found among others", found)
	}
	if found, _ := other.FoundIn(RecordTraining(metadata, other)); found < recorded/3 {
		t.Errorf("%d of the second training found", found)
	}
	if found, of := other.FoundIn(nil); found != 0 || of != 0 {
		t.Errorf("%d of %d without a record", found, of)
	}
}
