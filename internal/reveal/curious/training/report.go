package training

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"tattle/internal/data/dataset"
	"tattle/internal/math/stat"
	"tattle/internal/protect/measure"
	"tattle/internal/report"
	"tattle/internal/reveal/curious"
)

// Title names a classifier of the data.
func Title(train *dataset.Set) string { return "classifier of " + train.Name + ": " + train.YName }

// WorstSeed returns which of trainings that differ in their seed has the strongest attack: the first without attacks. Their p-values hold
// for all attacks at once from then on.
func WorstSeed(results []*Result) (worst int) {
	var all []*curious.Evaluation
	for _, x := range results {
		all = append(all, x.Evaluation)
	}
	curious.Adjust(all...)
	for i, v := range all {
		if of := all[worst]; len(v.Sensitive) > 0 && v.Sensitive[v.Worst()].Stronger(&of.Sensitive[of.Worst()]) {
			worst = i
		}
	}
	return worst
}

// ReportSeeds makes the report of trainings that differ in their seed: the figures of the worst in full, the others' beside
// them. The means over the seeds follow.
func ReportSeeds(r *report.Report, seeds []Seed, results []*Result, worst int, p *dataset.Parts) {
	first, o := results[worst], seeds[worst].Options.WithDefaults()
	r.Data, r.Target = measure.DataOf(p.Test, seeds[worst].Source.Path, string(dataset.Test)), first.Evaluation.Target
	settings := maps.Clone(first.Settings)
	delete(settings, "seed")
	settings["epoch kept"] = fmt.Sprintf("%d of %d", first.Best, len(first.Epochs))
	r.SetRequest(settings)
	first.Evaluation.Headline(r, first.Taus)
	first.Evaluation.Describe(r, string(o.Attack), o.Beta)
	h := curious.History{
		Task: p.Train.Name, Parameters: first.Parameters, Examples: first.Examples, Epochs: first.Epochs,
	}
	h.Report(r)
	var runs []curious.Run
	for _, x := range results {
		runs = append(runs, x.Evaluation.Runs(fmt.Sprintf("%s, %s", o.Attack, x.Evaluation.Outputs), seedName(x.Settings["seed"]))...)
	}
	curious.ReportRuns(r, runs)
	overSeeds(r, results, first.Settings["seed"])
	first.Evaluation.Curves(r, seedName(first.Settings["seed"]))
	for _, w := range slices.Concat(p.Notes, attributeWarnings(p.Train, o.Attack, first.Evaluation), OtherPrograms(results)) {
		r.Warn(w)
	}
	for _, x := range results {
		if v := x.Evaluation; v.Honesty.Correct <= v.Majority() && v.Examples > 0 {
			r.Warn(fmt.Sprintf("%s: the classifier is no better than always answering the most frequent class of %s, which is right for %s of %s: it has not learned its task.", seedName(x.Settings["seed"]), v.Target, report.Grouped(v.Majority()), report.Many(v.Examples, "test example")))
		}
	}
}

// overSeeds adds the means over several seeds.
func overSeeds(r *report.Report, results []*Result, worst string) {
	if len(results) < 2 {
		return
	}
	n := report.Many(len(results), "seed")
	mean := func(id, subject string, of func(*curious.Evaluation) float64) {
		var all []float64
		for _, x := range results {
			all = append(all, of(x.Evaluation))
		}
		m, std := stat.MeanStd(all)
		r.Add(report.Claim{
			ID: id, Subject: subject, Group: n, Kind: report.Measured, Value: report.Exactly(m, report.Share), N: results[0].Evaluation.Examples, Source: report.Searched,
			Beside: []report.Beside{{Name: "±", Value: report.Exactly(std, report.Share)}},
		})
	}
	honesty := func(v *curious.Evaluation) float64 { return v.Honesty.Value }
	first := results[0].Evaluation
	if len(first.Sensitive) == 0 {
		mean("seeds.accuracy", "", honesty)
		r.Find("seeds.accuracy", "", n)
		return
	}
	for i, s := range first.Sensitive {
		shown := 0
		for _, x := range results {
			if x.Evaluation.Sensitive[i].Shown() {
				shown++
			}
		}
		mean("seeds.honesty", s.Attribute, honesty)
		mean("seeds.curiosity", s.Attribute, func(v *curious.Evaluation) float64 { return v.Sensitive[i].Curiosity.Value })
		r.Find("seeds", s.Attribute, n, worst, report.Many(shown, "seed"))
		r.Find("seeds.curiosity", s.Attribute, n)
	}
}

// Report says of a student what it learned, beside its teacher.
func (s *Student) Report(r *report.Report, t *Teacher) error {
	if err := t.subject(r, "teacher", map[string]string{"temperature": s.Settings["temperature"]}); err != nil {
		return err
	}
	best := s.best()
	best.Headline(r, t.Result.Taus)
	if len(best.Sensitive) > 0 {
		s.Evaluation.Describe(r, "", t.Options.Beta)
		r.Find("made.student", "")
		r.Find("made.refitted", "")
	}
	h := curious.History{
		Task: s.Data.Train.Name + " by its teacher", Parameters: s.Parameters, Examples: s.Data.Train.Len(), Epochs: s.Epochs,
	}
	h.Report(r)
	runs := t.Result.Evaluation.Runs(string(t.Options.Attack), "teacher")
	runs = append(runs, s.Evaluation.Runs("student", "student, the teacher's attack")...)
	if s.Refitted != nil {
		runs = append(runs, s.Refitted.Runs("student, attacked anew", "student, an attack fitted to it")...)
	}
	curious.ReportRuns(r, runs)
	t.Result.Evaluation.Curves(r, "teacher")
	best.Curves(r, "student")
	if !t.Result.Source.HoldOut || t.Options.Attack == StudentAttack {
		r.Find("seen", "")
	}
	t.notes(r)
	return nil
}

// ReportPruned says what is left of the teacher when its smallest weights are set to zero.
func (t *Teacher) ReportPruned(r *report.Report, points []curious.Pruned) error {
	if err := t.subject(r, "run", map[string]string{}); err != nil {
		return err
	}
	v := t.Result.Evaluation
	curves := v.PrunedRuns(points)
	if len(v.Sensitive) > 0 {
		v.Headline(r, t.Result.Taus)
	} else {
		r.Find("pruned.only", curves[0].Name)
		r.Add(report.Claim{ID: "accuracy", Kind: report.Measured, N: v.Examples, Source: report.Searched, Value: curious.Share(v.Honesty)})
	}
	for _, c := range curves {
		c.Report(r)
		c.ReportEnds(r)
	}
	t.notes(r)
	return nil
}

// subject says what a student or a pruned classifier is about; key names the teacher among the settings.
func (t *Teacher) subject(r *report.Report, key string, settings map[string]string) error {
	dir, err := filepath.Abs(t.Dir)
	settings[key] = dir
	r.SetRequest(settings)
	r.Data, r.Target = measure.DataOf(t.Parts.Test, "", string(dataset.Test)), t.Result.Evaluation.Target
	return err
}

// notes adds what a reader must know of the teacher and its data.
func (t *Teacher) notes(r *report.Report) {
	for _, n := range slices.Concat(t.Notes, t.Parts.Notes) {
		r.Warn(n)
	}
}
