package report

import (
	"bytes"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tattle/attack"
	"tattle/bayes"
	"tattle/bound"
	"tattle/classify"
	"tattle/internal/must"
	"tattle/measure"
	"tattle/release"
)

// quantiles maps five values to the levels of a summary, infinities to nil.
func quantiles(v ...float64) map[string]*float64 {
	m := map[string]*float64{}
	for i, k := range []string{"0.05", "0.25", "0.5", "0.75", "0.95"} {
		m[k] = nil
		if !math.IsInf(v[i], 0) {
			m[k] = &v[i]
		}
	}
	return m
}

// full is sample with all that issue by issue came to it: other bounds, attacks,
// floors and ceilings, pairs and a comparison, of the sizes that MNIST gives.
func full(t *testing.T) *Report {
	t.Helper()
	inf, nan := math.Inf(1), Number(math.NaN())
	r := sample(t)
	r.Release.Noise = Noise{Family: "laplace", Sigma: 1.7, Scale: 1}
	r.Release.Projection = &Projection{Kind: "principal", Keep: 20}
	r.Release.Post = &release.Post{Digits: 2}
	r.Release.Queries = 4
	r.Data.Examples, r.Data.Stored = 100, &Stored{As: heldBytes}
	r.Model.Inputs, r.Model.Features = 784, 20
	r.Experiment = &bound.Settings{Runtime: bound.Runtime{Error: 1e-5, From: bound.RuntimeMeasured}}
	r.Utility = Utility{CleanAccuracy: .9756, CleanInterval: [2]float64{.97, .98}, ReleasedAccuracy: .94, ReleasedInterval: [2]float64{.93, .95}, Examples: 10000, Draws: 1}
	row := func(method, search, band, status string, unbounded float64, v ...float64) bound.Summary {
		b := bound.Summary{Method: method, Search: search, Coordinates: "dct", Band: band, Values: 784, StdQuantiles: quantiles(v...), UnboundedFraction: unbounded, Status: status}
		b.Examples = 100
		if search == bound.SearchTwins {
			b.Examples = 10
		}
		switch {
		case search == bound.SearchFar || search == bound.SearchTwins:
			b.Domain = bound.DomainStored
		case method == bound.MethodHCR || method == bound.MethodBarankin:
			b.Domain = bound.DomainFree
		}
		return b
	}
	const all, low = "all", "8x8"
	c, e := bound.StatusCertified, bound.StatusEstimated
	r.Bounds = []bound.Summary{
		row(bound.MethodCramerRaoAxis, "", all, e, 0, .04, .06, .08, .1, .2), row(bound.MethodCramerRaoAxis, "", low, e, 0, .03, .05, .07, .1, .2),
		row(bound.MethodHCR, "algorithm1", all, c, 0, .1, .15, .2, .3, .5), row(bound.MethodHCR, "algorithm1", low, c, 0, .1, .16, .22, .3, .5),
		row(bound.MethodCramerRao, "", all, e, 1, .2, .4, .57, .8, 1.2), row(bound.MethodCramerRao, "", low, e, 1, .3, .5, .65, .9, 1.3),
		row(bound.MethodBarankin, "", all, c, 0, .2, .4, .56, .8, 1.2), row(bound.MethodBarankin, "", low, c, 0, .3, .5, .64, .9, 1.3),
		row(bound.MethodHCR, bound.SearchFar, all, c, .1, .3, .6, 900, 8e6, inf), row(bound.MethodHCR, bound.SearchFar, low, c, .1, .4, .8, 1.4, 3, inf),
		row(bound.MethodHCR, bound.SearchTwins, all, c, .98, inf, inf, inf, inf, inf), row(bound.MethodHCR, bound.SearchTwins, low, c, 1, inf, inf, inf, inf, inf),
		row(bound.MethodPair, bound.SearchTwins, all, c, 0, .1, .2, .45, .7, 1.3), row(bound.MethodPair, bound.SearchPairs, low, c, 0, .1, .3, .5, .8, 1.4),
		row(bound.MethodPairMeanSquare, bound.SearchPairs, all, c, 0, .5, .6, .75, .8, .9),
	}
	r.Attacks = []Attack{
		{Name: "linear", About: "The best linear map, from 60,000 training images.", Coordinates: "dct", Band: all, RMSQuantiles: quantiles(.01, .05, .15, .3, .7), MeanSquare: .16, Gain: &attack.Gain{MeanSquare: .26, Low: ptr(.2), Confidence: .9995}, Examples: 100, Draws: 4, Status: StatusDemonstrated},
		{Name: "decoder", About: "A network trained on features with noise.", Coordinates: "dct", Band: all, RMSQuantiles: quantiles(.01, .04, .12, .3, .6), MeanSquare: .14, Gain: &attack.Gain{MeanSquare: .28, Low: ptr(.22), Confidence: .9995}, Examples: 100, Draws: 4, Status: StatusDemonstrated},
		{Name: "linear", About: "The best linear map, from 60,000 training images.", Coordinates: "dct", Band: low, RMSQuantiles: quantiles(.2, .5, .75, 1, 1.6), MeanSquare: .9, Gain: &attack.Gain{MeanSquare: .3, Low: ptr(.2), Confidence: .9995}, Examples: 100, Draws: 4, Status: StatusDemonstrated},
		{Name: "decoder", About: "A network trained on features with noise.", Coordinates: "dct", Band: low, RMSQuantiles: quantiles(.2, .5, .7, 1, 1.5), MeanSquare: .8, Gain: &attack.Gain{MeanSquare: .4, Low: ptr(.3), Confidence: .9995}, Examples: 100, Draws: 4, Status: StatusDemonstrated},
	}
	for i, band := range []string{all, low} {
		r.PriorAlone = append(r.PriorAlone, Attack{Name: "prior", About: "The mean.", Coordinates: "dct", Band: band, RMSQuantiles: quantiles(.02, .06, .11, .4, .9), MeanSquare: []float64{.42, 1.2}[i], Examples: 100, Draws: 4, Status: StatusDemonstrated})
	}
	r.FloorsAndCeilings = bands(r.Bounds, r.Attacks, r.PriorAlone)
	r.Lists = fullLists()
	yes, no := true, false
	r.Methods = []MethodRow{
		{Name: "HCR", Search: "published", Status: c, MedianAll: .17, MedianLow: .18, RatioToAlgorithm1: .8, RatioToAuthors: 1},
		{Name: "Barankin", Status: c, MedianAll: .56, MedianLow: .64, AbovePrior: &yes, AbovePriorLow: &no, RatioToAlgorithm1: 2.8, RatioToAuthors: 3.4},
		{Name: "HCR, twins", Search: bound.SearchTwins, Status: c, MedianAll: Number(inf), Unbounded: true, MedianLow: Number(inf), UnboundedLow: true, RatioToAlgorithm1: nan, RatioToAuthors: nan, UnboundedFraction: .98, Notes: []bound.Note{{Kind: bound.NoteTwins, Examples: 10}}},
	}
	r.ComparePrior()
	o := original{index: 5, label: 3, name: "three", shape: []int{1, 2, 2}, theta: []float32{0, 1, .5, .25}, denormalize: func(x float64, _ int) float64 { return x }}
	for _, p := range []Pair{{Search: bound.SearchTwins, Kind: "farthest", Domain: bound.DomainStored, Guessed: .5002, ZNorm: 1e-12, Allowance: 1e-9}, {Search: bound.SearchTwins, Kind: "nearest to example 17", Domain: bound.DomainStored, Guessed: .512, ZNorm: .1, Allowance: 1e-9}} {
		must.Do(t, r.addPair(o, []float64{1, 0, 0, 1}, .2, p))
	}
	must.Do(t, r.Gallery[0].addAttack(o, "decoder", []float32{0, .9, .4, .3}))
	return r
}

