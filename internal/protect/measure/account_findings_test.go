package measure

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"tattle/internal/data/dataset"
	"tattle/internal/engine/nn"
	"tattle/internal/math/stat"
	"tattle/internal/must"
	"tattle/internal/protect/attack"
	"tattle/internal/protect/bayes"
	"tattle/internal/protect/bound"
	"tattle/internal/protect/release"
	"tattle/internal/report"
)

// fromSample are limits from one sample of 100 inputs.
func fromSample(change func(p *Population)) *ListFigures {
	p := Population{List: ListUsed{Inputs: 100, Name: "the sample", SHA256: "s"}, Floors: []BandLimit{{Band: bound.AllBand, Prior: 1, Anybody: .25}}}
	if change != nil {
		change(&p)
	}
	return &ListFigures{Anybody: []Population{p}}
}

// bounds are those of a resolved run.
func bounds(e bound.Experiment, rows ...bound.Summary) *bound.Result {
	e.Noise, e.Rounding = release.Gaussian{Sigma: 1}, bound.RoundingProved
	return &bound.Result{Experiment: e, Summaries: rows}
}

// near is a certified row of that median.
func near(median float64) bound.Summary {
	return bound.Summary{Method: bound.MethodHCR, Search: bound.Direct, Band: bound.AllBand, Status: bound.StatusCertified, Quantiles: []float64{0, 0, median, 0, 0}}
}

