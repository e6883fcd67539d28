package measure

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"tattle/internal/protect/attack"
	"tattle/internal/protect/bayes"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/release"
	"tattle/internal/report"
)

// accountOf returns the account of a release of four numbers before anything is measured.
func accountOf(noise release.Noise) *account {
	q := &Request{Experiment: bound.Experiment{Noise: noise}}
	return &account{Report: report.New("", "", 0), q: q, m: &Measured{}, setup: &Setup{Inputs: 4, Features: 4}, c: bound.Pixels(4)}
}

// claimed is a claim that has values beside it, by their names.
func claimed(id, subject, group string, kind report.Kind, n int, v report.Value, beside ...report.Beside) report.Claim {
	return report.Claim{ID: id, Subject: subject, Group: group, Kind: kind, N: n, Value: v, Beside: beside}
}

// alike reports whether values are equal but for rounding.
func alike(v, w report.Value) bool {
	equal := func(x, y float64) bool {
		return x == y || math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) <= 1e-7*math.Abs(y)
	}
	return equal(v.X, w.X) && equal(v.Low, w.Low) && equal(v.High, w.High) && v.Unit == w.Unit && v.Confidence == w.Confidence
}

// says checks that an account has made just these claims, and its findings' codes.
func (a *account) says(t *testing.T, codes []string, want ...report.Claim) {
	t.Helper()
	for _, w := range want {
		got := a.About(w)
		if got == nil {
			t.Errorf("no claim %s about %q, %q", w.ID, w.Subject, w.Group)
			continue
		}
		beside := slices.EqualFunc(got.Beside, w.Beside, func(x, y report.Beside) bool { return x.Name == y.Name && alike(x.Value, y.Value) })
		if !alike(got.Value, w.Value) || !beside || got.Kind != w.Kind || got.N != w.N {
			t.Errorf("claim %+v, want %+v", *got, w)
		}
	}
	for _, c := range a.Claims {
		if !slices.ContainsFunc(want, func(w report.Claim) bool { return w.ID == c.ID && w.Subject == c.Subject && w.Group == c.Group }) {
			t.Errorf("claim %+v is not wanted", c)
		}
	}
	var found []string
	for _, f := range a.Findings {
		found = append(found, f.Code)
	}
	if !slices.Equal(found, codes) {
		t.Errorf("findings %q, want %q", found, codes)
	}
}

