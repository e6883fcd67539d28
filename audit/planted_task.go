package audit

import (
	"fmt"
	"slices"

	"tattle/dataset"
	"tattle/nn/zoo"
	"tattle/run"
	"tattle/stat"
)

// Settings of the model that is planted on the audited task if no training data are given, in
// addition to the model planted on glyphs. The audit must find it, but it need not be
// accurate, so a small net on few examples suffices. It trains in seconds.
const (
	taskTraining = 8000
	taskAudited  = 5000
	// On 8,000 faces of 64×64 the net learns enough in 20 epochs. Fewer examples need more
	// epochs, at no more time.
	taskEpochs     = 20
	mostTaskEpochs = 25
	taskWidth      = 64   // of the one hidden layer
	taskWork       = 3e11 // multiply-adds forward: twenty seconds on two cores
	// fewestTask is the fewest examples on either side: from fewer nothing is learned, and
	// even a large excess is missed.
	fewestTask = 500
	// taskPower is the probability with which a planted model must be found for its being
	// missed to say something about the audit.
	taskPower = .999
	// taskStream draws the examples that the planted model learns from.
	taskStream = 300
)

// trainingOfTask returns the training that plants a model in the audited task itself: it
// learns from one half of the audited examples, set, and is applied to the other. It is nil
// if there are too few examples, which the note says, or no attribute to hide. If the model
// cannot be planted, the training plants one on glyphs (Planted.Rows is nil).
func trainingOfTask(s *Sample, set *dataset.Set, seed uint64) (t *Training, note string) {
	p := halves(classesOnly(set), seed)
	if n := min(p.Train.Len()+p.Validation.Len(), p.Test.Len()); n < fewestTask {
		return nil, fmt.Sprintf("Too few examples to plant a curious model on the audited task: %d on one side, %d are required. Only the one planted on glyphs counts.", n, fewestTask)
	}
	like := *s
	like.Sensitive = slices.DeleteFunc(slices.Clone(like.Sensitive), func(a Attribute) bool { return a.Numeric() || !varies(a.Labels) })
	if len(like.Sensitive) == 0 {
		return nil, ""
	}
	epochs := min(mostTaskEpochs, taskEpochs*taskTraining/max(1, p.Train.Len()))
	o := fitOptions{Seed: seed, Epochs: epochs, Work: taskWork, Net: zoo.Perceptron(set.Shape, taskWidth)}
	return new(plantTraining("planted on the same task", p, &like, taskAudited, 0, o)), ""
}

// halves divides the audited examples into those that the planted model learns from and, as the
// test part, those that it is applied to.
func halves(x *dataset.Set, seed uint64) *dataset.Parts {
	rows := run.Rand(seed, taskStream, 0).Perm(x.Len())
	half := x.Len() / 2
	teach := rows[:min(half, taskTraining)]
	tenth := len(teach) / 10
	sorted := func(rows []int) *dataset.Set {
		rows = slices.Clone(rows)
		slices.Sort(rows)
		return x.Subset(rows)
	}
	return &dataset.Parts{Train: sorted(teach[tenth:]), Validation: sorted(teach[:tenth]), Test: sorted(rows[half:])}
}

// certain returns the excess that an audit of n examples finds with taskPower if attack
// and baseline differ as often as two coins.
func (o Options) certain(n int) float64 {
	return max(smallestPlanted, stat.SmallestDifference(n, evenly, *o.Margin, (1-o.Confidence)/2, taskPower))
}