// What stands beside a verdict is all that was found, but what the verdict says itself; what limits it is what was not looked at.
func TestFindings(t *testing.T) {
	evidence := func(verdict string) func(a *account) { return func(a *account) { a.evidence(verdict) } }
	closer := &Attacks{Results: []*attack.Result{reached("near", 20, 1)}, PriorAlone: reached("prior", 20, 2)}
	here := &Attacks{Results: []*attack.Result{reached("near", 1, 1)}, PriorAlone: reached("prior", 1, 2)}
	worse := &Attacks{Results: []*attack.Result{reached("near", 1, 2)}, PriorAlone: reached("prior", 1, 2)}
	seen := &Attacks{Results: []*attack.Result{reached("near", 1, 2)}, PriorAlone: reached("prior", 1, 2)}
	seen.Results[0].Recognised = .9
	utility := func(clean, released float64) *release.Utility {
		return &release.Utility{Clean: release.Accuracy{Fraction: clean}, Released: release.Accuracy{Fraction: released}}
	}
	columns := must.Get(bound.Columns([]bound.Column{{Name: "age", Width: 4, Keep: 1, Unit: 10}}, 4))(t)
	legal := boxDomain(-1, 1)
	for name, c := range map[string]struct {
		change func(a *account)
		run    func(a *account)
		want   string
	}{
		"nothing":            {nil, evidence(""), "released"},
		"data":               {func(a *account) { a.q.Data = spread(4, 1) }, evidence(""), "released cost.unknown"},
		"closer":             {func(a *account) { a.at = closer }, evidence(""), "attack.closer released"},
		"reconstructed":      {func(a *account) { a.at = closer }, evidence("reconstructed"), "released"},
		"here":               {func(a *account) { a.at = here }, evidence(""), "attack.here released"},
		"reconstructed here": {func(a *account) { a.at = here }, evidence("reconstructed.here"), "released"},
		"worse":              {func(a *account) { a.at = worse }, evidence(""), "attack.not_closer released"},
		"no attack closer":   {func(a *account) { a.at = worse }, evidence("no_attack_closer"), "released"},
		"seen":               {func(a *account) { a.at = seen }, evidence(""), "attack.not_closer attack.recognised released"},
		"recognised":         {func(a *account) { a.at = seen }, evidence("recognised"), "attack.not_closer released"},
		"hidden":             {func(a *account) { a.lists = &ListFigures{Hidden: &HiddenFigures{}} }, evidence(""), "hidden released"},
		"no cost":            {func(a *account) { a.m.Utility = utility(.75, .75) }, evidence(""), "released cost.none"},
		"cost":               {func(a *account) { a.m.Utility = utility(.75, .5) }, evidence(""), "released cost"},
		"database": {func(a *account) {
			a.q.Use, a.m.Utility = &release.Use{}, &release.Utility{Database: 9, Pairs: 5}
		}, evidence(""), "released cost.none cost.database cost.pairs"},
		"database alone": {func(a *account) { a.q.Use, a.m.Utility = &release.Use{}, &release.Utility{Database: 9} }, evidence(""), "released cost.none cost.database"},
		"rows":           {func(a *account) { a.vacuousRows = []string{"a"} }, evidence(""), "released vacuous.rows"},
		"sample":         {func(a *account) { a.lists = fromSample(nil) }, evidence(""), "floor released"},
		"no floor":       {func(a *account) { a.lists = fromSample(func(p *Population) { p.Floors[0].Anybody = 9e-5 }) }, evidence(""), "floor.none released"},
		"people": {func(a *account) {
			a.lists = fromSample(func(p *Population) {
				p.Weaker, p.Inferred = &Weaker{People: 9, Enough: 10}, []InferredLimit{{Weaker: &Weaker{People: 9, Enough: 9}}, {}}
			})
		}, evidence(""), "floor floor.rows floor.rows.enough guess.rows released"},
		"columns": {func(a *account) {
			a.c, a.setup.Data.Columns = columns, []bound.Column{{Name: "job", Unit: 0}, {Name: "age", Unit: 10}}
			a.lists = fromSample(func(p *Population) {
				p.Floors = append(p.Floors, BandLimit{Band: "age", Prior: 1, Anybody: .01}, BandLimit{Band: "age", Prior: 1, Anybody: 9e-5}, BandLimit{Band: "job", Prior: 1, Anybody: 1})
			})
		}, evidence(""), "floor floor.column released"},
		"bounds":       {func(a *account) { a.m.Bounds = bounds(bound.Experiment{}, near(1)) }, evidence("bounded"), "unbiased.uncompared rounding.proved released"},
		"uncertified":  {func(a *account) { a.m.Bounds = bounds(bound.Experiment{}) }, evidence("uncertified"), "rounding.proved released"},
		"no bound":     {func(a *account) { a.m.Bounds = bounds(bound.Experiment{}) }, evidence(""), "unbiased.none rounding.proved released"},
		"few features": {func(a *account) { a.m.Bounds, a.setup.Features = bounds(bound.Experiment{}), 3 }, evidence("uncertified"), "fewer rounding.proved released"},
		"below the prior": {func(a *account) {
			a.m.Bounds, a.prior, a.mean = bounds(bound.Experiment{}, near(1)), []attack.Row{{Band: bound.AllBand, Median: 1}}, true
		}, evidence("bounded"), "rounding.proved released"},
		"below the middle": {func(a *account) {
			a.m.Bounds, a.prior = bounds(bound.Experiment{}, near(1)), []attack.Row{{Band: bound.AllBand, Median: 1}}
		}, evidence("bounded"), "unbiased.uncompared rounding.proved released"},
		"unbounded": {func(a *account) {
			twins := near(math.Inf(1))
			twins.Search, twins.UnboundedFraction = bound.SearchTwins, .5
			a.m.Bounds = bounds(bound.Experiment{Settings: bound.Settings{Runtime: bound.Runtime{Error: 1e-6, From: bound.RuntimeGiven}}}, near(math.Inf(1)), twins)
			a.m.Bounds.Experiment.Reasons = []string{"x"}
		}, evidence("bounded"), "unbiased.unbounded unbiased.uncompared twins sought rounding.proved runtime released"},

		"limits of nothing":  {nil, (*account).limits, "limits.no_attack"},
		"no noise":           {func(a *account) { a.q.Experiment.Noise = release.None{} }, (*account).limits, "limits.none limits.no_attack"},
		"attacks":            {func(a *account) { a.at = worse }, (*account).limits, "limits.attacks"},
		"left out":           {func(a *account) { a.m.Learned = &Learned{LeftOut: []string{"x"}} }, (*account).limits, "left_out limits.no_attack"},
		"adversary left out": {func(a *account) { a.q.Adversaries = &Adversaries{LeftOut: "x"} }, (*account).limits, "warning limits.no_attack"},
		"adversaries":        {func(a *account) { a.q.Adversaries = &Adversaries{} }, (*account).limits, "limits.no_attack"},
		"itself": {func(a *account) {
			a.at, a.setup.Learned, a.Data = worse, report.File{Name: "a", SHA256: "1"}, report.Data{Path: "b", SHA256: "1"}
		}, (*account).limits, "limits.attacks limits.itself"},
		"the same part": {func(a *account) {
			a.at, a.setup.Learned, a.Data = worse, report.File{Name: "a", SHA256: "1"}, report.Data{Path: "a", Part: "train", SHA256: "2"}
		}, (*account).limits, "limits.attacks limits.itself"},
		"another part": {func(a *account) {
			a.at, a.setup.Learned, a.Data = worse, report.File{Name: "a", SHA256: "1"}, report.Data{Path: "a", Part: "test", SHA256: "2"}
		}, (*account).limits, "limits.attacks"},
		"glyphs": {func(a *account) {
			a.at, a.setup.Learned, a.Data = worse, report.File{Name: dataset.KindGlyphs, SHA256: "1"}, report.Data{Path: dataset.KindGlyphs, Part: "train", SHA256: "2"}
		}, (*account).limits, "limits.attacks"},
		"few":   {func(a *account) { a.q.Data, a.q.Indices = spread(4, 1), []int{0, 1, 2} }, (*account).limits, "limits.no_attack limits.examined"},
		"every": {func(a *account) { a.q.Data, a.q.Indices = spread(4, 1), []int{0, 1, 2, 3} }, (*account).limits, "limits.no_attack"},
		"guesses": {func(a *account) {
			a.q.Data, a.q.Indices, a.m.Utility = spread(100, 1), nn.Indices(100), utility(.5, .5)
		}, (*account).limits, "warning limits.no_attack"},
		"better than guessing": {func(a *account) {
			a.q.Data, a.q.Indices, a.m.Utility = spread(100, 1), nn.Indices(100), utility(.51, .5)
		}, (*account).limits, "limits.no_attack"},
		"vectors": {func(a *account) {
			a.q.Data, a.q.Indices, a.m.Utility, a.q.Use = spread(100, 1), nn.Indices(100), utility(.5, .5), &release.Use{}
		}, (*account).limits, "limits.no_attack"},
		"free": {func(a *account) {
			a.m.Bounds = bounds(bound.Experiment{Settings: bound.Settings{Far: bound.FarOptions{Domain: legal}, Search: bound.SearchOptions{Search: bound.Published}}}, bound.Summary{Method: bound.MethodPair})
			a.setup.Data.Stored = &Stored{As: StoredFloat32}
		}, (*account).limits, "limits.free limits.storage limits.published limits.pairs limits.unbiased limits.no_attack"},
		"stored": {func(a *account) {
			a.m.Bounds = bounds(bound.Experiment{Settings: bound.Settings{Domain: bound.Domain{Low: legal.Low, High: legal.High, Grid: make([]bound.Values, 1)}, Far: bound.FarOptions{Domain: legal}}})
			a.setup.Data.Stored = &Stored{As: StoredFloat32}
		}, (*account).limits, "limits.stored limits.unbiased limits.no_attack"},
		"bytes": {func(a *account) {
			a.m.Bounds = bounds(bound.Experiment{Settings: bound.Settings{Far: bound.FarOptions{Domain: legal}}})
			a.setup.Data.Stored = &Stored{As: StoredBytes}
		}, (*account).limits, "limits.free limits.unbiased limits.no_attack"},
		"no list": {func(a *account) { a.lists = &ListFigures{LeftOut: []string{"x"}} }, (*account).limits, "limits.no_attack left_out"},
		"holder": {func(a *account) {
			a.lists = &ListFigures{Processed: true, Holder: &ListHolder{List: ListUsed{Inputs: 9, Merged: 1, Commonest: 9}}}
		}, (*account).limits, "limits.no_attack limits.list limits.processed limits.frequencies"},
		"own list": {func(a *account) {
			a.lists, a.setup.Data.GreyLevels = fromSample(nil), 1
			a.lists.Holder = &ListHolder{List: ListUsed{Inputs: 9, SHA256: "s"}}
		}, (*account).limits, "limits.no_attack limits.list limits.own_list limits.conditions"},
		"a sample": {func(a *account) {
			a.lists = fromSample(nil)
			a.lists.Holder, a.lists.Shared, a.lists.NoiseFrom = &ListHolder{List: ListUsed{Inputs: 9}}, 2, SigmaFrom
		}, (*account).limits, "limits.no_attack limits.list limits.conditions limits.shared limits.sigma limits.range"},
		"a ball": {func(a *account) {
			a.lists, a.setup.Release.FromTraining = fromSample(func(p *Population) { p.Apart = 3 }), true
		}, (*account).limits, "limits.no_attack limits.list limits.conditions limits.training_noise limits.balls"},
		"a clip": {func(a *account) {
			a.lists, a.setup.Release.FromTraining, a.setup.Data.GreyLevels = fromSample(nil), true, 1
			a.lists.NoiseFrom = ClipFrom
		}, (*account).limits, "limits.no_attack limits.list limits.conditions limits.clip"},
	} {
		a := accountOf(release.Gaussian{Sigma: 1})
		a.setup.Release.Family = "gaussian"
		if c.change != nil {
			c.change(a)
		}
		c.run(a)
		var codes []string
		for _, f := range a.Findings {
			codes = append(codes, f.Code)
		}
		want := strings.Fields(c.want)
		if slices.Sort(codes); !slices.Equal(codes, slices.Sorted(slices.Values(want))) {
			t.Errorf("%s: %q, want %q", name, codes, want)
		}
	}
}

