package measure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tattle/internal/data/dataset"
	"tattle/internal/protect/bound"
	"tattle/internal/report"
)

// findIf adds a finding if it holds.
func (a *account) findIf(holds bool, code string, args ...string) {
	if holds {
		a.Find(code, "", args...)
	}
}

// limits adds what the figures do not show.
func (a *account) limits() {
	res := a.m.Bounds
	if l := a.m.Learned; l != nil {
		for _, why := range l.LeftOut {
			a.Find("left_out", "", why)
		}
	}
	if x := a.q.Adversaries; x != nil && x.LeftOut != "" {
		a.Warn(x.LeftOut)
	}
	a.fit()
	if res != nil {
		a.boundLimits(res)
	}
	ok, why := a.q.Holds(a.q.Experiment.Noise)
	a.findIf(!ok, "limits.none", strings.TrimSuffix(why, "."))
	a.findIf(ok && res != nil, "limits.unbiased")
	a.findIf(a.best() == nil, "limits.no_attack")
	a.findIf(a.best() != nil, "limits.attacks")
	a.findIf(a.learnedFromItself(), "limits.itself")
	if n := a.setup.Release.Queries; n > 1 {
		a.Find("limits.queries", "", report.Grouped(n))
	}
	if a.q.Data != nil {
		a.findIf(len(a.q.Indices) < a.q.Data.Len(), "limits.examined", report.Grouped(len(a.q.Indices)), report.Grouped(a.q.Data.Len()))
	}
	a.listLimits()
}

// fit warns of a model that is right no more often than the guess of the commonest class.
func (a *account) fit() {
	set := a.q.Data
	if set == nil || set.Y == nil || a.m.Utility == nil || a.q.Use != nil {
		return
	}
	f := Fit{Examples: set.Len(), Right: int(math.Round(a.m.Utility.Clean.Fraction * float64(set.Len())))}
	f.count(set)
	if w := f.Warning("Without noise the model"); w != "" {
		a.Warn(w)
	}
}

// boundLimits says what the bounds do and do not hold for.
func (a *account) boundLimits(res *bound.Result) {
	e := res.Experiment
	for _, w := range res.Warnings {
		a.Warn(w)
	}
	a.findIf(e.Domain.Low == nil, "limits.free")
	a.findIf(e.Domain.Grid != nil, "limits.stored")
	stored, far := a.setup.Data.Stored, []string{e.Far.Domain.String(), e.Twins.Domain.String()}
	a.findIf(slices.Contains(far, bound.DomainLegal) && stored != nil && stored.As == StoredFloat32 && e.Domain.Low == nil, "limits.storage")
	a.findIf(e.Search.Search == bound.Published, "limits.published")
	a.findIf(slices.ContainsFunc(res.Summaries, bound.Summary.Pair), "limits.pairs")
}

// learnedFromItself reports whether prior and attacks learned from the data that they are measured on.
func (a *account) learnedFromItself() bool {
	from := a.setup.Learned
	if from == (report.File{}) || a.at == nil {
		return false
	}
	same := from.Name == a.Data.Path && a.Data.Part == string(dataset.Train) && from.Name != dataset.KindGlyphs
	return same || from.SHA256 == a.Data.SHA256
}

// listLimits says which adversaries the limits from lists are about, and under which conditions.
func (a *account) listLimits() {
	x := a.lists
	if x == nil {
		return
	}
	for _, why := range x.LeftOut {
		a.Find("left_out", "", why)
	}
	p, h := x.EverySample(), x.Holder
	if p == nil && h == nil {
		return
	}
	a.Find("limits.list", "")
	a.findIf(x.Processed, "limits.processed")
	if h != nil {
		a.findIf(h.List.Uneven() > 0, "limits.frequencies", report.Exactly(h.List.Uneven(), report.Share).String())
		a.findIf(p != nil && h.List.SHA256 == p.List.SHA256, "limits.own_list")
	}
	if p == nil {
		return
	}
	a.Find("limits.conditions", "", a.conditions())
	of := "this sample"
	if a.setup.Release.FromTraining && x.NoiseFrom == NothingFrom {
		a.Find("limits.training_noise", "")
	} else if a.setup.Release.FromTraining {
		of = "training data that contain inputs of this sample"
	}
	a.findIf(x.Shared > 0, "limits.shared", report.Many(x.Shared, "input"))
	a.findIf(x.NoiseFrom == SigmaFrom, "limits.sigma", of)
	a.findIf(x.NoiseFrom == ClipFrom, "limits.clip", of)
	a.findIf(p.Apart > 0, "limits.balls", report.Many(p.Apart, "input"))
	a.findIf(p.Apart <= 0 && a.setup.Data.GreyLevels <= 0, "limits.range")
}

// conditions are those on which the limits without a list depend, and which nothing in a run can check.
func (a *account) conditions() string {
	settings, sample := "features, projection, kind of noise, strength", a.lists.EverySample().List
	if a.lists.NoiseFrom == SigmaFrom {
		settings = "features, projection, kind of noise"
	}
	if a.q.Spec.ClipNorm > 0 {
		settings += ", clip of the norm and its center"
	}
	draws := fmt.Sprintf("the %s of %s are independent draws from the distribution of inputs; the model was not trained on them", report.Many(sample.Inputs, "input"), sample.Name)
	if sample.People > 0 {
		draws = fmt.Sprintf("the %s people of %s are independent draws from the distribution of people; %s of theirs, drawn at random, are used; the model was trained on no input of theirs", report.Grouped(sample.People), sample.Name, report.Many(sample.Inputs, "input"))
	}
	s := fmt.Sprintf("%s; no setting of the release (%s) was chosen by results on them", draws, settings)
	if a.lists.Look > 0 {
		s += " but for the looks, whose strengths were fixed before and which share the confidence"
	}
	return s
}
