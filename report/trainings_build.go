package report

import (
	"fmt"
	"slices"

	"tattle/curious"
	"tattle/curious/training"
	"tattle/dataset"
)

// SetTrainings sets what a report says of trainings that differ in their seed: the first
// one's figures in full, the others' beside them, the verdict and the warnings.
func (r *Report) SetTrainings(seeds []training.Seed, results []*training.Result, p *dataset.Parts) {
	first, o := results[0], seeds[0].Options.WithDefaults()
	for k, v := range first.Settings {
		if k != "seed" {
			r.Settings[k] = v
		}
	}
	r.Settings["epoch kept"] = fmt.Sprintf("%d of %d", first.Best, len(first.Epochs))
	r.Training = trainingOf(o, first, p.Train.Name)
	if len(results) > 1 {
		for _, x := range results {
			r.Training.SeedAccuracies = append(r.Training.SeedAccuracies, Number(x.Evaluation.Honesty.Value))
		}
	}
	r.SetEvaluation(first.Evaluation, o, first.Taus)
	r.addCurves(first.Evaluation, runName(first))
	r.Noted(p.Notes)
	r.Warnings = append(r.Warnings, training.AttributeWarnings(p.Train, o.Attack, first.Evaluation)...)
	var all []*training.Record
	for i, x := range results {
		o := seeds[i].Options.WithDefaults()
		r.addRuns(x.Evaluation, Run{Name: runName(x), Attack: string(o.Attack), Outputs: string(x.Evaluation.Outputs), Beta: o.Beta, Seed: o.Seed})
		if w := notLearned(x); w != "" {
			r.Warnings = append(r.Warnings, w)
		}
		all = append(all, &x.Record)
	}
	r.Warnings = append(r.Warnings, training.OtherPrograms(all)...)
	r.Outcome = trainingsOutcome(results)
}

// runName returns the name of a seed's training in a report.
func runName(x *training.Result) string { return "seed " + x.Settings["seed"] }

func trainingOf(o curious.Options, x *training.Result, task string) *Training {
	t := &Training{
		Task: task, Parameters: x.Parameters, Examples: x.Examples, Asked: o.Epochs, Batch: o.Batch,
		Optimizer: fmt.Sprintf("Adam, learning rate %g", o.LearningRate),
	}
	for _, ep := range x.Epochs {
		t.Epochs = append(t.Epochs, Epoch{Loss: Number(ep.LossY), Accuracy: Number(ep.ValidationY)})
	}
	return t
}

// trainingsOutcome says whether an attack on any of the trainings is shown to exceed its baseline.
func trainingsOutcome(results []*training.Result) Outcome {
	if len(results[0].Evaluation.Sensitive) == 0 {
		return Done
	}
	for _, x := range results {
		if slices.ContainsFunc(x.Evaluation.Sensitive, func(s curious.Curiosity) bool { return s.Shown() }) {
			return Demonstrated
		}
	}
	return NoExcess
}

// notLearned warns of a classifier that is no better than a constant answer.
func notLearned(x *training.Result) string {
	v := x.Evaluation
	most := v.Majority()
	if v.Honesty.Correct > most || v.Examples == 0 {
		return ""
	}
	return fmt.Sprintf("%s: the classifier is no better than always answering the most frequent class of %s, which is right for %d of %s: it has not learned its task.", runName(x), v.Target, most, Count(v.Examples, "test example"))
}

// SetStudent sets what a report says of a student: its figures under the teacher's attack
// and under one fitted to the student, beside the teacher's.
func (r *Report) SetStudent(t *training.Teacher, s *training.Student, seed uint64) {
	r.SetEvaluation(s.Own, t.Options, t.Result.Taus)
	if r.Curiosity != nil {
		r.Curiosity.Attack = "student" // it was trained for nothing but its teacher's outputs
	}
	run := Run{Attack: string(t.Options.Attack), Outputs: string(t.Options.Outputs), Beta: t.Options.Beta, Seed: t.Options.Seed}
	add := func(name string, v *curious.Evaluation) {
		run.Name = name
		r.addRuns(v, run)
	}
	add("teacher", t.Result.Evaluation)
	run.Attack, run.Seed = "student", seed
	add("student, the teacher's attack", s.Own)
	r.addCurves(t.Result.Evaluation, "teacher")
	r.addCurves(s.Own, "student")
	r.Outcome = Done
	if s.Refitted != nil {
		run.Attack = "refitted"
		add("student, an attack fitted to it", s.Refitted)
	}
}