// Whatever the data, success is at most Φ(Φ⁻¹(κ) + r), r = R√k/σ; ρ = 2r², μ = 2r, and ε follows from them.
func TestWorstClaims(t *testing.T) {
	Φ, inverse := distuv.UnitNormal.CDF, distuv.UnitNormal.Quantile
	const r = 1. // 2·√4/4
	a := accountOf(release.Gaussian{Sigma: 4})
	a.q.Spec.ClipNorm, a.q.Queries, a.q.Clipped, a.q.Data = 2, 4, .25, spread(10, 1)
	a.lists = &ListFigures{Holder: &ListHolder{List: ListUsed{Inputs: 50}}}
	a.worst()
	success := func(id, subject string, κ float64) report.Claim {
		return claimed(id, subject, "", report.Certified, 0, report.AtMost(Φ(inverse(κ)+r), report.Share), report.Beside{Name: "without the release", Value: report.Exactly(κ, report.Share)})
	}
	at := func(id, subject string, x float64, u report.Unit) report.Claim {
		return claimed(id, subject, "", report.Certified, 0, report.AtMost(x, u))
	}
	ε := a.Claim("privacy", "ε, for δ = 10⁻⁵").Value.High
	if δ := Φ(r-ε/2/r) - math.Exp(ε)*Φ(-r-ε/2/r); math.Abs(δ/1e-5-1) > 1e-4 {
		t.Errorf("ε = %v is for δ = %v", ε, δ)
	}
	a.says(t, []string{"clipped", "worst.real", "worst"},
		claimed("clipped", "", "", report.Measured, 10, report.Exactly(.25, report.Share)),
		success("worst.own", "", .02), success("worst", WorstNames(50), .02), success("worst", WorstNames(100), .01),
		success("worst", WorstNames(10_000), 1e-4), success("worst", WorstNames(1_000_000), 1e-6), success("worst", "guess a yes-or-no attribute that is even", .5),
		success("worst", "succeed at what is guessed right in 10.0 % without the release", .1), success("worst", "succeed at what is guessed right in 1.00 % without the release", .01),
		at("worst.exposed", "10.0 %", 88, report.Count), at("worst.exposed", "50.0 %", 6, report.Count), // 1/Φ(Φ⁻¹(t) − 1) is 88.8 and 6.3
		at("privacy", "ρ, zero-concentrated", 2*r*r, report.Number), at("privacy", "μ, Gaussian", 2*r, report.Number), at("privacy", "ε, for δ = 10⁻⁵", ε, report.Number))
	if f := a.Findings[2]; f.Subject != WorstNames(50) || !slices.Equal(f.Args, []string{"50", "4 releases"}) {
		t.Errorf("the finding is of %q, %q", f.Subject, f.Args)
	}
	for _, c := range []struct {
		noise         release.Noise
		clip, clipped float64
		codes         []string
		claims        int
	}{
		{release.Gaussian{Sigma: 4}, 0, 0, nil, 0},
		{release.Gaussian{Sigma: .1}, 2, 1, []string{"clipped", "clipped.all", "worst.real", "worst.vacuous"}, 12},
		{release.Laplace{Sigma: 1, Scale: 1}, 2, 0, []string{"clipped", "worst.none"}, 1},
	} {
		a := accountOf(c.noise)
		a.q.Spec.ClipNorm, a.q.Clipped, a.q.Data = c.clip, c.clipped, spread(10, 1)
		a.worst()
		if len(a.Claims) != c.claims {
			t.Errorf("%+v: %d claims", c, len(a.Claims))
		}
		a.says(t, c.codes, a.Claims...)
	}
}

// around is a limit about x.
func around(x float64) bayes.Limit { return bayes.Limit{Mean: x, Low: x / 2, High: 1.25 * x} }

// What an adversary with a list achieves stands beside what guessing does. Of values that are processed, only upper limits hold for the release.
func TestHolderClaims(t *testing.T) {
	for _, c := range []struct{ people, processed bool }{{}, {people: true}, {processed: true}} {
		a := accountOf(nil)
		h := &ListHolder{List: ListUsed{Inputs: 16, People: 8}, Draws: 100, First: around(.25), Ten: around(.75), Rank: around(3), Bits: around(2), Among: []ShorterList{{4, around(.5)}},
			BitsMost: new(3.), Fano: new(.875), Floors: []BandLimit{{Band: bound.AllBand, MeanSquare: bayes.Limit{Mean: .06, Low: .04, High: .08}, Prior: .09}}}
		best, of := h.First, 16.
		if c.people {
			h.Person = new(around(.5))
			best, of = *h.Person, 8
		}
		a.lists = &ListFigures{Holder: h, Processed: c.processed}
		a.holder(h)
		limit := func(id, subject string, l bayes.Limit, u report.Unit, guess float64) report.Claim {
			v := report.Within(l.Mean, l.Low, l.High, u, DefaultConfidence)
			if c.processed {
				v = report.AtMost(l.High, u).Sure(DefaultConfidence)
			}
			without := report.Exactly(guess, u)
			return claimed(id, subject, "", report.WithConfidence, 100, v, report.Beside{Name: "guessing", Value: without}, report.Beside{Name: "without the release", Value: without})
		}
		bits, rank := "bits revealed of "+report.Exactly(math.Log2(of), report.Number).String(), limit("holder", "mean rank of the input", h.Rank, report.Number, 8.5)
		if c.people {
			bits += " about the person"
		}
		if c.processed {
			rank.Value = report.AtLeast(1.5, report.Number).Sure(DefaultConfidence)
		}
		want := []report.Claim{
			claimed("candidates", "", "", report.Measured, 0, report.Exactly(16, report.Count)),
			limit("identified", "", best, report.Share, 1/of), limit("holder", "input named with one guess", h.First, report.Share, 1./16),
			limit("holder", "input named with ten guesses", h.Ten, report.Share, 10./16), rank,
			limit("bits", "", h.Bits, report.Bits, 0), limit("holder", bits, h.Bits, report.Number, 0),
			claimed("bits.most", "", "", report.Certified, 0, report.AtMost(3, report.Bits)), claimed("identified.fano", "", "", report.Certified, 0, report.AtMost(.875, report.Share)),
			claimed("floor.list", wholeInput, "", report.WithConfidence, 16, report.AtLeast(.2, normalised).Sure(DefaultConfidence), report.Beside{Name: "without the release", Value: report.Exactly(.3, normalised)}),
		}
		if c.people {
			want = append(want, limit("holder", "person named with one guess", best, report.Share, 1/of))
		}
		if !c.processed {
			want = append(want, limit("identified.among", "4", h.Among[0].First, report.Share, 1./4), limit("identified.among", "16", h.First, report.Share, 1./16))
			if s := a.Series[0]; !slices.Equal(s.X, []float64{4, 16}) || !slices.Equal(s.Y, []float64{.5, .25}) || !slices.Equal(s.Low, []float64{.25, .125}) || !slices.Equal(s.High, []float64{.625, .3125}) {
				t.Errorf("the curve is %+v", s)
			}
		} else if len(a.Series) > 0 {
			t.Errorf("curves %+v of values before they are processed", a.Series)
		}
		a.says(t, []string{"covariance"}, want...)
		if whom := map[bool][]string{true: {"person", ""}, false: {"one", ", if every input is of another person"}}[c.people]; !slices.Equal(a.named(), whom) {
			t.Errorf("named are %q", a.named())
		}
	}
}

