package measure

import (
	"math"
	"testing"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/engine/onnx"
	"tattle/internal/must"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/release"
	"tattle/internal/shared"
)

// README's table by person: MNIST with QMNIST's writers, 539 on the list and 297 in the sample. An independent program named the writer
// in .970, .112 and .005.
func TestWriters(t *testing.T) {
	shared.Full(t, "limits by person on MNIST, minutes")
	var lists [2]*List
	for i, part := range []dataset.Split{dataset.Train, dataset.Test} {
		set, _ := must.Get2(dataset.OpenInputs(t.Context(), shared.Path(t, "data/mnist"),
			dataset.Options{Part: part, Labels: shared.Path(t, "data/qmnist"), Sensitive: []string{"writer"}, Group: "person"}))(t)
		lists[i] = &List{Name: string(part), Set: set, Most: -1}
	}
	sample := lists[1].Set
	front := must.Get(Release{}.Split(t.Context(), must.Get(onnx.Read(shared.Path(t, "models/mnist-mlp.onnx")))(t), nil))(t).Front
	target := Target{Front: front, Coordinates: bound.Pixels(nn.Size(sample.Shape)), Legal: must.Get(LegalDomain(sample))(t)}
	for _, c := range []struct {
		times, named float64
		subjects     int
		exposed      float64 // by the 1 % most exposed
		floor, rows  float64 // in grey levels
		people       int     // for nine tenths of the floor
		writer       float64
	}{
		{1, .963, 40, 1, 0, 0, 0, 1},
		{5, .116, 250, .28, 29.0, 42.8, 4000, .940},
		{20, .005, 40, .04, 45.4, 59.2, 2100, .916},
	} {
		target.Noise = must.Get(release.NewGaussian(1.70 * c.times))(t)
		o := ListOptions{Candidates: lists[0], Sample: lists[1], Attributes: []string{"writer"}, Subjects: c.subjects, Seed: 1, SkipAttacks: true}
		found := must.Get(o.Run(t.Context(), target))(t)
		p, h := found.EverySample(), found.Holder
		const grey = 255 * .3081 // of a normalised unit
		floor, rows, people, in := grey*math.Sqrt(p.Floors[0].Anybody), 0., 0., p.Inferred[0]
		if p.Weaker != nil {
			rows, people = grey*math.Sqrt(p.Weaker.Rows), float64(p.Weaker.Enough)
		}
		t.Logf("%g σ: named %v, exposed %v, floor %.1f, by rows %.1f %+v, writer %.3f %+v, new people %+v", c.times, *h.Person, h.Exposed.Quantile, floor, rows, p.Weaker, in.Anybody, in.Weaker, found.Hidden.First)
		if h.List.People != 539 || p.List.People != 297 || math.Abs(h.Person.Mean-c.named) > .02 || math.Abs(h.Exposed.Quantile[3]-c.exposed) > .1 {
			t.Errorf("%g σ: of %d writers, the right one is named in %+v, want %v; the most exposed in %v, want %v", c.times, h.List.People, h.Person, c.named, h.Exposed.Quantile[3], c.exposed)
		}
		if math.Abs(floor-c.floor) > 1 || math.Abs(rows-c.rows) > 1 || math.Abs(in.Anybody-c.writer) > .01 || math.Abs(people-float64(c.people)) > .1*float64(c.people) {
			t.Errorf("%g σ: floor %v, want %v (by rows %v, want %v; of %v people, want %v); the writer's population in at most %v, want %v", c.times, floor, c.floor, rows, c.rows, people, c.people, in.Anybody, c.writer)
		}
	}
}

// Of 3,000 faces that a net for age and gender describes, men are shown to be named more often than women; no race is shown
// to be more exposed than another. Every face is taken for another person.
func TestExposedFaces(t *testing.T) {
	shared.Full(t, "exposure by gender and race on FairFace, minutes")
	set, _ := must.Get2(dataset.OpenInputs(t.Context(), shared.Path(t, "data/fairface64.zip"),
		dataset.Options{Part: dataset.Test, Sensitive: []string{"gender", "race"}, Preprocess: preprocess(t, "resize=112 range=0,255"), Shape: []int{3, 112, 112}}))(t)
	front := must.Get(Release{}.Split(t.Context(), must.Get(onnx.ReadWith(shared.Path(t, "models/age-gender.onnx"), onnx.ReadOptions{Output: "gender"}))(t), nil))(t).Front
	few := set.Subset(nn.Indices(3000))
	scale, _ := must.Get2(release.FeatureScale(t.Context(), front, few))(t)
	target := Target{Front: front, Noise: must.Get(release.NewGaussian(scale))(t), Coordinates: bound.Pixels(nn.Size(set.Shape)), Legal: must.Get(LegalDomain(few))(t)}
	o := ListOptions{Candidates: &List{Name: "faces", Set: few, Most: -1}, Attributes: []string{"gender", "race"}, Subjects: 3000, Draws: 100, Seed: 1}
	x := must.Get(o.Run(t.Context(), target))(t).Holder.Exposed
	t.Logf("%+v\n%+v", x.Groups, x.Compared)
	for _, g := range x.Groups {
		if g.Named.Low > g.Named.Mean || g.Named.High < g.Named.Mean || g.Named.High-g.Named.Low > 4/math.Sqrt(float64(g.People)) {
			t.Errorf("%s = %s is named in %+v", g.Attribute, g.Value, g.Named)
		}
	}
	if c := x.Compared; len(x.Groups) != 9 || len(c) != 2 || !c[0].Shown || c[0].More != "Male" || c[1].Shown {
		t.Errorf("%d values of attributes, %+v", len(x.Groups), x.Compared)
	}
}