// boxDomain is a range of four inputs.
func boxDomain(low, high float64) bound.Domain {
	return bound.Domain{Low: slices.Repeat([]float64{low}, 4), High: slices.Repeat([]float64{high}, 4)}
}

// Where one input in a hundred may be identified beyond guessing, a command is named that reads the same data and limits it to that.
func TestAdvice(t *testing.T) {
	a := accountOf(nil)
	a.Model.Path, a.Data.Path = "a model.onnx", "b.csv"
	a.lists = &ListFigures{Holder: &ListHolder{List: ListUsed{Inputs: 2}, First: bayes.Limit{High: .5049}}}
	a.advise()
	a.says(t, nil)
	a.lists.Holder.First.High = .505
	a.setup.Reading = Reading{Inputs: Inputs{Target: "y", Sensitive: []string{"s", "t"}, SkipMissing: true}}
	a.advise()
	a.q.Use = &release.Use{Task: "recall", Metric: "euclidean", Noise: release.NoiseQuery}
	a.setup.Reading = Reading{Inputs: Inputs{Vectors: true, Columns: []string{"e_*"}}}
	a.advise()
	a.says(t, []string{"advice.identified", "advice.design", "advice.identified", "advice.design"})
	for i, want := range map[int]string{1: "tattle design --model 'a model.onnx' --data b.csv --target y --sensitive s --sensitive t --skip-missing --identify 1%",
		3: "tattle design --model 'a model.onnx' --vectors b.csv --columns 'e_*' --utility recall --metric euclidean --identify 1%"} {
		if got := strings.Join(a.Findings[i].Args, " "); got != want {
			t.Errorf("advice %q, want %q", got, want)
		}
	}
}