// Claims about adversaries without a list: floors in the data's units, and guesses of attributes. A floor near 0 is stated as none.
func TestAnybodyClaims(t *testing.T) {
	a := accountOf(nil)
	a.setup.Data.GreyLevels = 100
	sample := func(inputs int, floor float64) Population {
		return Population{List: ListUsed{Inputs: inputs}, Floors: []BandLimit{{Band: bound.AllBand, Prior: .09, Anybody: floor}}}
	}
	a.lists = &ListFigures{Hidden: &HiddenFigures{List: ListUsed{Inputs: 30, People: 3}, First: around(.5)}, Anybody: []Population{sample(10, 8e-6), sample(1000, .04)}}
	p := a.lists.EverySample()
	p.Weaker = &Weaker{Rows: .0625}
	p.Inferred = []InferredLimit{{Name: "s", GuessLimit: GuessLimit{Majority: .5, Anybody: 1.5, AnybodyBits: .25}, AnybodyAUC: new(.75), Weaker: &Weaker{Rows: .25},
		Given:   &GivenLimit{"y", GuessLimit{Majority: .625, Anybody: .75, AnybodyBits: .125}},
		Attacks: []InferredAttack{{Name: "one"}, {Name: "two"}}}}
	for i := range p.Inferred[0].Attacks {
		right := &p.Inferred[0].Attacks[i].Right
		right.Value, right.Interval, right.Examples = .5+.125*float64(i), [2]float64{.25, .875}, 7
	}
	held := p.Inferred[0]
	held.Right, held.Bits, held.AUC, held.Attacks, held.Weaker, held.Given = around(.625), around(.5), new(around(.75)), nil, nil, nil
	a.lists.Holder = &ListHolder{Inferred: []InferredLimit{held}}
	a.anybody()
	a.guesses()
	grey := func(id, subject string, n int, floor float64) report.Claim {
		return claimed(id, subject, "", report.WithConfidence, n, report.AtLeast(floor, report.Grey).Sure(DefaultConfidence), report.Beside{Name: "without the release", Value: report.Exactly(30, report.Grey)})
	}
	atMost := func(id, knows string, x float64, u report.Unit) report.Claim {
		return claimed(id, "s", knows, report.WithConfidence, 0, report.AtMost(x, u).Sure(DefaultConfidence))
	}
	majority := func(knows string, x float64) report.Claim {
		return claimed("guess.majority", "s", knows, report.Measured, 0, report.Exactly(x, report.Share))
	}
	const both = KnowsDistribution + " and y"
	a.says(t, nil,
		claimed("identified.new", "", "", report.WithConfidence, 3, report.Within(.5, .25, .625, report.Share, DefaultConfidence)),
		grey("floor", wholeInput, 1000, 20), grey("floor.sample", "10", 10, 0), grey("floor.sample", "1,000", 1000, 20), // √8e-6 is less than a hundredth of √.09
		claimed("floor.rows", "", "", report.Estimated, 1000, report.Exactly(25, report.Grey)),
		majority(KnowsList, .5), claimed("guess.best", "s", KnowsList, report.Estimated, 0, report.Exactly(.625, report.Share)),
		atMost("guess.limit", KnowsList, .78125, report.Share), atMost("guess.bits", KnowsList, .625, report.Bits), atMost("guess.auc", KnowsList, .9375, report.Share),
		majority(KnowsDistribution, .5), atMost("guess.limit", KnowsDistribution, 1, report.Share), atMost("guess.bits", KnowsDistribution, .25, report.Bits), atMost("guess.auc", KnowsDistribution, .75, report.Share),
		majority(both, .625), atMost("guess.limit", both, .75, report.Share), atMost("guess.bits", both, .125, report.Bits),
		claimed("guess.rows", "s", "", report.Estimated, 0, report.Exactly(.75, report.Share)),
		claimed("guess.attack", "s", KnowsDistribution, report.Demonstrated, 7, report.Within(.625, .25, .875, report.Share, .95)))
}