// TestAbovePrior: floors of unbiased estimators above what guessing the mean errs by are marked in
// JSON, tables, floors and ceilings, comparison and sentences; a floor below is not,
// and what was not compared is said not to be.
func TestAbovePrior(t *testing.T) {
	r := full(t)
	for _, b := range r.Bounds {
		prior := .11 // the median of both of the prior's rows
		switch {
		case b.Pair():
			if b.AbovePrior != nil {
				t.Errorf("%s was compared", b.Method)
			}
		case b.AbovePrior == nil || *b.AbovePrior != (b.Quantile(.5) > prior):
			t.Errorf("%s %s %s, median %v: %v", b.Method, b.Search, b.Band, b.Quantile(.5), b.AbovePrior)
		}
	}
	for _, c := range floorColumns {
		m := c.of(r.FloorsAndCeilings.Bands[0])
		floor := c.head == "near floor" || c.head == "far" || c.head == "twins"
		if want := floor && (m.unbounded() || m.Error > .11); isAbove(m.AbovePrior) != want {
			t.Errorf("%s, %v: %v", c.head, m.Error, m.AbovePrior)
		}
	}
	text, page := rendered(t, r)
	text = strings.Join(strings.Fields(text), " ")
	for _, want := range []string{
		"† Vacuous for adversaries who know the prior", "Barankin all† free 0.2 0.4 0.56", "100 inputs. This floor is vacuous for adversaries who know the prior: guessing the mean",
	} {
		if !strings.Contains(strings.ReplaceAll(text, "†:", "†"), want) {
			t.Errorf("the text does not say %q\n%s", want, text)
		}
	}
	if !strings.Contains(page, "<td>all†</td>") || strings.Contains(text, "Cramér-Rao, axis all†") {
		t.Error("the wrong rows are marked")
	}
	r.PriorAlone = nil
	r.ComparePrior()
	text, _ = rendered(t, r)
	if text = strings.Join(strings.Fields(text), " "); !strings.Contains(text, "No floor was compared with guessing the mean of the training data") || r.Bounds[0].AbovePrior != nil {
		t.Errorf("it is not said that nothing was compared\n%s", text)
	}
}

