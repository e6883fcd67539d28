package cli

import (
	"context"
	"fmt"
	"slices"

	"tattle/audit"
	"tattle/dataset"
	"tattle/run"
	"tattle/stat"
)

// taskControl names the control whose model is planted on the audited task, where that
// is not the only planted one: the one on glyphs is the same at every door.
const taskControl = "same-task"

// What is planted on the audited task beside the model on glyphs. It is to be caught,
// not to be good: small nets on so many examples take seconds.
const (
	taskTraining = 8000
	taskAudited  = 5000
	// On 8,000 faces of 64×64 the net learns enough in 20 epochs; few examples need
	// more, at no more time.
	taskEpochs     = 20
	mostTaskEpochs = 25
	taskWidth      = 64   // of the one hidden layer
	taskWork       = 3e11 // multiply-adds forward: twenty seconds on two cores
	// fewestTask is the fewest examples on either side: of fewer nothing learns, and
	// even a large excess is missed.
	fewestTask = 500
	// taskSmallest is the least excess of a planted model's own attack, in points of
	// 1, as with any other planted model.
	taskSmallest = .10
	// taskPower is that with which a planted model must be found for its being missed
	// to say something about the audit.
	taskPower = .999
)

// taskStream draws the examples that teach the planted model.
const taskStream = 300

// plantTask is to train a model to hide an attribute in the audited task, where that has no
// training data of its own: by one half of the audited examples, to be asked about the
// other.
func (c *auditCmd) plantTask(d *audited) error {
	if d.examples == nil || c.Reference != "" {
		return nil
	}
	p, asked := c.halves(d.examples.set)
	if n := min(p.Train.Len()+p.Validation.Len(), asked.Len()); n < fewestTask {
		d.notes = append(d.notes, fmt.Sprintf("Too few examples to plant a curious model on the audited task (%d on one side, %d are needed): the one on glyphs stands alone.", n, fewestTask))
		return nil
	}
	epochs := min(mostTaskEpochs, taskEpochs*taskTraining/max(1, p.Train.Len()))
	like := *d.sample
	like.Sensitive = slices.DeleteFunc(slices.Clone(like.Sensitive), func(a audit.Attribute) bool { return a.Numeric() || oneClass(a) })
	if len(like.Sensitive) == 0 {
		return nil
	}
	o := audit.PlantOptions{Seed: c.Seed, Epochs: epochs, Work: taskWork, Net: audit.SmallNet(asked.Shape, taskWidth), Audited: asked}
	d.learn("planted on the same task", planting(p, &like, taskAudited, o), func(t *audit.Trained) error {
		if t.Planted.Rows == nil { // it fell back on glyphs
			d.notes = append(d.notes, t.Planted.Note)
			return nil
		}
		d.task = t.Planted
		d.task.Rows = nil // only references would be taken by them
		return nil
	})
	return nil
}

// halves are what a model is planted by, of one half of the audited examples, and what it
// is asked about, the other half: the same at every door that has the inputs.
func (c *auditCmd) halves(x *dataset.Set) (*dataset.Parts, *dataset.Set) {
	rows := run.Rand(c.Seed, taskStream, 0).Perm(x.Len())
	half := x.Len() / 2
	teach := rows[:min(half, taskTraining)]
	tenth := len(teach) / 10
	return &dataset.Parts{Train: sorted(x, teach[tenth:]), Validation: sorted(x, teach[:tenth])}, sorted(x, rows[half:])
}

// sorted is the given examples of a set, in its order.
func sorted(set *dataset.Set, rows []int) *dataset.Set {
	rows = slices.Clone(rows)
	slices.Sort(rows)
	return set.Subset(rows)
}

// taskPositive audits the model that was planted on the audited task, given what attacks
// lose by learning. Where its own attack tells too little to be found for sure among so
// many examples, it says so and makes no control.
func (d *audited) taskPositive(ctx context.Context, loss float64) (*audit.Control, error) {
	if d.task == nil {
		return nil, nil
	}
	needed := loss + d.certain(d.task.Sample.Len())
	if told := d.task.TrueExcess; told < needed {
		d.notes = append(d.notes, fmt.Sprintf("A curious model planted on the audited task tells %.1f points of %q, and only %.1f or more are found for sure among %d examples: the one on glyphs stands alone.",
			100*told, d.task.Sample.Sensitive[0].Name, 100*needed, d.task.Sample.Len()))
		return nil, nil
	}
	control, err := audit.Positive(ctx, d.task, nil, staged(d.options, "the planted model of the same task: "))
	return &control, err
}

// certain is the excess that an audit of n examples finds with taskPower, where attack
// and baseline are apart as often as two coins.
func (d *audited) certain(n int) float64 {
	apart := func(difference float64) float64 { return max(.5, difference) }
	return max(taskSmallest, stat.SmallestDifference(n, apart, *d.options.Margin, (1-d.options.Confidence)/2, taskPower))
}

// oneClass says whether there is nothing to tell of an attribute of classes.
func oneClass(a audit.Attribute) bool {
	return !slices.ContainsFunc(a.Labels, func(l int) bool { return l != a.Labels[0] })
}
