package measure

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"tattle/attack"
	"tattle/bayes"
	"tattle/bound"
	"tattle/internal/report"
	"tattle/npy"
	"tattle/release"
	"tattle/stat"
)

// What adversaries know: the groups of claims on guessing attributes.
const (
	KnowsList         = "the list"
	KnowsDistribution = "the distribution"
)

const (
	wholeInput   = "whole input"
	normalised   = report.Unit("normalised units")
	columnsUnits = report.Unit("of the column's units")
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
	a.Data.Examples = len(q.Indices)
	for _, n := range from.Notes {
		a.Note(n)
	}
	a.files()
	if err := a.middle(); err != nil {
		return nil, err
	}
	a.accuracy()
	a.holder()
	a.anybody()
	a.guesses()
	a.attacks()
	a.unbiased()
	a.pairs()
	a.directions()
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
	took := func(all map[string]time.Duration) {
		for part, d := range all {
			a.Timing[part] = d.Seconds()
		}
	}
	took(a.m.Timing)
	if l := a.m.Learned; l != nil {
		took(l.Timing)
	}
}

// unit returns the unit of errors in a band, and what a normalised unit is in it.
func (a *account) unit(band string) (report.Unit, float64) {
	for _, c := range a.setup.Data.Columns {
		if c.Name == band && c.Unit > 0 && a.byColumn() {
			return columnsUnits, c.Unit
		}
	}
	if g := a.setup.Data.GreyLevels; g > 0 {
		return report.Grey, g
	}
	return normalised, 1
}

func (a *account) byColumn() bool { return a.c != nil && a.c.Name() == CoordinatesColumns }

// level names a band for readers who do not know cosine modes.
func (a *account) level(band string) string {
	switch {
	case band == bound.AllBand && a.byColumn():
		return "whole row"
	case band == bound.AllBand:
		return wholeInput
	case band == "mode 0":
		return "mean (mode 0)"
	case band == "mode 1":
		return "coarsest (mode 1)"
	}
	if rest, ok := strings.CutPrefix(band, "modes from "); ok {
		return "finest (from mode " + rest + ")"
	}
	return times(band)
}

// times prints the band 8x8 as 8×8.
func times(band string) string {
	rows, columns, ok := strings.Cut(band, "x")
	if _, err := strconv.Atoi(rows); ok && rows == columns && err == nil {
		return rows + "×" + columns
	}
	return band
}

// root returns the root of a mean square in the unit of a band.
func (a *account) root(band string, square float64) (float64, report.Unit) {
	u, scale := a.unit(band)
	return scale * math.Sqrt(square), u
}

