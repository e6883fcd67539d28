package report

import "slices"

// Tables is the layout of the published tables and curves of paper B, run again.
const Tables = "tables"

// levels are the series of a chart of points that are drawn as lines.
var levels = []string{"baseline", "most frequent class", "δy + δs = 1.5"}

// curiousTerms are the words of reports on classifiers that may be curious.
var curiousTerms = []term{
	{"honesty", "The share of test examples whose target attribute is answered right."},
	{"curiosity", "The share whose sensitive attribute an attack guesses right from the outputs."},
	{"baseline", "The best guess of the sensitive attribute that uses no outputs but the label. It is the most frequent class, or the likeliest one given the true target or the answered label."},
	{"excess", "Curiosity minus baseline, in points."},
	{"p", "Of the excess: the larger p-value of Tango's score test and McNemar's exact test, with Holm's correction for several attacks. The excess is shown if p is at most 0.05 and its interval lies above zero."},
	{"βx, βy, βs", "The weights of the training's loss: for uncertain outputs, for the target, for the sensitive attribute."},
	{"±", "The standard deviation over seeds."},
	{"entropy", "Mean entropy of the outputs, in bits. A classifier that hides s in its outputs is less certain. High entropy is only a symptom: training with βx > 0 suppresses it, and a hard task raises it without any curiosity."},
}

// curvesOfRuns are the sections on curves, which reports on one classifier and on tables share.
var curvesOfRuns = []sectionOf{
	{title: "The honesty–curiosity plane", parts: []partOf{
		{says: "Right: higher honesty; up: higher curiosity. Bars are 95 % intervals.",
			curves: &curvesOf{id: "plane", caption: "Honesty and curiosity", x: "honesty", y: "curiosity", xUnit: Share, yUnit: Share, dots: true}},
		{title: "The runs in figures", table: &tableOf{rows: []string{"plane", "run"}, columns: []column{
			{"honesty", "run", "@honesty", false}, {"curiosity", "run", "@curiosity", false}, {"baseline", "run", "@baseline", false}, {"excess", "run", "", false},
			{"95 % interval", "run", "interval", true}, {"p", "run", "p", true}, {"entropy", "run", "@entropy", true}}}}}},
	{title: "Curiosity and generalisation", folded: true, parts: []partOf{
		{says: "The gap is honesty on the training part minus honesty on the test part, beside that of the standard classifier (appendix D).",
			table: &tableOf{rows: []string{"plane", "run"}, columns: []column{
				{"trained", "gap", "@trained", false}, {"tested", "gap", "@tested", false}, {"gap", "gap", "", false}, {"standard", "gap", "@standard", false}, {"entropy", "gap", "@entropy", false}}}}}},
	{title: "Pruning", parts: []partOf{
		{says: "The smallest weights of every layer were set to zero, without further training; the attack was not changed.",
			curves: &curvesOf{id: "pruning", caption: "Honesty and curiosity after pruning", x: "weights set to zero", y: "accuracy", xUnit: Share, yUnit: Share, dots: true, joined: true}},
		{table: &tableOf{rows: []string{"run", "set to zero"}, columns: []column{
			{"honesty", "pruned.honesty", "", false}, {"95 % interval", "pruned.honesty", "interval", true}, {"curiosity", "pruned.curiosity", "", false}, {"95 % interval", "pruned.curiosity", "interval", true}}}}}},
	{title: "What a linear classifier can trade", parts: []partOf{
		{curves: &curvesOf{id: "trade", caption: "Linear classifiers on the plane of Figure 2", x: "honesty", y: "curiosity", xUnit: Share, yUnit: Share, dots: true, joined: true}},
		{table: &tableOf{rows: []string{"βs"}, columns: []column{{"honesty", "trade.honesty", "", false}, {"curiosity", "trade.curiosity", "", false}, {"sum", "trade.sum", "", false}}}}}},
	{title: "How far curiosity keeps it from the optimum", parts: []partOf{
		{says: "Gradient descent on βy·Ly + βs·Ls: the distance of its weights from those that are best for y alone, and appendix A.2's bound for steps.",
			curves: &curvesOf{id: "neighbourhood", caption: "Distance from the optimum for y", x: "steps", y: "distance"}},
		{table: &tableOf{rows: []string{"βs", "after"}, columns: []column{{"distance", "neighbourhood.distance", "", false}, {"bound", "neighbourhood.bound", "", false}}}}}},
	{title: "Mixtures", parts: []partOf{{says: "The released values ŷ by the true y and s.",
		curves: &curvesOf{id: "mixture", caption: "Released values", x: "ŷ, as released", y: "share of examples", yUnit: Share}}}},
	{title: "ROC curves", folded: true, parts: []partOf{
		{says: "Each class against the rest, of two classes the second against the first.",
			curves: &curvesOf{id: "roc", caption: "ROC", x: "false positives", y: "true positives", xUnit: Share, yUnit: Share, diagonal: true}},
		{title: "Areas under the curves", says: "0.5 is chance.", table: &tableOf{rows: []string{"of", "class"}, columns: []column{{"area", "auc", "", false}, {"95 % interval", "auc", "interval", false}}}}}},
	{title: "How certain the outputs are", folded: true, parts: []partOf{
		{curves: &curvesOf{id: "entropy", caption: "Entropy of single outputs", x: "entropy of one output, bits", y: "share of test examples", yUnit: Share}},
		{table: &tableOf{rows: []string{"run"}, columns: []column{{"mean entropy, bits", "outputs.entropy", "", false}, {"95 % interval", "outputs.entropy", "interval", false}, {"at most", "outputs.entropy", "@possible", true}}}}}},
}