// Shares of people who are named more often than a share of releases have limits; so have means of groups of people. What compares groups
// says how many people would show a difference.
func TestExposureClaims(t *testing.T) {
	a := accountOf(nil)
	a.lists = &ListFigures{Holder: &ListHolder{}}
	a.exposure(&ExposureFigures{People: 40, Releases: 100, Quantile: []float64{.1, .2, .3, .4}, Above: []ExposedShare{{.05, around(.5)}, {.25, around(.125)}},
		Most: []ExposedInput{{7, .75}}, Groups: []ExposedGroup{{"s", "a", 9, around(.25)}}, Compared: []ExposedPair{{"s", "a", "b", true, 0}, {"r", "c", "d", false, 2000}, {"q", "e", "f", false, 0}}})
	with := func(id, subject, group string, n int, x float64) report.Claim {
		return claimed(id, subject, group, report.WithConfidence, n, report.Within(x, x/2, 1.25*x, report.Share, DefaultConfidence))
	}
	about := func(id, subject string, n int, x float64) report.Claim {
		return claimed(id, subject, "", report.Estimated, n, report.Exactly(x, report.Share))
	}
	a.says(t, []string{"exposed", "exposed.more", "exposed.alike", "exposed.enough", "exposed.alike"},
		with("exposed.above", "5.00 %", "", 40, .5), with("exposed.above", "25.0 %", "", 40, .125), with("exposed.group", "s", "a", 9, .25),
		about("exposed.q50", "", 40, .1), about("exposed.q90", "", 40, .2), about("exposed.q95", "", 40, .3), about("exposed.q99", "", 40, .4), about("exposed.most", "input 7", 100, .75))
	if args := a.Findings[0].Args; !slices.Equal(args, []string{"input"}) {
		t.Errorf("exposed is a %q", args)
	}
	if s := a.Series[0]; !slices.Equal(s.X, []float64{.05, .25}) || !slices.Equal(s.Y, []float64{.5, .125}) || !slices.Equal(s.Low, []float64{.25, .0625}) || !slices.Equal(s.High, []float64{.625, .15625}) {
		t.Errorf("the curve is %+v", s)
	}
}