// The conditions of limits without a list name what was drawn, and what may not depend on it.
func TestConditions(t *testing.T) {
	a := accountOf(nil)
	a.lists = fromSample(nil)
	first := a.conditions()
	if want := "the 100 inputs of the sample are independent draws from the distribution of inputs; the model was not trained on them; " +
		"no setting of the release (features, projection, kind of noise, strength) was chosen by results on them"; first != want {
		t.Errorf("conditions %q, want %q", first, want)
	}
	a.lists.NoiseFrom, a.q.Spec.ClipNorm, a.lists.Look, a.lists.Anybody[0].List.People = SigmaFrom, 1, 1, 7
	if want := "the 7 people of the sample are independent draws from the distribution of people; 100 inputs of theirs, drawn at random, are used; the model was trained on no input of theirs; " +
		"no setting of the release (features, projection, kind of noise, clip of the norm and its center) was chosen by results on them but for the looks, whose strengths were fixed before and which share the confidence"; a.conditions() != want {
		t.Errorf("conditions %q, want %q", a.conditions(), want)
	}
}

// A report has what was measured: each part's claims if it ran, and none of it if it did not.
func TestReportOfParts(t *testing.T) {
	front := must.Get(nn.NewNet(nn.NewBuilder("flat", 4).Graph))(t)
	accuracy := func(x float64) release.Accuracy {
		return release.Accuracy{Fraction: x, Interval: stat.Interval{Low: x / 2, High: 1.25 * x}}
	}
	whole := &Measured{Utility: &release.Utility{Examples: 20, Clean: accuracy(.75), Released: accuracy(.5), Database: 30, Pairs: 4}, Timing: map[string]time.Duration{"accuracy": time.Second},
		Learned: &Learned{Attacks: &Attacks{Results: []*attack.Result{reached("near", 3, 1, 1, 1, 1)}}, Timing: map[string]time.Duration{"lists": 2 * time.Second},
			Listed: fromSample(nil)},
		Bounds: bounds(bound.Experiment{Coordinates: bound.Pixels(4)}, near(1))}
	whole.Bounds.Kinds, whole.Bounds.SHA256 = []*bound.Bounds{{Search: bound.Direct, Tried: 1, Std: []float64{1, 1, 1, 1}}}, "b"
	whole.Learned.Listed.Holder = &ListHolder{List: ListUsed{Inputs: 9}, Exposed: &ExposureFigures{Quantile: make([]float64, 4)}}
	for _, m := range []*Measured{{}, whole} {
		m.Split = &Split{Node: "a", Front: front}
		q := &Request{Release: Release{Spec: release.Spec{ClipNorm: 1}}, Indices: []int{5, 6, 7}, Experiment: bound.Experiment{Noise: release.Gaussian{Sigma: 1}, Coordinates: bound.Pixels(4)}, Use: &release.Use{}, Adversaries: &Adversaries{}}
		r := must.Get(q.Report(m, Origin{Notes: []string{"a note"}}))(t)
		for _, id := range []string{"identified", "exposed.q50", "floor", "error", "q50", "accuracy"} {
			if has := slices.ContainsFunc(r.Claims, func(c report.Claim) bool { return c.ID == id }); has != (m == whole) {
				t.Errorf("claims of %s: %t", id, has)
			}
		}
		if r.Data.Examples != 3 || r.Findings[1].Code != "note" || r.Claim("worst", WorstNames(100)) == nil {
			t.Errorf("%d examples, findings %+v", r.Data.Examples, r.Findings)
		}
		if m != whole {
			continue
		}
		a := &account{Report: &report.Report{}}
		a.accuracy(m.Utility)
		of := func(id, subject string, x float64) report.Claim {
			return claimed(id, subject, "", report.Measured, 20, report.Within(x, x/2, 1.25*x, report.Share, .95))
		}
		a.says(t, nil, of("accuracy", "", .5), of("accuracy.clean", "", .75), of("answers", "clean", .75), of("answers", "as released", .5),
			claimed("accuracy.cost", "", "", report.Measured, 20, report.Exactly(.25, report.Points)),
			claimed("database", "", "", report.Measured, 0, report.Exactly(30, report.Count)), claimed("pairs", "", "", report.Measured, 0, report.Exactly(4, report.Count)))
		if r.Timing["accuracy"] != 1 || r.Timing["lists"] != 2 || len(r.Files) != 1 || r.Files[0].SHA256 != "b" {
			t.Errorf("timing %v, files %v", r.Timing, r.Files)
		}
	}
}
