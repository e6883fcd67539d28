package report

import (
	"fmt"
	"slices"

	"tattle/curious"
	"tattle/curious/training"
	"tattle/dataset"
)

// Training is how a model came to be.
type Training struct {
	Task       string  `json:"task"`
	Parameters int     `json:"parameters"`
	Examples   int     `json:"examples"`
	Epochs     []Epoch `json:"epochs"` // those completed
	Asked      int     `json:"epochs_asked"`
	Optimizer  string  `json:"optimizer"`
	Batch      int     `json:"batch"`

	SeedAccuracies []Number `json:"seed_accuracies,omitempty"` // of the models of several seeds, the first one's among them

	Noise *TrainingNoise `json:"noise,omitempty"`
}

// TrainingNoise is the Gaussian noise that was added to features in training.
type TrainingNoise struct {
	Node        string `json:"node"`                   // whose output is the features
	Scale       Number `json:"scale"`                  // standard deviation, in units of the root mean square of the features
	BitsPenalty Number `json:"bits_penalty,omitempty"` // weight of the information limit in the loss
	Sigma       Number `json:"sigma"`                  // standard deviation on held-out data, for which the accuracy is released_accuracy
}

func (n *TrainingNoise) sentence(u Utility) string {
	s := fmt.Sprintf("In training, Gaussian noise of %s times the root mean square of the features was added to them.", number(float64(n.Scale)))
	if n.BitsPenalty > 0 {
		s += fmt.Sprintf(" The loss had a penalty of %s times the information limit of the features in bits.", number(float64(n.BitsPenalty)))
	}
	if u.Draws == 0 {
		return s
	}
	return s + fmt.Sprintf(" With this noise it classifies %s of %s correctly.", percent(float64(u.ReleasedAccuracy)), Count(u.Examples, "held-out example"))
}

// Epoch is one pass over the training data: the mean loss in nats, with a penalty if there is
// one, and the accuracy without noise on data that were not trained on (NaN if it was not
// measured).
type Epoch struct {
	Loss     Number `json:"loss"`
	Accuracy Number `json:"accuracy"`
}

func (t *Training) sentence() string {
	s := fmt.Sprintf("A classifier of %d parameters was trained on %s of %s", t.Parameters, Count(t.Examples, "example"), t.Task)
	n := len(t.Epochs)
	if n == 0 {
		return s + ", for less than one epoch."
	}
	unit := " nats"
	if t.Noise != nil && t.Noise.BitsPenalty > 0 {
		unit = ", the penalty included"
	}
	return fmt.Sprintf("%s for %s, to a mean loss of %s%s.", s, Count(n, "epoch"), number(float64(t.Epochs[n-1].Loss)), unit)
}

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
	return when(v.Honesty.Correct <= most && v.Examples > 0, fmt.Sprintf("%s: the classifier is no better than always answering the most frequent class of %s, which is right for %s of %s: it has not learned its task.", runName(x), v.Target, grouped(most), Count(v.Examples, "test example")))
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