// bands are the floors and ceilings of rows: over all coordinates and over the low band, also under
// the name of an octave.
func bands(bounds []bound.Summary, attacks, prior []Attack) *FloorsAndCeilings {
	f := &FloorsAndCeilings{}
	for i, b := range []BandMarks{{Name: "all", Of: "dct", Coordinates: 784}, {Name: "modes 2–3", Of: "dct", Coordinates: 12}, {Name: "8x8", Of: "dct", Coordinates: 64}} {
		band := []string{"all", "8x8", "8x8"}[i]
		for _, s := range bounds {
			switch {
			case s.Band != band:
			case s.Method == bound.MethodHCR || s.Method == bound.MethodBarankin:
				b.addFloor(s, s.Quantile(.5), s.UnboundedFraction)
			}
		}
		for _, a := range attacks {
			if a.Band == band {
				b.addAttack(&Mark{Name: a.Name, Status: a.Status, Examples: a.Examples, Error: Number(a.RMS()), Gain: a.Gain})
			}
		}
		if p := rowOfBand(prior, band); p != nil {
			b.addPrior(&Mark{Status: p.Status, Examples: p.Examples, Error: Number(p.RMS())}, p.Quantile(.5))
		}
		f.Bands = append(f.Bands, b)
	}
	return f
}

// TestSentencesAreHonest checks what is said of each kind of claim.
func TestSentencesAreHonest(t *testing.T) {
	says := func(r *Report, want ...string) {
		t.Helper()
		all := strings.Join(r.Sentences(), "\n")
		for _, w := range want {
			if yes := !strings.HasPrefix(w, "!"); strings.Contains(all, strings.TrimPrefix(w, "!")) != yes {
				t.Errorf("%q in:\n%s", w, all)
			}
		}
	}
	r := released(t)
	says(r, "Input sometimes identified. An adversary", "knows only the distribution of inputs errs by at least 43.4 grey levels of 255, root mean square")
	r.Lists.Processed = true // only upper limits hold for what is processed after the noise
	says(r, "Identification not excluded. An adversary with a list of 59,998 candidates", "names the right one in at most 11.2 % of releases", "!10.2 %", "!Input sometimes identified")
	r.Lists.Processed = false
	h := *r.Lists.Holder
	h.List.Inputs, h.First = 2, bayes.Limit{Mean: .52, Low: .505, High: .53} // guessing
	r.Lists.Holder = &h
	says(r, "Input sometimes identified", "names the right one in at most 53.0 % of releases (guessing: 50 %)", "!Input identified")
	h.First.Low = .5 // guessing is within the limits
	says(r, "Identification not excluded. An adversary", "!Input sometimes identified")
	h.First = bayes.Limit{Mean: .5, Low: .495, High: .5049}
	says(r, "!Input sometimes identified")
	r = full(t)
	r.Lists = nil
	says(r, "errs by at least 44 grey levels of 255 (0.56 normalised) in half", "!70740",
		"an estimator that is unbiased among any real numbers errs",
		"For 98 % of the cosine modes of the 10 of 100 inputs that were tried, another input has the same features up to rounding and the runtime's error: unbiased estimators cannot resolve them, among inputs as 8-bit pixels.", "!without limit", "!legal", "!exactly the same",
		"the best of 2 attacks (decoder) errs by 29.4 grey levels of 255 (0.374 normalised), root mean square over all cosine modes of the 100 inputs with 4 draws of the noise each", "without the release, errs by 50.9", "99.9 % confidence", "rounded to 2 decimals", "released 4 times", "20 numbers kept", "Student's t (5 degrees")
	r.Attacks[1].Gain.Low = ptr(-.01)
	says(r, "!Demonstrated: the best of", "for the inputs of this run alone: the best of 2 attacks (decoder) errs by 29.4", "without the release, by 50.9", "do not show that it errs by less for others", "!No attack that ran")
	if v := r.releaseLead(); !strings.Contains(v.Says, "n the 100 inputs that it ran on, the best attack errs by 29.4 grey levels") {
		t.Errorf("a lead on the inputs of the run: %+v", v)
	}
	r.Attacks[1].Gain.MeanSquare = -.01
	says(r, "!Demonstrated: the best of", "No attack that ran is shown to come closer than guessing the mean", "errs by 50.9", "A better attack may come closer")
	r.Attacks = nil
	says(r, "!Demonstrated: the best of", "Guessing the mean", "No attack was run to compare with", "is biased and may err by less")
	r.Bounds[7].StdQuantiles = quantiles(.2, .4, .56, .8, 1.2)
	says(r, "in half of the cosine modes of the 100 inputs. This floor is vacuous for adversaries who know the prior: ")
	r.Bounds = slices.DeleteFunc(r.Bounds, func(b bound.Summary) bool { return kindOf(b).search == "" })
	says(r, "errs by more than 100 times the whole range of the data in half")
	for i := range r.Bounds {
		r.Bounds[i].Status = bound.StatusEstimated
	}
	r.Release.Noise.Estimated = true
	says(r, "No bound is certified", "itself an estimate", "!Certified:")
	r.Release.NoBounds = "only the label leaves."
	says(r, "No bound holds for this release: only the label leaves.")
}

