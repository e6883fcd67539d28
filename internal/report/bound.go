package report

func init() {
	layouts["bound"], layouts["demo"], layouts[""] = boundLayout, boundLayout, boundLayout
}

// boundLayout shows what a release gives away.
var boundLayout = &layout{
	tiles: []tileOf{
		{"Identification", "identified", "of releases, at most {identified.high}; guessing: {identified@guessing}"},
		{"Exposure", "exposed.q99", "of releases name the 1 % most exposed, or more (estimated)"},
		{"Whatever the data", "worst.own", "of releases name the right one, at most; guessing: {worst.own@without the release}"},
		{"Best attack", "attack", "RMS error; inputs attacked: {attack.n}; without the release: {attack@without the release}"},
		{"Floor without a list", "floor", "least RMS error of an adversary without a list; guessing the mean: {floor@without the release}"},
		{"Cost in {score}", "accuracy.cost", "{accuracy.clean} to {accuracy}"},
		{"Floor, unbiased only", "bound", "for unbiased estimators, median over coordinates"},
	},
	sections: []sectionOf{
		{title: "Originals, and reconstructions", parts: []partOf{
			{says: "An input beside the best reconstructions that the bounds allow an unbiased adversary, and beside what the best attack made of a release.", pictures: "input "}}},
		{title: "How close can any adversary come?", parts: []partOf{
			{chart: &intervalsOf{caption: "Error by level of detail", axis: "root mean square error",
				marks: []markOf{{"floor without a list", "floor", ""}, {"best attack", "attack", ""}, {"floor with the list", "floor.list", ""}, {"guessing the mean, sample", "floor", "without the release"}}}},
			{says: "Root mean square errors, each in the unit of its row. Mean: guessing the mean, without the release. Floor: for inputs like the {floor.n} of the sample. With list: for its {candidates} inputs. Attack: for the inputs that it ran on ({attack.n}), as the mean beside it.",
				table: &tableOf{rows: []string{"error of"}, columns: []column{
					{"floor", "floor", "", false}, {"mean, sample", "floor", "@without the release", false}, {"with list", "floor.list", "", false},
					{"attack", "attack", "", false}, {"95 % interval", "attack", "interval", true}, {"mean, attack", "attack", "@without the release", false}, {"inputs", "attack", "n", false}, {"unit", "attack", "unit", false}}}},
			{title: "Limits on guessing sensitive attributes",
				says: "Right guesses: without the release, by the best attack that ran, by the best adversary where known (estimated), and the limit for every adversary.",
				table: &tableOf{rows: []string{"attribute", "knows"}, columns: []column{
					{"majority", "guess.majority", "", false}, {"attack", "guess.attack", "", false}, {"best", "guess.best", "", false}, {"limit", "guess.limit", "most", false}, {"bits", "guess.bits", "most", false}, {"AUC", "guess.auc", "most", false}}}},
		}},
		{title: "Who is exposed?", parts: []partOf{
			{says: "How often single people of the list are named by the adversary who names the likeliest one: {exposed.q99.n} of them, drawn at random. Where nobody says who the inputs are of, each is another person.",
				curves: &curvesOf{id: "exposed", caption: "People who are named in more than a share of releases", x: "share of releases", xUnit: Share, y: "share of people", yUnit: Share}},
			{table: &tableOf{rows: []string{"named in more than"}, columns: []column{{"share of people", "exposed.above", "", false}, {"limits", "exposed.above", "interval", false}}}},
			{says: "Mean share of releases in which people are named, by a sensitive attribute.",
				table: &tableOf{rows: []string{"attribute", "value"}, columns: []column{{"named in", "exposed.group", "", false}, {"limits", "exposed.group", "interval", false}, {"people", "exposed.group", "n", false}}}},
			{says: "The most exposed of those who were drawn, by the place of an input among those that were read.", pictures: "exposed ",
				table: &tableOf{rows: []string{"most exposed"}, columns: []column{{"named in", "exposed.most", "", false}, {"releases", "exposed.most", "n", false}}}},
		}},
		{title: "Whatever the data", parts: []partOf{
			{says: "What no adversary exceeds, for every distribution of inputs, every list and every rule: it follows from the clip of the norm. It is a mean over who the input can be; candidates are equally likely. For a secret of a person, all their releases count. A limit of 99 % or more is vacuous.",
				table: &tableOf{rows: []string{"to"}, columns: []column{{"at most", "worst", "most", false}, {"without the release", "worst", "@without the release", false}}}},
			{says: "Most people of any list who can be named in more than a share of their releases, whatever the rule.",
				table: &tableOf{rows: []string{"named in more than"}, columns: []column{{"people", "worst.exposed", "most", false}}}},
			{title: "In the language of differential privacy", says: "Local, for the releases of one subject together. They bound how much the chance of any output changes if another input takes the place of this one. They say nothing about the model's training data, nor how much can be guessed: the rows above say that.",
				table: &tableOf{rows: []string{"parameter"}, columns: []column{{"at most", "privacy", "most", false}}}}}},
		{title: "What this means", parts: []partOf{{findings: []Part{Meaning}}}},
		{title: "What to do", parts: []partOf{{findings: []Part{Advice}}}},
		{title: "Published figures beside ours", parts: []partOf{{
			says: "A column authors' is by their procedure, run here. Where a published figure was read off a picture, a note says so.",
			table: &tableOf{rows: []string{"quantity"}, columns: []column{
				{"published", "published", "@published", false}, {"here", "published", "", false}, {"authors'", "published", "@authors'", false}}}}}},
		{title: "Limits of these figures", parts: []partOf{{findings: []Part{Limit}}}},
		{title: "The results in sentences", folded: true, parts: []partOf{{findings: []Part{Verdict, Evidence}}}},
		{title: "Adversaries with a list of candidates", folded: true, parts: []partOf{
			{says: "Each limit holds with {identified.confidence} confidence.",
				table: &tableOf{rows: []string{"figure"}, columns: []column{{"value", "holder", "", false}, {"limits", "holder", "interval", false}, {"without the release", "holder", "@without the release", false}}}},
			{title: "Identification by the length of the list",
				says:   "An input of the list, drawn at random, is hidden among others of it. Nothing is claimed of a list that is longer than this one, of {candidates} inputs.",
				curves: &curvesOf{id: "identified", caption: "Inputs that are named with one guess", x: "inputs on the list", y: "share of releases", xUnit: Count, yUnit: Share, dots: true, joined: true, log: true},
				table:  &tableOf{rows: []string{"inputs on the list"}, columns: []column{{"named", "identified.among", "", false}, {"limits", "identified.among", "interval", false}, {"guessing", "identified.among", "@guessing", false}}}},
			{title: "Adversaries without a list, by the size of the sample", says: "A larger sample proves a larger floor; nothing is extrapolated.",
				table: &tableOf{rows: []string{"inputs in the sample"}, columns: []column{{"floor without a list", "floor.sample", "", false}, {"without the release", "floor.sample", "@without the release", false}}}},
		}},
		{title: "The attacks", folded: true, parts: []partOf{{
			says: "Errors of attacks that ran, over the inputs that were examined.",
			table: &tableOf{rows: []string{"band", "attack"}, columns: []column{
				{"error", "error", "", false}, {"95 % interval", "error", "interval", false}, {"gain at least", "gain", "low", false}, {"class recognised", "recognised", "", false}}}}}},
		{title: "Floors for unbiased estimators, and attacks, by band", folded: true, parts: []partOf{{
			says: "Floors are medians over coordinates and inputs, the others root mean squares.",
			table: &tableOf{rows: []string{"band"}, columns: []column{
				{"near floor", "near", "", false}, {"far", "far", "", false}, {"twins", "twins", "", false}, {"attack", "attack", "", false}, {"without the release", "attack", "@without the release", false}}}}}},
		{title: "Pairs with nearly the same features", folded: true, parts: []partOf{
			{says: "On average over the two inputs of a pair, no adversary errs by less than the floor under them.", pictures: "pair "}}},
		{title: "Histograms of the bounds", folded: true, parts: []partOf{{
			says:   "Lower bounds on the standard deviation of any unbiased estimate of one coordinate.",
			curves: &curvesOf{id: "histogram", caption: "Bounds", x: "standard deviation, normalised units", y: "share of bounds", yUnit: Share}}}},
		{title: "Bounds for unbiased estimators, in figures", folded: true, parts: []partOf{{
			says: "Lower bounds on the standard deviation of unbiased estimates, in normalised units, as quantiles over coordinates and inputs.",
			table: &tableOf{rows: []string{"bound", "band, domain"}, columns: []column{
				{"claim", "q50", "kind", true}, {"5%", "q05", "least", false}, {"25%", "q25", "least", false}, {"50%", "q50", "least", false}, {"75%", "q75", "least", false}, {"95%", "q95", "least", false},
				{"no limit", "no_limit", "", false}, {"inputs", "q50", "n", true}, {"prior", "q50", "@prior", true}}}}}},
		{title: "Floors for every adversary, on pairs of inputs", folded: true, parts: []partOf{{
			says: "Lower bounds on the error of every adversary, biased or not, averaged over an input and another one.",
			table: &tableOf{rows: []string{"other input", "error of"}, columns: []column{
				{"claim", "pair.q50", "kind", true}, {"5%", "pair.q05", "", false}, {"50%", "pair.q50", "", false}, {"95%", "pair.q95", "", false}}}}}},
		{title: "Every bound beside paper A's method", folded: true, parts: []partOf{{
			says: "Medians over coordinates and inputs; × says how many times what paper A's methods give for the same inputs.",
			table: &tableOf{rows: []string{"of", "bound"}, columns: []column{
				{"claim", "method", "kind", false}, {"all", "method", "bare", false}, {"coarse", "method.low", "bare", false}, {"×Alg. 1", "method.ratio", "", false}, {"×authors'", "method.ratio_authors", "", false}}}}}},
		{title: "Directions of the input that change the features", folded: true, parts: []partOf{
			{curves: &curvesOf{id: "spectrum", caption: "Standard deviation per direction, median and 90 % band", x: "direction", y: "standard deviation"}},
			{says: "Directions that can be resolved to within a standard deviation (medians over inputs).",
				table: &tableOf{rows: []string{"standard deviation at most"}, columns: []column{{"directions", "directions", "", false}}}}}},
		{title: "What the release costs", folded: true, parts: []partOf{{
			says:  "{Score}, with its 95 % interval.",
			table: &tableOf{rows: []string{"features"}, columns: []column{{"{score}", "answers", "", false}, {"95 % interval", "answers", "interval", false}, {"examples", "answers", "n", false}}}}}},
		{title: "What the limits depend on", folded: true, parts: []partOf{{findings: []Part{Condition}}}},
		{title: "How the data were read", parts: []partOf{{findings: []Part{About}}}},
	},
	terms: []term{
		{"error", "Root mean square over the input and the inputs of the run, unless another average is named."},
		{"attack", "A reconstruction that really ran, from the release and what it learned from training data. It is biased: it may err by less than a bound for unbiased estimators."},
		{"floor", "No adversary errs by less on average. With the list: one who knows that the input is one of the candidates. Without: one who knows only the distribution of inputs."},
		{"certified", "Proved in double precision from a stored witness: another input whose features are compared with the noise."},
		{"certified with confidence", "A limit from random draws. Each such limit by itself holds with 99.9 % confidence; all together hold with less."},
		{"estimated", "Linear algebra on the Jacobian, a statistical estimate, or a stored witness whose rounding or noise is not proved."},
		{"demonstrated", "An attack that ran reached it."},
		{"unbiased", "Right on average over the noise, for every input. Bounds for unbiased estimators do not limit adversaries who know what inputs look like."},
	},
}