// Bounds of four inputs in the data's units, by kinds of witnesses. There are quantiles, and the median of all in a band by the
// strongest of a kind.
func TestBoundClaims(t *testing.T) {
	inf := math.Inf(1)
	a := accountOf(release.Gaussian{Sigma: 2})
	a.setup.Data.GreyLevels, a.q.Indices = 100, make([]int, 2)
	a.prior, a.mean = []attack.Row{{Band: bound.AllBand, Median: 3.5, MeanSquare: 16}}, true
	row := func(method, search string, size float64, status string, quantiles ...float64) bound.Summary {
		return bound.Summary{Method: method, Search: search, Size: size, Band: bound.AllBand, Examples: 2, Status: status, Quantiles: quantiles}
	}
	far := row(bound.MethodMeanSquare, bound.SearchFar, 0, bound.StatusCertified, 2, 3, 4, 5, inf)
	far.Domain, far.UnboundedFraction, far.Vacuous = bound.DomainLegal, .125, "no reason"
	axis := row(bound.MethodCramerRaoAxis, "", 0, bound.StatusEstimated, 1, 2, 3, 4, 5)
	axis.Band, axis.Vacuous = "8x8", "no reason"
	res := &bound.Result{Experiment: bound.Experiment{Noise: a.q.Experiment.Noise, Coordinates: a.c, Settings: bound.Settings{Sizes: []float64{.005, .25}, Rounding: bound.RoundingProved}},
		Kinds: []*bound.Bounds{
			{Search: bound.Direct, Size: .005, Tried: 2, Std: []float64{1, 2, 3, 4, 5, 6, 7, 8}}, {Search: bound.Direct, Size: .25, Tried: 2, Std: []float64{2, 3, 4, 5, 6, 7, 8, 9}},
			{Search: bound.SearchTwins, Tried: 1, Std: []float64{3, 3, 3, 3, 0, 0, 0, 0}}, {Search: bound.SearchCombined, Tried: 2, Std: make([]float64, 8)}},
		Rank: []int{2, 3}, Spectra: [][]float64{{20, 4}, {40, 8, 2}},
		Summaries: []bound.Summary{
			row(bound.MethodHCR, bound.Direct, .005, bound.StatusCertified, 1, 2, 4, 6, 8), row(bound.MethodHCR, bound.Direct, .25, bound.StatusCertified, 2, 3, 5, 7, 9),
			row(bound.MethodBarankin, "", 0, bound.StatusCertified, 1, 2, 6, 7, 8), far, axis, row(bound.MethodHCR, bound.SearchTwins, 0, bound.StatusCertified, 3, 3, 3, 3, 3),
			row(bound.MethodPair, bound.SearchTwins, 0, bound.StatusCertified, 1, 1, .5, 1, 2), row(bound.MethodPairMeanSquare, bound.Direct, .005, bound.StatusEstimated, .25, 1, .75, 1, 3)}}
	a.m.Bounds = res
	a.unbiased(res)
	a.pairs(res)
	a.directions(res)
	a.unbiasedFindings("")
	var want []report.Claim
	quantiles := func(name, group string, kind report.Kind, prior float64, of ...float64) {
		for i, id := range []string{"q05", "q25", "q50", "q75", "q95"} {
			c := claimed(id, name, group, kind, 2, report.AtLeast(of[i], normalised))
			if i == 2 && prior > 0 {
				c.Beside = []report.Beside{{Name: "prior", Value: report.Exactly(prior, normalised)}}
			}
			want = append(want, c)
		}
	}
	quantiles("HCR, s = 1/200", "all", report.Certified, 3.5, 1, 2, 4, 6, 8)
	quantiles("HCR, s = 1/4", "all", report.Certified, 3.5, 2, 3, 5, 7, 9)
	quantiles("Barankin", "all", report.Certified, 3.5, 1, 2, 6, 7, 8)
	quantiles("HCR, far, rms", "all, legal", report.Certified, 4, 2, 3, 4, 5, inf)
	quantiles("Cramér-Rao, all else known", "8×8", report.Estimated, 0, 1, 2, 3, 4, 5)
	quantiles("HCR, twins", "all", report.Certified, 3.5, 3, 3, 3, 3, 3)
	for i, id := range []string{"pair.q05", "pair.q50", "pair.q95"} {
		want = append(want, claimed(id, "twins", "coordinate", report.Certified, 2, report.AtLeast([]float64{100, 50, 200}[i], report.Grey)),
			claimed(id, "near witnesses, s = 1/200", wholeInput, report.Estimated, 2, report.AtLeast([]float64{25, 75, 300}[i], report.Grey)))
	}
	for i, n := range []float64{1, 1, 2, 2.5, 2.5} { // σ/s are .1, .5 and .05, .25, 1
		want = append(want, claimed("directions", report.Exactly(resolvedWithin[i], report.Number).String(), "", report.Estimated, 2, report.Exactly(n, report.Count)))
	}
	grey := func(id, subject string, kind report.Kind, x float64, beside ...report.Beside) report.Claim {
		return claimed(id, subject, "", kind, 2, report.AtLeast(x, report.Grey), beside...)
	}
	a.says(t, []string{"unbiased", "unbiased.above", "pairs.estimated", "rank", "rounding.proved"}, append(want,
		claimed("no_limit", "HCR, far, rms", "all, legal", report.Certified, 2, report.Exactly(.125, report.Share)),
		grey("near", wholeInput, report.Certified, 550), grey("twins", wholeInput, report.Certified, 300),
		claimed("rank", "", "", report.Estimated, 2, report.Within(2.5, 2, 3, report.Count, 0)),
		grey("bound", "", report.Certified, 600, report.Beside{Name: "prior", Value: report.Exactly(350, report.Grey)}), grey("pair.whole.q50", "", report.Estimated, 75))...)
	if rows := []string{"HCR, far, rms (all, legal), Cramér-Rao, all else known (8×8): no reason"}; !slices.Equal(a.vacuousRows, rows) {
		t.Errorf("vacuous rows %q, want %q", a.vacuousRows, rows)
	}
	if s := a.Series[2]; s.ID != "spectrum" || !slices.Equal(s.X, []float64{1, 2, 3}) || !alike(report.Within(s.Y[0], s.Y[1], s.Low[1], "", 0), report.Within(.075, .375, .2625, "", 0)) || !math.IsInf(s.Y[2], 1) {
		t.Errorf("series %+v", s)
	}
}