// accuracy claims what the release costs.
func (a *account) accuracy() {
	u := a.m.Utility
	if u == nil {
		return
	}
	of := func(x release.Accuracy) report.Value {
		return report.Within(x.Fraction, x.Interval.Low, x.Interval.High, report.Share, .95)
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

// limit is a limit from draws as a value; processed: only the upper limit holds for the release.
func (a *account) limit(l bayes.Limit, u report.Unit) report.Value {
	if a.lists.Processed {
		return report.AtMost(l.High, u).Sure(DefaultConfidence)
	}
	return report.Within(l.Mean, l.Low, l.High, u, DefaultConfidence)
}

// holder claims what the best adversary with a list of candidates achieves.
func (a *account) holder() {
	if a.lists == nil || a.lists.Holder == nil {
		return
	}
	h := a.lists.Holder
	n := float64(h.List.Inputs)
	claim := func(id, subject string, v report.Value, without report.Value) {
		a.Add(report.Claim{ID: id, Subject: subject, Kind: report.WithConfidence, Value: v, N: h.Draws,
			Beside: []report.Beside{{Name: "guessing", Value: without}, {Name: "without the release", Value: without}}})
	}
	guess := report.Exactly(1/n, report.Share)
	a.Add(report.Claim{ID: "candidates", Kind: report.Measured, Value: report.Exactly(n, report.Count)})
	claim("identified", "", a.limit(h.First, report.Share), guess)
	claim("holder", "input identified with one guess", a.limit(h.First, report.Share), guess)
	claim("holder", "input identified with ten guesses", a.limit(h.Ten, report.Share), report.Exactly(min(1, 10/n), report.Share))
	rank := a.limit(h.Rank, report.Number)
	if a.lists.Processed {
		rank = report.AtLeast(h.Rank.Low, report.Number).Sure(DefaultConfidence)
	}
	claim("holder", "mean rank of the input", rank, report.Exactly((n+1)/2, report.Number))
	claim("bits", "", a.limit(h.Bits, report.Bits), report.Exactly(0, report.Bits))
	claim("holder", "bits revealed of "+report.Exactly(math.Log2(n), report.Number).String(), a.limit(h.Bits, report.Number), report.Exactly(0, report.Number))
	if h.BitsMost != nil && *h.Fano < vacuousFano {
		a.Add(report.Claim{ID: "bits.most", Kind: report.Certified, Value: report.AtMost(max(*h.BitsMost, leastBits), report.Bits)},
			report.Claim{ID: "identified.fano", Kind: report.Certified, Value: report.AtMost(*h.Fano, report.Share)})
		a.Find("covariance", "")
	}
	for _, f := range h.Floors {
		low, u := a.root(f.Band, f.MeanSquare.Low)
		low = math.Nextafter(low, 0)
		prior, _ := a.root(f.Band, f.Prior)
		a.Add(report.Claim{ID: "floor.list", Subject: a.level(f.Band), Kind: report.WithConfidence, Value: report.AtLeast(negligible(low, prior), u).Sure(DefaultConfidence), N: h.List.Inputs,
			Beside: []report.Beside{{Name: "without the release", Value: report.Exactly(prior, u)}}})
	}
}

// leastBits is the least limit on revealed bits that is stated: below it, the sum of float64 may have lost it.
const leastBits = 1e-15

// vacuousFano is the probability of identifying the input above which Fano's limit is not stated.
const vacuousFano = .99

// negligibleFloor is the share of the error without the release below which a floor is stated as 0.
const negligibleFloor = .01

func negligible(floor, prior float64) float64 {
	if !(floor > 0) || floor < negligibleFloor*prior {
		return 0
	}
	return floor
}

// anybody claims the floors for adversaries without a list.
func (a *account) anybody() {
	if a.lists == nil {
		return
	}
	if h := a.lists.Hidden; h != nil {
		a.Add(report.Claim{ID: "identified.new", Kind: report.WithConfidence, Value: report.Within(h.First.Mean, h.First.Low, h.First.High, report.Share, DefaultConfidence), N: h.List.Inputs})
	}
	floor := func(id, subject, group string, of BandFloor, n int) {
		x, u := a.root(of.Band, of.Anybody)
		x = math.Nextafter(x, 0)
		prior, _ := a.root(of.Band, of.Prior)
		a.Add(report.Claim{ID: id, Subject: subject, Group: group, Kind: report.WithConfidence, Value: report.AtLeast(negligible(x, prior), u).Sure(DefaultConfidence), N: n,
			Beside: []report.Beside{{Name: "without the release", Value: report.Exactly(prior, u)}}})
	}
	p := a.lists.EverySample()
	if p == nil {
		return
	}
	for _, f := range p.Floors {
		floor("floor", a.level(f.Band), "", f, p.List.Inputs)
	}
	if len(a.lists.Anybody) > 1 {
		for _, p := range a.lists.Anybody {
			floor("floor.sample", report.Grouped(p.List.Inputs), "", p.Floors[0], p.List.Inputs)
		}
	}
}

// guesses claims the upper limits on guessing attributes.
func (a *account) guesses() {
	if a.lists == nil {
		return
	}
	add := func(name, knows string, g *GuessLimit, area *bayes.Limit, list bool) {
		claim := func(id string, kind report.Kind, v report.Value) {
			a.Add(report.Claim{ID: id, Subject: name, Group: knows, Kind: kind, Value: v})
		}
		claim("guess.majority", report.Measured, report.Exactly(g.Majority, report.Share))
		sure := func(x float64, u report.Unit) report.Value {
			return report.AtMost(x, u).Sure(DefaultConfidence)
		}
		switch {
		case list:
			if !a.lists.Processed {
				claim("guess.best", report.Estimated, report.Exactly(g.Right.Mean, report.Share))
			}
			claim("guess.limit", report.WithConfidence, sure(min(1, g.Right.High), report.Share))
			claim("guess.bits", report.WithConfidence, sure(g.Bits.High, report.Bits))
		case g.Anybody > 0:
			claim("guess.limit", report.WithConfidence, sure(min(1, g.Anybody), report.Share))
			claim("guess.bits", report.WithConfidence, sure(g.AnybodyBits, report.Bits))
		}
		if area != nil && (list || g.Anybody > 0) {
			claim("guess.auc", report.WithConfidence, sure(area.High, report.Share))
		}
	}
	each := func(knows string, all []InferredLimit, list bool) {
		for _, l := range all {
			area := l.AUC
			if !list && l.AnybodyAUC != nil {
				area = &bayes.Limit{High: *l.AnybodyAUC}
			} else if !list {
				area = nil
			}
			add(l.Name, knows, &l.GuessLimit, area, list)
			for k, x := range l.Attacks {
				if k == bestInferred(l.Attacks) {
					a.Add(report.Claim{ID: "guess.attack", Subject: l.Name, Group: knows, Kind: report.Demonstrated, Source: report.Searched, N: x.Right.Examples,
						Value: report.Within(x.Right.Value, x.Right.Interval[0], x.Right.Interval[1], report.Share, .95)})
				}
			}
			if g := l.Given; g != nil {
				add(l.Name, knows+" and "+g.Target, &g.GuessLimit, nil, list)
			}
		}
	}
	if h := a.lists.Holder; h != nil {
		each(KnowsList, h.Inferred, true)
	}
	if p := a.lists.EverySample(); p != nil {
		each(KnowsDistribution, p.Inferred, false)
	}
}

// bestInferred returns the index of the attack that is right most often.
func bestInferred(all []InferredAttack) (best int) {
	for k, x := range all {
		if x.Right.Value > all[best].Right.Value {
			best = k
		}
	}
	return best
}

// middle computes the errors of guessing without the release: the mean of the training data or, where that was not
// measured, the middle of the data's range. It reads the inputs from the arrays.
func (a *account) middle() error {
	if a.at != nil && a.at.PriorAlone != nil {
		a.prior, a.mean = a.at.PriorAlone.Summaries(a.c, a.q.Experiment.Band), true
		return nil
	}
	res := a.m.Bounds
	if res == nil || a.setup.Data.Range == nil {
		return nil
	}
	c := res.Experiment.Coordinates
	legal, err := a.setup.Data.legal(c.Inputs())
	if err != nil {
		return err
	}
	f, err := npy.Open(res.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	theta, shape, err := f.Float64s("theta")
	if err != nil {
		return err
	}
	if len(shape) != 2 || shape[1] != c.Inputs() {
		return fmt.Errorf("%s: array %q has shape %v, expected [examples, %d]", res.Path, "theta", shape, c.Inputs())
	}
	a.prior = MiddleErrors(theta, legal, c).Summaries(c, res.Experiment.Band)
	return nil
}

// MedianErrorID is the ID of the median error of a coordinate, by band and attack, in normalised units.
const MedianErrorID = "error.median"

// attacks claims what the attacks reached, in every band.
func (a *account) attacks() {
	if a.at == nil {
		return
	}
	for _, band := range bound.Octaves(a.c) {
		var best *attack.Result
		for _, x := range a.at.Results {
			a.attack(x, band, "error", x.Attack)
			if best == nil || x.BandMeanSquare(band.Keep) < best.BandMeanSquare(band.Keep) || x.BandMeanSquare(band.Keep) == best.BandMeanSquare(band.Keep) && x.Attack < best.Attack {
				best = x
			}
		}
		if best != nil {
			a.attack(best, band, "attack", "")
		}
		if p := a.at.PriorAlone; p != nil {
			v, u := a.root(band.Name, p.BandMeanSquare(band.Keep))
			a.Add(report.Claim{ID: "error", Subject: a.level(band.Name), Group: "none: guessing the mean of the training data", Kind: report.Measured, Value: report.Exactly(v, u), N: len(p.MeanSquare)})
		}
	}
	medians := func(x *attack.Result, kind report.Kind) {
		for _, row := range x.Summaries(a.c, a.q.Experiment.Band) {
			a.Add(report.Claim{ID: MedianErrorID, Subject: row.Band, Group: x.Attack, Kind: kind, Value: report.Exactly(row.Quantile(.5), normalised), N: row.Examples})
		}
	}
	if p := a.at.PriorAlone; p != nil {
		medians(p, report.Measured)
	}
	for _, x := range a.at.Results {
		medians(x, report.Demonstrated)
		if !math.IsNaN(x.Recognised) {
			c := report.Claim{ID: "recognised", Subject: a.level(bound.AllBand), Group: x.Attack, Kind: report.Demonstrated, Value: report.Exactly(x.Recognised, report.Share), N: len(x.MeanSquare)}
			if p := a.at.PriorAlone; p != nil && !math.IsNaN(p.Recognised) {
				c.Beside = []report.Beside{{Name: "without the release", Value: report.Exactly(p.Recognised, report.Share)}}
			}
			a.Add(c)
		}
	}
}

// attack claims the error of an attack in a band.
func (a *account) attack(x *attack.Result, band bound.Band, id, group string) {
	v, u := a.root(band.Name, x.BandMeanSquare(band.Keep))
	value := report.Exactly(v, u)
	if i := x.Interval(band.Keep); i != nil {
		low, _ := a.root(band.Name, i[0])
		high, _ := a.root(band.Name, i[1])
		value = report.Within(v, low, high, u, .95)
	}
	c := report.Claim{ID: id, Subject: a.level(band.Name), Group: group, Kind: report.Demonstrated, Value: value, N: len(x.MeanSquare)}
	if p := a.at.PriorAlone; p != nil {
		without, _ := a.root(band.Name, p.BandMeanSquare(band.Keep))
		c.Beside = []report.Beside{{Name: "without the release", Value: report.Exactly(without, u)}}
	}
	a.Add(c)
}

// boundKinds are the kinds of bounds for unbiased estimators, by method and search; searches for near witnesses are one.
var boundKinds = []struct{ method, search, name string }{
	{bound.MethodHCR, "", "HCR"},
	{bound.MethodHCR, bound.SearchFar, "HCR, far"},
	{bound.MethodHCR, bound.SearchTwins, "HCR, twins"},
	{bound.MethodMeanSquare, "", "HCR, rms"},
	{bound.MethodMeanSquare, bound.SearchFar, "HCR, far, rms"},
	{bound.MethodMeanSquare, bound.SearchTwins, "HCR, twins, rms"},
	{bound.MethodCramerRaoAxis, "", "Cramér-Rao, all else known"},
	{bound.MethodCramerRao, "", "Cramér-Rao, identifiable part"},
	{bound.MethodBarankin, "", "Barankin"},
	{bound.MethodBarankinMeanSquare, "", "Barankin, rms"},
}

// searchOf returns the search that makes a kind: far, twins, or "" for near witnesses.
func searchOf(b bound.Summary) string {
	if b.Search == bound.SearchFar || b.Search == bound.SearchTwins {
		return b.Search
	}
	return ""
}

// BoundName names a row.
func BoundName(b bound.Summary) string {
	name := b.Method
	for _, k := range boundKinds {
		if k.method == b.Method && k.search == searchOf(b) {
			name = k.name
		}
	}
	if b.Size > 0 {
		name += ", s = " + Fraction(b.Size)
	}
	return name
}

// Fraction prints 0.005 as 1/200 where that is exact enough to be meant.
func Fraction(s float64) string {
	if n := math.Round(1 / s); n >= 2 && math.Abs(1/n-s) < 1e-12 {
		return fmt.Sprintf("1/%.0f", n)
	}
	return report.Exactly(s, report.Number).String()
}

// unbiased claims the bounds for unbiased estimators.
func (a *account) unbiased() {
	res := a.m.Bounds
	if res == nil {
		return
	}
	for _, b := range res.Summaries {
		if b.Pair() {
			continue
		}
		name, group := BoundName(b), times(b.Band)
		if b.Domain != "" {
			group += ", " + b.Domain
		}
		for i, level := range bound.QuantileLevels {
			c := report.Claim{ID: fmt.Sprintf("q%02.0f", 100*level), Subject: name, Group: group, Kind: report.Kind(b.Status), Value: report.AtLeast(b.Quantile(level), normalised), N: b.Examples}
			if p := a.priorOf(b); p != nil && i == 2 {
				c.Beside = []report.Beside{{Name: "prior", Value: report.Exactly(*p, normalised)}}
			}
			a.Add(c)
		}
		if b.UnboundedFraction > 0 {
			a.Add(report.Claim{ID: "no_limit", Subject: name, Group: group, Kind: report.Kind(b.Status), Value: report.Exactly(b.UnboundedFraction, report.Share), N: b.Examples})
		}
		if b.Vacuous != nil {
			row, why := name+" ("+group+")", ": "+b.Vacuous.String()
			if i := slices.IndexFunc(a.vacuousRows, func(said string) bool { return strings.HasSuffix(said, why) }); i >= 0 {
				a.vacuousRows[i] = strings.TrimSuffix(a.vacuousRows[i], why) + ", " + row + why
			} else {
				a.vacuousRows = append(a.vacuousRows, row+why)
			}
		}
	}
	a.bandFloors(res)
	a.histograms(res)
}

// priorOf returns what guessing without the release errs by, at the median or as a root mean square like the bound:
// nil if that is not known.
func (a *account) priorOf(b bound.Summary) *float64 {
	for _, p := range a.prior {
		if p.Band == b.Band {
			level := p.Quantile(.5)
			if strings.HasSuffix(b.Method, "-mean-square") {
				level = p.RMS()
			}
			return &level
		}
	}
	return nil
}

// bandFloors claims the medians of bounds by witnesses in every band.
func (a *account) bandFloors(res *bound.Result) {
	m := a.c.Len()
	for _, band := range bound.Octaves(a.c) {
		best := map[string]*report.Claim{}
		var order []string
		for _, of := range res.Summaries {
			x := witnessed(of, res)
			if x == nil || of.Band != bound.AllBand {
				continue
			}
			id := map[string]string{"": "near", bound.SearchFar: "far", bound.SearchTwins: "twins"}[searchOf(of)]
			u, scale := a.unit(band.Name)
			c := &report.Claim{ID: id, Subject: a.level(band.Name), Kind: report.Kind(of.Status), Value: report.AtLeast(scale*stat.Quantile(band.Of(x, m), .5), u), N: of.Examples}
			if old := best[id]; old == nil {
				order = append(order, id)
				best[id] = c
			} else if stronger(c, old) {
				best[id] = c
			}
		}
		for _, id := range order {
			a.Add(*best[id])
		}
	}
}

// stronger reports whether a claim says more than another: what is certified goes before what is estimated, then the
// larger goes before the smaller.
func stronger(x, y *report.Claim) bool {
	if (x.Kind == report.Certified) != (y.Kind == report.Certified) {
		return x.Kind == report.Certified
	}
	return x.Value.Low > y.Value.Low
}

// witnessed returns the bounds of a row that witnesses prove, [examples, m]; nil for other rows.
func witnessed(of bound.Summary, res *bound.Result) []float64 {
	switch {
	case of.Method == bound.MethodBarankin:
		return res.Barankin.Std
	case of.Method != bound.MethodHCR:
		return nil
	case of.Search == bound.SearchFar:
		return res.Far.Std
	case of.Search == bound.SearchTwins:
		return res.Twins.Std[:res.Twins.Tried*res.Experiment.Coordinates.Len()]
	}
	for _, s := range res.Sizes {
		if s.Size == of.Size {
			return s.Std
		}
	}
	return nil
}

// histogramBins is as fine as A's Figure 1.
const histogramBins = 60

// histograms draws the bounds of each size.
func (a *account) histograms(res *bound.Result) {
	e := res.Experiment
	for _, s := range res.Sizes {
		name := "s = " + Fraction(s.Size)
		a.histogram("all coordinates, "+name, s.Std)
		if low := e.Coordinates.Band(e.Band); len(low) > 0 {
			a.histogram(fmt.Sprintf("%d×%d coarsest modes, %s", e.Band, e.Band, name), bound.Band{Keep: low}.Of(s.Std, e.Coordinates.Len()))
		}
	}
}

// histogram draws values, and claims the middle of the fullest bin.
func (a *account) histogram(title string, x []float64) {
	h, s := Histogram(x), report.Series{ID: "histogram", Name: title}
	for k, n := range h.Counts {
		s.X, s.Y = append(s.X, (h.Edges[k]+h.Edges[k+1])/2), append(s.Y, float64(n)/float64(len(x)))
	}
	a.Series = append(a.Series, s)
	a.Add(report.Claim{ID: "peak", Subject: title, Kind: report.Measured, Value: report.Exactly(h.Mode(), normalised)},
		report.Claim{ID: "median", Subject: title, Kind: report.Measured, Value: report.Exactly(stat.Quantile(x, .5), normalised)})
}

// Histogram bins bounds from 0 up to where almost all of them lie.
func Histogram(x []float64) *stat.Histogram {
	top := stat.Quantile(x, .96)
	if math.IsInf(top, 0) || top == 0 {
		top = 1
		for _, v := range x {
			if !math.IsInf(v, 0) {
				top = max(top, v)
			}
		}
	}
	width := niceWidth(top / histogramBins)
	h := stat.NewHistogram(stat.Edges(0, width*histogramBins, histogramBins))
	h.Add(x...)
	return h
}

// niceWidth rounds up to 1, 2 or 5 times a power of ten.
func niceWidth(x float64) float64 {
	e := math.Pow(10, math.Floor(math.Log10(x)))
	for _, f := range []float64{1, 2, 5} {
		if f*e >= x*(1-1e-9) {
			return f * e
		}
	}
	return 10 * e
}

// pairNames name the other inputs of pair floors by their search; all others are near witnesses.
var pairNames = map[string]string{bound.SearchFar: "far witnesses", bound.SearchTwins: "twins", bound.SearchPairs: "searched for these floors"}

// pairs claims floors for every adversary, averaged over an input and another one.
func (a *account) pairs() {
	u, scale := a.unit(bound.AllBand)
	if res := a.m.Bounds; res != nil {
		for _, b := range res.Summaries {
			if !b.Pair() {
				continue
			}
			name, of := pairNames[b.Search], "coordinate"
			if name == "" {
				name = "near witnesses"
				if b.Size > 0 {
					name += ", s = " + Fraction(b.Size)
				}
			}
			switch {
			case b.Method == bound.MethodPairMeanSquare:
				of = wholeInput
			case b.Band != bound.AllBand:
				of = times(b.Band) + " coarsest"
			}
			for _, level := range []float64{.05, .5, .95} {
				a.Add(report.Claim{ID: fmt.Sprintf("pair.q%02.0f", 100*level), Subject: name, Group: of, Kind: report.Kind(b.Status), Value: report.AtLeast(scale*b.Quantile(level), u), N: b.Examples})
			}
		}
	}
}

// resolvedWithin are the standard deviations, in normalised units, to within which directions are counted as resolved.
var resolvedWithin = []float64{0.1, 0.2, 0.5, 1, 2}

// directions claims how many directions of the input the release lets an unbiased adversary resolve (MATH 3).
func (a *account) directions() {
	res := a.m.Bounds
	if res == nil || res.Rank == nil {
		return
	}
	sigma, ranks := res.Experiment.Scale(), make([]float64, len(res.Rank))
	counts, width := make([][]float64, len(resolvedWithin)), 0
	for i, k := range res.Rank {
		ranks[i], width = float64(k), max(width, k)
		for t, n := range bound.Resolvable(res.Spectra[i], sigma, resolvedWithin) {
			counts[t] = append(counts[t], float64(n))
		}
	}
	n := len(res.Rank)
	a.Add(report.Claim{ID: "rank", Kind: report.Estimated, Value: report.Within(stat.Quantile(ranks, .5), slices.Min(ranks), slices.Max(ranks), report.Count, 0), N: n})
	for t, at := range resolvedWithin {
		a.Add(report.Claim{ID: "directions", Subject: report.Exactly(at, report.Number).String(), Kind: report.Estimated, Value: report.Exactly(stat.Quantile(counts[t], .5), report.Count), N: n})
	}
	s, column := report.Series{ID: "spectrum", Name: "standard deviation"}, make([]float64, len(res.Spectra))
	for k := range width {
		for i, x := range res.Spectra {
			column[i] = math.Inf(1)
			if k < len(x) {
				column[i] = sigma / x[k]
			}
		}
		q := stat.Quantiles(column, .05, .5, .95)
		s.X, s.Low, s.Y, s.High = append(s.X, float64(k+1)), append(s.Low, q[0]), append(s.Y, q[1]), append(s.High, q[2])
	}
	a.Series = append(a.Series, s)
}
