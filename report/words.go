package report

import (
	"fmt"
	"slices"
	"strings"

	"tattle/attack"
	"tattle/bound"
	"tattle/classify"
)

// words adds the definition list: what the words and columns of the report mean, those that it uses.
func (d *document) words(r *Report) {
	var rows []Setting
	switch {
	case r.aboutCuriosity():
		rows = curiousWords(r)
	case len(r.Bounds)+len(r.Attacks) > 0 || r.listed():
		rows = r.releaseWords()
	}
	if len(rows) == 0 {
		return
	}
	d.folded("What the words mean")
	d.settings(rows)
}

// releaseWords are the words of a report on a release.
func (r *Report) releaseWords() []Setting {
	var rows []Setting
	add := func(when bool, key, value string) {
		if when {
			rows = append(rows, Setting{key, value})
		}
	}
	listed, attacked := r.listed(), len(r.Attacks) > 0
	add(true, "error", "Root mean square over the input, in "+r.unit()+", unless another unit is named.")
	add(len(r.PriorAlone) > 0 || listed, "without the release", "The error of guessing the mean of the training data (beside floors: the mean of the same inputs).")
	add(attacked, "attack", "A reconstruction that really ran, from the release and what it learned from training data. It is biased: it may err by less than a bound for unbiased estimators.")
	add(attacked && len(r.PriorAlone) > 0, "closer", fmt.Sprintf("A smaller error than without the release, with %.1f %% confidence over inputs (a paired limit of Student's t).", 100*attack.Confidence))
	add(listed, "floor with, without a list", "No adversary errs by less on average: one who knows that the input is one of the candidates, or one who knows only the distribution of inputs.")
	status := func(s string) bool {
		return slices.ContainsFunc(r.Bounds, func(b bound.Summary) bool { return b.Status == s })
	}
	add(status(bound.StatusCertified), "certified", "Proved in double precision from a stored witness: another input whose features are compared with the noise.")
	add(listed, "certified with confidence", "A limit from random draws. Each such limit by itself holds with 99.9 % confidence; all together hold with less.")
	add(status(bound.StatusEstimated), "estimated", "Linear algebra on the Jacobian or a statistical estimate, without a stored witness.")
	add(attacked, StatusDemonstrated, "An attack that ran reached it.")
	unbiased := r.unbiased()
	add(len(unbiased) > 0, "unbiased", "Right on average over the noise, for every input. Bounds for unbiased estimators do not limit adversaries who know what inputs look like.")
	add(len(unbiased) > 0, "n/m behind a bound", "It is about n of the m inputs.")
	rows = append(rows, r.methodWords()...)
	if s := r.domains(); s != "" {
		rows = append(rows, Setting{"domain", sentenceOf(s)})
	}
	if s := r.aboveLegend(); s != "" {
		rows = append(rows, Setting{aboveMark, sentenceOf(strings.TrimPrefix(s, aboveMark+": "))})
	}
	return rows
}

// methodWords say what the names of the bounds stand for; names with one meaning stand together.
func (r *Report) methodWords() []Setting {
	var rows []Setting
	for _, b := range r.unbiased() {
		if n := boundNames[kindOf(b)]; n.name != "" {
			rows = noted(rows, n.name, sentenceOf(n.means))
		}
	}
	return rows
}

// curiousWords are the words of a report on classifiers that may be curious.
func curiousWords(r *Report) []Setting {
	rows := []Setting{
		{"honesty", "The share of test examples whose target attribute is answered right."},
		{"curiosity", "The share whose sensitive attribute an attack guesses right from the outputs."},
		{"baseline", "The best guess of the sensitive attribute that uses no outputs but the label."},
		{"excess", "Curiosity minus baseline, in points."},
		{"p", "Of the excess: " + classify.ComparisonTest + ", with Holm's correction for several attributes. The excess is shown if p is at most " + fmt.Sprint(classify.Level) + " and its interval lies above zero."},
		{"βx, βy, βs", "The weights of the training's loss: for uncertain outputs, for the target, for the sensitive attribute."},
	}
	if len(r.Runs) > 0 {
		rows = append(rows, Setting{"±, brackets", "The standard deviation over seeds; the 95 % interval of one run."}, Setting{"H", "Mean entropy of the outputs, in bits. " + symptom})
	}
	if len(r.Tables) > 0 {
		rows = append(rows, Setting{"σ", "Ours minus published, in standard deviations."})
	}
	return rows
}