func init() {
	limits := sectionOf{title: "Limits of these figures", parts: []partOf{{findings: []Part{Limit}}}}
	notes := sectionOf{title: "How the data were read", folded: true, parts: []partOf{{findings: []Part{About}}}}
	with := func(first []sectionOf, last ...sectionOf) []sectionOf {
		return slices.Concat(first, curvesOfRuns, last)
	}
	one := &layout{
		tiles: []tileOf{
			{"Honesty", "honesty", "{subject} answered right, of {honesty.n} test examples"},
			{"Curiosity", "curiosity", "{subject} guessed right from the outputs"},
			{"Without the outputs", "baseline", "the best guess of {subject} from the label alone"},
			{"Excess", "excess", "95 % interval {excess.interval}; p {excess.p}"},
			{"Accuracy", "accuracy", "95 % interval {accuracy.interval}"},
			{"With noise", "accuracy.noisy", "σ = {sigma} on the features"},
			{"Over seeds", "seeds.accuracy", "mean of {seeds.accuracy.group}; standard deviation {seeds.accuracy@±}"},
			{"Training", "epochs", "epochs on {examples} examples"},
			{"Model", "parameters", "parameters"},
		},
		sections: with([]sectionOf{
			{title: "The results in sentences", parts: []partOf{{findings: []Part{Evidence}}}},
			{title: "Honesty and curiosity, with intervals", folded: true, parts: []partOf{
				{table: &tableOf{rows: []string{"attribute"}, columns: []column{
					{"honesty", "honesty", "", false}, {"curiosity", "curiosity", "", false}, {"95 % interval", "curiosity", "interval", true},
					{"excess", "excess", "", false}, {"95 % interval", "excess", "interval", false}, {"p", "excess", "p", false}, {"claim", "excess", "kind", true}}}},
				{title: "Baselines, and what guesses reveal", table: &tableOf{rows: []string{"attribute"}, columns: []column{
					{"most frequent class", "baseline", "@most frequent class", false}, {"from the true target", "baseline", "@from the true target", false},
					{"from the answered label", "baseline", "@from the answered label", false}, {"information of the guess, bits", "guess.bits", "value", true}}}},
				{title: "Mutual information in the test examples", table: &tableOf{rows: []string{"attributes"}, columns: []column{{"bits", "shared.bits", "", false}, {"95 % interval", "shared.bits", "interval", false}}}}}},
		}, limits,
			sectionOf{title: "Training", folded: true, parts: []partOf{
				{curves: &curvesOf{id: "loss", caption: "Training", x: "epoch", y: "mean loss"}},
				{curves: &curvesOf{id: "held_out", caption: "Accuracy without noise on data that were not trained on", x: "epoch", y: "accuracy", yUnit: Share}}}},
			notes),
		terms: curiousTerms,
	}
	layouts["train"], layouts["distill"], layouts["prune"] = one, one, one

	compared := func(head, id string) []column {
		return []column{{head, id, "", false}, {"published", id, "@published", false}, {"σ", id, "@σ", false}}
	}
	var columns []column
	for _, q := range []struct{ head, id string }{
		{"s=0, y=0, %", "p00"}, {"s=0, y=1, %", "p01"}, {"s=1, y=0, %", "p10"}, {"s=1, y=1, %", "p11"}, {"information, bits", "information"},
		{"δy, %", "honesty"}, {"δs, %", "curiosity"}, {"entropy, bits", "entropy"}, {"AUC of y", "honesty_auc"}, {"AUC of s", "curiosity_auc"},
	} {
		columns = append(columns, compared(q.head, q.id)...)
	}
	layouts[Tables] = &layout{
		tiles: []tileOf{
			{"Ran", "ran", "of {ran@of} figures"},
			{"Agree", "agree", "of {agree@of} within 2 standard deviations of the published figure"},
			{"Honesty, first row", "honesty", "{honesty.group}; published: {honesty@published}"},
			{"Curiosity, first row", "curiosity", "{curiosity.group}; published: {curiosity@published}"},
		},
		sections: with([]sectionOf{
			{title: "{subject}, run again", each: "cells", parts: []partOf{{findings: []Part{Caption}}, {
				says:  "Ours and published, mean ± standard deviation over seeds; {cells} of {cells@of} figures ran.",
				table: &tableOf{rows: []string{"row"}, columns: columns}}}},
			{title: "The results in sentences", parts: []partOf{{findings: []Part{Evidence}}}},
		}, limits, notes),
		terms: slices.Concat(curiousTerms, []term{{"σ", "Ours minus published, over √(standard deviation of ours² + of the published² + p(1−p)/n). Here p is the mean of the two accuracies and n the test examples. Of entropies, without the last term. If we have one seed only, the published deviation stands for ours, too."}, {"settings", "raw and soft are the outputs that are released (the paper's RawHBC and SoftHBC), param. and reg. the parameterized and the regularized attack, Std a standard classifier, attacked afterwards (overlearning)."}}),
	}
}