// TestBandMarks: a floor that is certified goes before one that is estimated, then the larger one, and
// the nearest attack before the others.
func TestBandMarks(t *testing.T) {
	b := full(t).FloorsAndCeilings.Bands[0]
	if b.Near.Error != .56 || b.Attack.Error != Number(math.Sqrt(.14)) || b.Prior.Error != Number(math.Sqrt(.42)) {
		t.Errorf("%+v", b)
	}
	b = BandMarks{}
	for i, status := range []string{bound.StatusEstimated, bound.StatusCertified, bound.StatusCertified, bound.StatusCertified, bound.StatusEstimated} {
		b.addFloor(bound.Summary{Method: bound.MethodHCR, Search: "direct", Status: status}, []float64{9, 1, 3, 2, 10}[i], 0)
	}
	if b.Near.Error != 3 {
		t.Errorf("%+v", b.Near)
	}
}

// TestNoTenDigits: a figure that means nothing to a reader any more is not printed in full.
func TestNoTenDigits(t *testing.T) {
	r := full(t)
	for _, c := range floorColumns {
		if m := c.of(r.FloorsAndCeilings.Bands[0]); !m.Unbounded {
			m.Error = 1e9
		}
	}
	r.FloorsAndCeilings.Bands = r.FloorsAndCeilings.Bands[:1]
	r.Bounds[6].StdQuantiles = quantiles(1, 1e4, 1e9, 1e12, 1e15)
	var text, page bytes.Buffer
	must.Do(t, r.WriteDetails(&text))
	must.Do(t, r.WriteHTML(&page))
	page.WriteString(text.String())
	for _, s := range regexp.MustCompile(`data:image[^"]*`).Split(page.String(), -1) {
		if m := regexp.MustCompile(`[0-9]{10}`).FindString(s); m != "" {
			t.Errorf("ten digits: %s", m)
		}
	}
}

// A column of a table whose name begins with mode is no cosine mode.
func TestModes(t *testing.T) {
	cars := FloorsAndCeilings{Bands: []BandMarks{{Name: "model", Of: "columns", Coordinates: 1}}}
	if cars.modes() {
		t.Error("a column named model is a cosine mode")
	}
}