// The verdict is the worst that an adversary is shown to do. It rests on the limits of the list holder where they are above
// guessing, else on attacks, else on bounds.
func TestVerdicts(t *testing.T) {
	gaussian := release.Gaussian{Sigma: 1}
	holder := func(inputs int, low, high float64) *ListHolder {
		return &ListHolder{List: ListUsed{Inputs: inputs}, First: bayes.Limit{Low: low, High: high}}
	}
	bounded := func(status string, median float64) *bound.Result {
		return &bound.Result{Experiment: bound.Experiment{Noise: gaussian}, Summaries: []bound.Summary{{Method: bound.MethodHCR, Search: bound.Direct, Band: bound.AllBand, Status: status, Quantiles: []float64{0, 0, median, 0, 0}}}}
	}
	recognised := func(x, without float64) *Attacks {
		r, p := reached("near", 2, 2), reached("prior", 2, 2)
		r.Recognised, p.Recognised = x, without
		return &Attacks{Results: []*attack.Result{r}, PriorAlone: p}
	}
	ran := func(near, prior *attack.Result) *Attacks {
		return &Attacks{Results: []*attack.Result{near}, PriorAlone: prior}
	}
	for _, c := range []struct {
		want      string
		noise     release.Noise
		holder    *ListHolder
		processed bool
		at        *Attacks
		bounds    *bound.Result
		grey      float64
	}{
		// Of two inputs, 75 % are 50 % beyond guessing, and 50.5 % are 1 %.
		{want: "identified", holder: holder(2, .75, .8)}, {want: "not_excluded.most", holder: holder(2, .74, .75)}, {want: "not_excluded.most", holder: holder(2, .75, .8), processed: true},
		{want: "identified.some", holder: holder(2, .505, .74)}, {want: "not_excluded", holder: holder(2, .504, .505)}, {want: "not_excluded", holder: holder(2, .5, .504), processed: true},
		{want: "identified.little", holder: holder(100, .01, .012)}, {want: "identified.rarely", holder: holder(101, .01, .012)}, {want: "identified.rarely", holder: holder(101, .009, .0099), processed: true},
		{want: "identified.common", holder: &ListHolder{List: ListUsed{Inputs: 400, Merged: 100, Commonest: 5}}}, {want: "identified.rarely", holder: &ListHolder{List: ListUsed{Inputs: 400, Merged: 100, Commonest: 4}}},
		// Half of the reconstructions beyond those of the mean are recognised.
		{want: "recognised", at: recognised(.75, .5)}, {want: "no_attack_closer", noise: gaussian, at: recognised(.74, .5)}, {want: "recognised", at: recognised(.5, math.NaN())}, {want: "no_attack_closer", noise: gaussian, at: recognised(.49, 0)},
		{want: "reconstructed", at: ran(reached("near", 20, 1), reached("prior", 20, 2))}, {want: "reconstructed.here", at: ran(reached("near", 1, 1.95), reached("prior", 1, 2))},
		{want: "no_attack_closer", noise: gaussian, at: ran(reached("near", 1, 1.97), reached("prior", 1, 2))}, {want: "reconstructed", at: &Attacks{Results: []*attack.Result{reached("near", 1, 1)}}},
		{want: "nothing_proved", noise: release.None{}}, {want: "uncertified", noise: gaussian}, {want: "uncertified", noise: gaussian, bounds: bounded(bound.StatusEstimated, 1)},
		{want: "unbounded", noise: gaussian, bounds: bounded(bound.StatusCertified, math.Inf(1))}, {want: "vacuous", noise: gaussian, bounds: bounded(bound.StatusCertified, 0)},
		{want: "vacuous", noise: gaussian, bounds: bounded(bound.StatusCertified, .0099), grey: 100}, {want: "bounded", noise: gaussian, bounds: bounded(bound.StatusCertified, .01), grey: 100}, {want: "bounded", noise: gaussian, bounds: bounded(bound.StatusCertified, .0099)},
	} {
		a := accountOf(c.noise)
		if a.at, a.m.Bounds, a.setup.Data.GreyLevels = c.at, c.bounds, c.grey; c.holder != nil {
			a.lists = &ListFigures{Holder: c.holder, Processed: c.processed}
		}
		if got := a.verdict().Code; got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// An attack's error in the data's units stands beside that of guessing the mean, and has an interval from two examples on.
func TestAttackClaims(t *testing.T) {
	a := accountOf(nil)
	a.setup.Data.GreyLevels = 100
	near, far, prior := reached("near", 3, 1, 1, 1, 1), reached("far", 3, 3, 3, 3, 3), reached("prior", 3, 2, 2, 2, 2)
	near.Recognised, prior.Recognised = .75, .25
	a.at = &Attacks{Results: []*attack.Result{near, far}, PriorAlone: prior}
	a.attacks()
	root := func(r *attack.Result) float64 { return 100 * r.RootMeanSquare() }
	reach := func(id, group string, r *attack.Result) report.Claim {
		i := r.Interval(nil)
		return claimed(id, wholeInput, group, report.Demonstrated, 3, report.Within(root(r), 100*math.Sqrt(i[0]), 100*math.Sqrt(i[1]), report.Grey, .95), report.Beside{Name: "without the release", Value: report.Exactly(root(prior), report.Grey)})
	}
	median := func(name string, kind report.Kind, x float64) report.Claim {
		return claimed(MedianErrorID, bound.AllBand, name, kind, 3, report.Exactly(x, normalised))
	}
	a.says(t, nil, reach("error", "near", near), reach("error", "far", far), reach("attack", "", near),
		claimed("error", wholeInput, "none: guessing the mean of the training data", report.Measured, 3, report.Exactly(root(prior), report.Grey)),
		median("near", report.Demonstrated, 1), median("far", report.Demonstrated, 3), median("prior", report.Measured, 2),
		claimed("recognised", wholeInput, "near", report.Demonstrated, 3, report.Exactly(.75, report.Share), report.Beside{Name: "without the release", Value: report.Exactly(.25, report.Share)}))
}
