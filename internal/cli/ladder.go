package cli

import (
	"path/filepath"

	"tattle/attack"
	"tattle/bound"
	"tattle/measure"
	"tattle/report"
)

// ladderTitle is that of its report.
const ladderTitle = "The ladder of bounds, from paper A's method up"

// climb asks a measurement for every rung and every attack.
func (c *reproduceCmd) climb(m *measurement) error {
	m.title = ladderTitle
	m.Experiment.Sizes = nil // the default: A's first
	f := furtherFlags{Barankin: demoBounds.Barankin, Far: demoBounds.Far, Twins: c.Twins, Attack: measure.UsualAttacks, AttackDraws: attack.DefaultDraws}
	if err := f.check(); err != nil {
		return err
	}
	if err := f.extend(&m.Experiment, m.Data, len(m.Indices), c.Seed); err != nil {
		return err
	}
	var err error
	m.adversaries, err = f.adversaries(inputs{path: c.Data, seed: c.Seed}, "", m.Data, openAlone)
	return err
}

// fewer says where the authors' procedure ran on fewer of the examples.
func fewer(theirs, ours int) []bound.Note {
	if theirs < ours {
		return []bound.Note{{Kind: bound.NoteFirst, Examples: theirs, Of: ours}}
	}
	return nil
}

// ladderAgain makes the ladder of a report afresh, from its arrays.
func ladderAgain(fresh *report.Report, dir string, res *bound.Result) error {
	x := res.Experiment
	sub := filepath.Join(dir, publishedDir)
	var theirs []bound.Summary
	var notes []bound.Note
	if exists(filepath.Join(sub, reportJSON)) {
		other, err := bound.Load(filepath.Join(sub, arraysFile), alone(x))
		if err != nil {
			return err
		}
		theirs, notes = other.Summaries, fewer(len(other.Indices), len(res.Indices))
	}
	fresh.SetLadder(theirs, notes)
	return nil
}

// alone is the experiment of the authors' procedure: one near witness, theirs.
func alone(x bound.Experiment) bound.Experiment {
	x.Barankin, x.Far, x.Twins = bound.BarankinOptions{}, bound.FarOptions{}, bound.TwinOptions{}
	x.Search.Search = bound.Published
	return x
}
