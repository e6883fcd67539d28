package audit

import (
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/must"
)

// TestPartOf joins the parts of a set in their order, whatever they are of.
func TestPartOf(t *testing.T) {
	p := must.Get(dataset.OpenParts(t.Context(), "", dataset.Options{Kind: dataset.KindGlyphs, Limit: dataset.Limit{Most: 60}, Seed: 3}))(t)
	all := must.Get(partOf(p, dataset.All))(t)
	n := p.Train.Len() + p.Validation.Len()
	if all.Len() != n+p.Test.Len() {
		t.Fatalf("%d examples of %d", all.Len(), n+p.Test.Len())
	}
	rows := nn.Indices(all.Len())[n:]
	if last := all.Subset(rows); last.SHA256 != p.Test.SHA256 || all.SHA256 != all.Sum() {
		t.Error("the test part is not what stands last")
	}
	if p.Train.Len() != p.Train.Subset(nn.Indices(p.Train.Len())).Len() || p.Train.SHA256 != p.Train.Sum() {
		t.Error("joining changed the training part")
	}
	must.Fail(t, must.Err(partOf(&dataset.Parts{Train: p.Train}, "test"))) // a part that is not there
}
