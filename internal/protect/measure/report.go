package measure

import (
	"maps"

	"tattle/internal/protect/attack"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/release"
	"tattle/internal/report"
)

// account makes the claims and findings of a measurement.
type account struct {
	*report.Report
	q     *Request
	m     *Measured
	setup *Setup
	c     bound.Coordinates
	at    *Attacks     // nil: none ran
	lists *ListFigures // nil: none were computed
	prior []attack.Row // guessing the mean of the training data, or else the middle of the data's range, by band
	mean  bool         // prior is of the mean

	vacuousRows []string // for each reason: the rows, and the reason
}

// Report returns the account of what was measured: claims, findings, series and pictures. q.Data is nil if the data are
// absent: then what needs them is left out. title, command and the time stamps are the caller's.
func (q *Request) Report(m *Measured, from Origin) (*report.Report, error) {
	a := &account{Report: report.New("", "", q.Seed), q: q, m: m, setup: q.setup(m, from), c: q.Experiment.Coordinates}
	a.Model, a.Data = from.Model, from.Data
	if l := m.Learned; l != nil {
		a.lists = l.Listed
		if len(l.Results) > 0 || l.PriorAlone != nil {
			a.at = l.Attacks
		}
	}
	if a.Data.Examples = len(q.Indices); q.Use != nil {
		a.Score = q.Use.Words()
	}
	for _, n := range from.Notes {
		a.Note(n)
	}
	a.files()
	if err := a.middle(); err != nil {
		return nil, err
	}
	if u := m.Utility; u != nil {
		a.accuracy(u)
	}
	if h := a.held(); h != nil {
		a.holder(h)
		if h.Exposed != nil {
			a.exposure(h.Exposed)
		}
	}
	if a.lists != nil {
		a.anybody()
	}
	a.worst()
	if a.lists != nil {
		a.guesses()
	}
	if a.at != nil {
		a.attacks()
	}
	if b := m.Bounds; b != nil {
		a.unbiased(b)
		a.pairs(b)
		a.directions(b)
	}
	if err := a.pictures(); err != nil {
		return nil, err
	}
	a.conclude()
	a.SetRequest(a.setup)
	return a.Report, nil
}

// files lists the files that the figures are computed from, and the time that was spent.
func (a *account) files() {
	if b := a.m.Bounds; b != nil {
		a.Files = append(a.Files, report.File{Name: bound.ArraysFile, SHA256: b.SHA256})
	}
	a.Files = append(a.Files, a.m.Files...)
	timing := maps.Clone(a.m.Timing)
	if l := a.m.Learned; l != nil {
		maps.Copy(timing, l.Timing)
	}
	for part, d := range timing {
		a.Timing[part] = d.Seconds()
	}
}

// accuracy claims what the release costs.
func (a *account) accuracy(u *release.Utility) {
	of := func(x release.Accuracy) report.Value {
		return report.Within(x.Fraction, x.Interval.Low, x.Interval.High, report.Share, .95)
	}
	for _, x := range []struct {
		id string
		n  int
	}{{"database", u.Database}, {"pairs", u.Pairs}} {
		if x.n > 0 {
			a.Add(report.Claim{ID: x.id, Kind: report.Measured, Value: report.Exactly(float64(x.n), report.Count)})
		}
	}
	clean, released := of(u.Clean), of(u.Released)
	add := func(id, subject string, v report.Value) {
		a.Add(report.Claim{ID: id, Subject: subject, Kind: report.Measured, Value: v, N: u.Examples})
	}
	add("accuracy", "", released)
	add("accuracy.clean", "", clean)
	add("accuracy.cost", "", report.Exactly(clean.X-released.X, report.Points))
	add("answers", "clean", clean)
	add("answers", "as released", released)
}
