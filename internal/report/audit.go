package report

func init() {
	layouts["audit"] = &layout{
		tiles: []tileOf{
			{"Guessed, {subject}", "guessed", "of examples, from the outputs; without them: {without}"},
			{"Excess, {subject}", "excess", "limits {excess.least} and {excess.most}; margin {margin}"},
			{"p-value", "p", "adjusted for all tests"},
			{"Examples", "examples", "the predicted {honesty.group} is right for {honesty}"},
		},
		first: map[string]tileOf{
			".number": {"Explained, {subject}", "guessed", "of the variance, from the outputs; without them: {without}"},
			".auc":    {"Ranked right, {subject}", "auc", "of pairs of examples; chance: 50 %"},
			".gain":   {"Information, {subject}", "gain", "at least {gain.low}, beyond what the task explains"},
		},
		sections: []sectionOf{
			{title: "What was found", parts: []partOf{
				{chart: &intervalsOf{caption: "Excess of every attribute", axis: "excess over the best guess without outputs",
					marks: []markOf{{"this release, with one-sided limits", "excess", ""}, {"smallest excess that is detectable", "detectable", ""}}, lines: []lineOf{{"no excess", "", 0}, {"margin", "margin", 0}}}},
				{when: ".auc", chart: &intervalsOf{caption: "AUC of every attribute, given what the adversary knows", axis: "pairs that the attack's score ranks right",
					marks: []markOf{{"an attack on the outputs, with its 95 % interval", "auc", ""}}, lines: []lineOf{{"chance", "", .5}}}},
				{says: "Guessed, and without: shares of examples; for numbers, of the variance. Excess in points; for numbers, in % of the variance. Each limit holds with {excess.confidence} confidence by itself; p is adjusted for all tests.",
					table: &tableOf{rows: []string{"attribute"}, columns: []column{
						{"finding", "guessed", "badge", false}, {"guessed", "guessed", "", false}, {"without", "without", "", false}, {"excess", "excess", "bare", false}, {"at least", "excess", "least", false}, {"at most", "excess", "most", true},
						{"AUC", "auc", "", false}, {"gain", "gain", "", true}, {"p", "p", "p", false}, {"detectable", "detectable", "bare", true}}}}}},
			{title: "Rules", parts: []partOf{{findings: []Part{Ruled}}}},
			{title: "What this means", parts: []partOf{{findings: []Part{Meaning}}}},
			{title: "What to do", parts: []partOf{{findings: []Part{Advice}}}},
			{title: "Limits of these figures", parts: []partOf{{findings: []Part{Limit}}}},
			{title: "How the data were read", parts: []partOf{{findings: []Part{About}}}},
			{title: "The evidence on {subject}", folded: true, each: "guessed", parts: []partOf{
				{findings: []Part{Verdict, Evidence, Ruled}},
				{title: "Baselines", says: "Guesses without the outputs, and the excess of the attacks over each.",
					table: &tableOf{rows: []string{"baseline"}, columns: []column{{"guessed", "baseline", "", false}, {"excess", "baseline.excess", "bare", false}, {"limits", "baseline.excess", "interval", false}, {"p", "baseline.excess", "p", false}}}},
				{title: "Power", says: "The smallest excess that is found with probability 0.9 in each kind of planted channel.",
					table: &tableOf{rows: []string{"channel"}, columns: []column{{"found from", "detectable.channel", "bare", false}}}},
				{title: "Further figures", table: &tableOf{rows: []string{"attribute"}, columns: []column{{"honest classifiers", "honest", "", false}, {"above them", "above_honest", "value", false}}}}}},
			{title: "The findings in sentences", folded: true, parts: []partOf{{findings: []Part{Verdict, Evidence}}}},
			{title: "Does this audit work here?", folded: true, parts: []partOf{
				{says: "The same audit where the result is known. Planted: the true excess.",
					table: &tableOf{rows: []string{"control"}, columns: []column{{"outcome", "control.excess", "badge", false}, {"excess", "control.excess", "bare", false}, {"planted", "control.planted", "bare", false}, {"examples", "control.excess", "n", false}}}},
				{says: "A random attribute was written into these outputs as a code. Found from: the smallest excess of the sizes tried that attacks find often enough.",
					table: &tableOf{rows: []string{"channel"}, columns: []column{{"found from", "channel", "bare", false}, {"examples", "channel", "n", false}}}}}},
			{title: "What could be released instead", folded: true, parts: []partOf{
				{says: "Excess of quicker attacks, fitted again to the outputs of each defence.",
					table: &tableOf{rows: []string{"defence", "attribute"}, columns: []column{{"honesty", "defence.honesty", "", false}, {"excess", "defence.excess", "bare", false}, {"at most", "defence.excess", "most", false}, {"gain", "defence.gain", "", true}, {"AUC", "defence.auc", "", true}}}}}},
		},
		terms: []term{
			{"guessed", "The share of examples whose attribute attacks guess right from the outputs, each example by attacks that were chosen and fitted without its attributes. For numbers: the share of the variance that they explain."},
			{"without", "The same for the best guess that uses only what the adversary knows without the outputs."},
			{"excess", "The difference of both, in points or % of the variance, with one-sided limits. The verdict needs more than the margin."},
			{"gain", "How much better the attacks' scores predict the attribute for an adversary who knows the true and the predicted target. It finds leaks about rare values, which guesses miss."},
			{"AUC", "The share of pairs of examples, one with a value of the attribute and one without, that an attack's scores rank right. Chance is 50 %."},
			{"p", "Of the strongest of excess, gain and AUC, adjusted for these three and for all attributes."},
			{"detectable", "The smallest excess that is found with probability 0.9 in channels like the planted ones. Other channels can carry more and stay hidden."},
			{"honesty", "How often the predicted label is right."},
		},
	}
}