// TestPairsTogether sums up pairs, and never says that features are the same.
func TestPairsTogether(t *testing.T) {
	near := Pair{Search: bound.SearchTwins, RMS: 20, Allowance: 1e-3, Domain: bound.DomainStored, Guessed: .5002}
	far := Pair{Search: bound.SearchTwins, RMS: 30, ZNorm: .1, Allowance: 1e-3, Domain: bound.DomainStored, Guessed: .52}
	odd := far
	odd.Guessed = Number(math.NaN())
	r := &Report{Data: Data{Stored: &Stored{As: heldBytes}}}
	for want, pairs := range map[string][]Pair{
		"2 pairs of inputs, among inputs as 8-bit pixels, 20 to 20 grey levels apart, with features at most 0.001 apart. An adversary who knows that the input is one of the two, both equally likely, guesses from the release which one with a probability of at most 50.0": {near, near},
		"2 pairs of inputs, among inputs as 8-bit pixels, 20 to 30 grey levels apart, with features at most 0.101 apart. An adversary who knows that the input is one of the two, both equally likely, guesses from the release which one with a probability of at most 52":   {near, far},
		"1 pair of inputs, among inputs as 8-bit pixels, 30 grey levels apart, with features at most 0.101 apart.":                                                                                                                                                            {odd},
	} {
		r.Pairs = pairs
		if got := r.twinsTogether(); !strings.HasPrefix(got, want) || len(pairs) == 1 && got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// fullLists are limits from two lists, with an attribute.
func fullLists() *measure.ListFigures {
	near := func(mean, off float64) bayes.Limit { return bayes.Limit{Mean: mean, Low: mean - off, High: mean + off} }
	known := []measure.BandLimit{{Band: bound.AllBand, Coordinates: 784, MeanSquare: near(.396, .02), Prior: .43}, {Band: "modes 2–3", Coordinates: 12, MeanSquare: near(.9, .1), Prior: 1.2}}
	floors := func(anybody float64) []measure.BandFloor {
		return []measure.BandFloor{{Band: bound.AllBand, Coordinates: 784, Anybody: anybody, Prior: .43}, {Band: "modes 2–3", Coordinates: 12, Anybody: anybody / 2, Prior: 1.2}}
	}
	bits, fano, area := 8.1, .58, near(.81, .03)
	inferred := func(anybody float64) []measure.InferredLimit {
		var most *float64
		if anybody > 0 {
			most = &[]float64{.93}[0]
		}
		return []measure.InferredLimit{{Name: "writer", GuessLimit: measure.GuessLimit{Majority: .516, Right: near(.69, .02), Bits: near(.11, .01), Anybody: anybody, AnybodyBits: anybody / 3}, AnybodyAUC: most, Classes: []string{"employee", "student"}, AUC: &area, Attacks: []measure.InferredAttack{{Name: "posterior", Right: classify.ProportionOf(640, 1000)}},
			Given: &measure.GivenLimit{Target: "digit", GuessLimit: measure.GuessLimit{Majority: .53, Right: near(.71, .02), Bits: near(.12, .01), Anybody: min(1, anybody*1.03), AnybodyBits: anybody / 2}}}}
	}
	test := measure.ListUsed{Name: "the test part", Path: "mnist", Split: "test", SHA256: "cd", Of: 10000}
	sample := func(n int, anybody float64) measure.Population {
		test.Inputs = n
		return measure.Population{List: test, Draws: 2000, Floors: floors(anybody), Inferred: inferred(.74)}
	}
	return &measure.ListFigures{Draws: 2000, NoiseFrom: measure.SigmaFrom, Attributes: []string{"writer"}, Shared: 3, LeftOut: []string{"limits on inferring age: the test part does not have it"},
		Holder: &measure.ListHolder{List: measure.ListUsed{Name: "the training part", Path: "mnist", Split: "train", SHA256: "ab", Of: 60000, Inputs: 59998, Merged: 2}, Draws: 2000,
			First: near(.102, .01), Ten: near(.31, .02), Rank: near(900, 100), Bits: near(7.7, .1), BitsMost: &bits, Fano: &fano, Floors: known, Inferred: inferred(0)},
		Anybody: []measure.Population{sample(1000, 0), sample(10000, .306)}}
}

// TestUnevenList: where one input stands for many of the list, the limits say that they take all different
// inputs to be equally likely, and how frequent the commonest is.
func TestUnevenList(t *testing.T) {
	r := full(t)
	r.Lists = fullLists()
	h := r.Lists.Holder
	for commonest, want := range map[int]bool{0: false, 3: false, 300: true, 30000: true} {
		h.List.Commonest = commonest
		lead := r.identifiedSays() + r.identified()
		if got := strings.Contains(lead, "equally likely"); got != want {
			t.Errorf("%d equal inputs: %s", commonest, lead)
		}
	}
	h.List.Commonest = 30000
	if lead := r.identifiedSays(); !strings.Contains(lead, "the commonest input is 50.0 % of all") {
		t.Error(lead)
	}
	h.First.Low, h.First.High, r.Attacks = 0, .001, nil
	if v := r.releaseLead(); v.Badge != "Common inputs are guessed without the release" {
		t.Errorf("%+v", v)
	}
}
