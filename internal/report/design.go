package report

import "slices"

func init() {
	layouts["design"] = &layout{
		tiles: []tileOf{
			{"What to release", "released.numbers", "numbers; {subject}; σ = {released.sigma}; originally {score} {design.original}"},
			{"{Score}", "design.accuracy", "original model: {design.original}; cost: {design.drop}"},
			{"Nearest release", "nearest.numbers", "numbers of {subject}, σ = {nearest.sigma}"},
			{"{Score}", "nearest.accuracy", "in the search; original model: {validation}"},
			{"Identification", "identified", "of releases, at most {identified.high}; guessing: {identified@guessing}"},
			{"Identification", "identified.new", "of releases of new inputs, at most {identified.new.high}; guessing: {identified@guessing}"},
			{"Identification", "nearest.identified", "mean over draws in the search, without limits"},
			{"Floor without a list", "floor", "least RMS error of an adversary without a list; guessing the mean: {floor@without the release}"},
			{"Floor without a list", "nearest.floor", "mean over draws in the search, without limits"},
		},
		sections: slices.Concat([]sectionOf{
			{title: "The promise", parts: []partOf{
				{says: "Each limit beside the figure that does not overstate the protection.",
					table: &tableOf{rows: []string{"quantity"}, columns: []column{{"limit", "limit", "asked", false}, {"figure", "figure", "", false}, {"confidence", "figure", "confidence", false}, {"kept", "limit", "badge", false}}}}}},
			{title: "{Score} against protection", parts: []partOf{
				{curves: &curvesOf{id: "search", caption: "{Score} in the search", x: "share of inputs, attributes or candidates guessed right", y: "{score}", xUnit: Share, yUnit: Share, dots: true, log: true}},
				{curves: &curvesOf{id: "floors", caption: "{Score} in the search", x: "floor, root mean square error", y: "{score}", yUnit: Share, dots: true}}}},
		}, boundLayout.sections[2:3], []sectionOf{
			{title: "The search for the release", folded: true, parts: []partOf{
				{says: "The most accurate release of each method that keeps the promise in the search: means over draws on training data, without limits. Original model: {validation}.",
					table: &tableOf{rows: []string{"method and node"}, columns: []column{
						{"numbers", "point.numbers", "", false}, {"σ", "point.sigma", "", false}, {"{score}", "point.accuracy", "", false}, {"identified", "point.identified", "", false}, {"bits", "point.bits", "bare", false}, {"floor", "point.floor", "", false}}}},
				{title: "Right guesses of protected attributes", table: &tableOf{rows: []string{"method and node", "attribute"}, columns: []column{{"guessed", "point.guessed", "", false}}}},
				{title: "Tasks that the release also answers", table: &tableOf{rows: []string{"task"}, columns: []column{{"accuracy", "task", "", false}, {"95 % interval", "task", "interval", false}}}}}},
		}, boundLayout.sections[:1], boundLayout.sections[3:]),
		terms: boundLayout.terms,
	}
	layouts["guard"] = &layout{
		check: "tattle guard verify BUNDLE --run RUN",
		tiles: []tileOf{
			{"{subject}", "figure", "promised: {limit.asked}"},
			{"Released", "integers", "integers, with discrete Gaussian noise of σ = {noise}"},
			{"Budget of a subject", "budget", "releases, {budget.group}"},
			{"Drift allowance", "drift", "largest error of a feature before it is rounded"},
		},
		sections: []sectionOf{
			{title: "The promise", parts: []partOf{{table: &tableOf{rows: []string{"quantity"}, columns: []column{{"limit", "limit", "asked", false}, {"figure", "figure", "", false}, {"confidence", "figure", "confidence", false}}}}}},
			{title: "Results of the run", parts: []partOf{{findings: []Part{Evidence}}}},
			{title: "Warnings", parts: []partOf{{findings: []Part{Limit}}}},
			{title: "Not covered", parts: []partOf{{findings: []Part{Meaning}}}},
		},
	}
}