// trained are findings on trainings, their students and prunings, and on the tables of paper B.
var trained = map[string]Wording{
	"reveals":     {Part: Verdict, Badge: "Reveals {1}", Tone: Warn, Says: "From the {2} outputs, {3} guesses {subject} right more often than the best guess without them: they reveal more than the answer."},
	"no_excess":   {Part: Verdict, Badge: "No excess shown", Says: "From the {1} outputs, {2} is not shown to guess {subject} right more often than the best guess without them; another attack may."},
	"trained":     {Part: Verdict, Badge: "Trained", Says: "The classifier was trained for its task alone. It classifies {accuracy} of {accuracy.n} held-out examples correctly."},
	"pruned.only": {Part: Verdict, Badge: "Pruned", Says: "With {left.honesty.group} of the weights set to zero, honesty is {left.honesty}; before pruning it is {left.honesty@before}."},

	"fitted":           {Part: Evidence, Says: "A classifier of {parameters} parameters was trained on {examples} examples of {1} for {2}, to a mean loss of {loss}."},
	"fitted.penalty":   {Part: Evidence, Says: "A classifier of {parameters} parameters was trained on {examples} examples of {1} for {2}, to a mean loss of {loss}, the penalty included."},
	"made.noise":       {Part: Evidence, Says: "In training, Gaussian noise of {1} times the root mean square of the features was added to them (node {2})."},
	"made.penalty":     {Part: Evidence, Says: "The loss had a penalty of {1} times the information limit of the features in bits."},
	"made.noisy":       {Part: Evidence, Says: "With this noise it classifies {accuracy.noisy} of {accuracy.n} held-out examples correctly."},
	"made.released":    {Part: Evidence, Says: "The classifier answers {1} and releases its {2}."},
	"made.standard":    {Part: Evidence, Says: "It was trained for this task only. The attack that reads {1} from the outputs was fitted afterwards."},
	"made.mixture":     {Part: Evidence, Says: "The outputs are mixed from two classifiers, one of {1} and one of {2}, with β = {3}."},
	"made.curious":     {Part: Evidence, Says: "It was trained to reveal {1} as well, by the {2} attack with β = {3}."},
	"made.student":     {Part: Evidence, Says: "It is a student: it was trained on the outputs of its teacher only."},
	"made.refitted":    {Part: Evidence, Says: "The first figures are of the better of two attacks: the teacher's, and one fitted to the student. The runs list both."},
	"seeds":            {Part: Evidence, Says: "Over {1}, honesty is {seeds.honesty} ± {seeds.honesty@±}. The attack on {subject} shows an excess with {3}. The first lines are about seed {2}, the worst one."},
	"seeds.accuracy":   {Part: Evidence, Says: "Over {1}, accuracy is {seeds.accuracy} ± {seeds.accuracy@±}, mean ± standard deviation."},
	"seeds.curiosity":  {Part: Evidence, Says: "Over {1}, curiosity about {subject} is {seeds.curiosity} ± {seeds.curiosity@±}, mean ± standard deviation."},
	"pruned":           {Part: Evidence, Says: "With {left.honesty.group} of the weights set to zero, honesty is {left.honesty}; before pruning it is {left.honesty@before} ({subject})."},
	"pruned.curiosity": {Part: Evidence, Says: "With {left.curiosity.group} of the weights set to zero, curiosity is {left.curiosity}; before pruning it is {left.curiosity@before} ({subject})."},
	"runs.largest":     {Part: Evidence, Says: "Of {1}, the attack with the largest excess over its baseline is {2}."},
	"runs.none":        {Part: Evidence, Says: "None of the attacks of {1} shows an excess over its baseline. This does not show that there is none."},
	"runs.empty":       {Part: Evidence, Says: "None of {1} has figures."},
	"no_safety":        {Part: Limit, Says: "An attack that fails does not show that the outputs are safe: another attack may reveal more."},
	"seen":             {Part: Limit, Says: "The teacher was trained on the student's examples, too: train it with --hold-out to keep them from it."},

	"tables.agree":        {Part: Verdict, Badge: "Agrees with the paper", Tone: Good, Says: "All published figures were computed again, and all that are published with a standard deviation agree."},
	"tables.some":         {Part: Verdict, Badge: "{agree} of {agree@of} figures agree", Says: "All published figures were computed again, and not all that are published with a standard deviation agree."},
	"tables.ran":          {Part: Verdict, Badge: "Computed again", Says: "All published figures of these tables were computed again."},
	"tables.part":         {Part: Verdict, Badge: "Ran in part", Tone: Warn, Says: "A part of the published figures was computed again."},
	"tables.reduced":      {Part: Verdict, Badge: "Not comparable", Says: "All published figures were computed again, but they do not compare with the published ones: {1}."},
	"tables.reduced.part": {Part: Verdict, Badge: "Not comparable", Says: "A part of the published figures was computed again, but they do not compare with the published ones: {1}."},
	"convex":              {Part: Verdict, Badge: "Done", Says: "The sum of honesty and curiosity of linear classifiers on the plane is {sum.interval} for all weights βs."},
	"gap":                 {Part: Evidence, Says: "{gap.smaller} of {gap.smaller@of} curious classifiers have a smaller generalisation gap than the standard classifier."},
	"neighbourhood":       {Part: Evidence, Says: "With the ridge {1}·‖Θ‖² in both losses, gradient descent is within its bound after {neighbourhood.held} of {neighbourhood.held@of} steps."},
	"caption":             {Part: Caption, Says: "{1}"},
	"reduced":             {Part: Caption, Says: "Not comparable with the published figures: {1}."},
	"failed":              {Part: Limit, Says: "{1}, seed {2} failed: {3}"},
	"left.trainings":      {Part: Limit, Says: "{1} of {2} trainings have run (--only); the cells of the others are empty."},
	"few_seeds":           {Part: Limit, Says: "{1}; the paper's figures are of {2}."},
}
