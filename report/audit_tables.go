package report

import (
	"fmt"

	"tattle/audit"
	"tattle/internal/file"
)

// foundTable has a line for every attribute.
func foundTable(a *audit.Result) table {
	t := table{
		Says:  fmt.Sprintf("Excess in points, each limit with %s confidence by itself; p adjusted for all tests.", confidenceWords(a)),
		Heads: []string{"attribute", "finding", "shown by", "guessed", "without", "excess", "at least", "at most", "AUC", "p", "detectable"}, Words: []int{1, 2},
		Page: []string{"shown by", "at most", "detectable"},
	}
	for _, f := range worstFirst(a) {
		cells := []string{file.Name(f.Attribute), string(f.Verdict), shownBy(f), "–", "–", "–", "–", "–", "–", "–"}
		if b := f.BestBaseline(); b != nil {
			cells = append(cells[:3], figure1(f.Curiosity, f.R2), figure1(b.Accuracy, b.R2), change(f.Excess.Value, 1), change(below(f.Excess.Low, .001), 1), change(above(f.Excess.High, .001), 1), areaCell(f), briefP(f.Adjusted))
		}
		t.Kinds = append(t.Kinds, lookOfFinding(f).colour)
		t.add(append(cells, known(f.Power.Smallest, seen))...)
	}
	return t
}

// areaCell prints the AUC given both labels.
func areaCell(f *audit.Finding) string {
	if f.Given == nil || f.Given.Order == nil {
		return "–"
	}
	return percent1(f.Given.Order.Area)
}

// baselinesTable has what needs no curiosity.
func baselinesTable(f *audit.Finding) table {
	t := table{
		Name:  "Baselines for " + file.Name(f.Attribute),
		Says:  "Guesses without the outputs, and the excess of the attacks over each.",
		Heads: []string{"baseline", "guessed", "excess", "at least", "at most", "p"},
	}
	for _, b := range f.Baselines {
		t.add(baselineBrief(f, b.Name), figureOf(b.Accuracy, b.R2), change(b.Difference, 2), change(below(b.Low, .0001), 2), change(above(b.High, .0001), 2), briefP(b.P))
	}
	return t
}

// powerTable has the smallest excess that is found in each kind of channel.
func powerTable(a *audit.Result, f *audit.Finding) table {
	t := table{
		Name:  "Power for " + file.Name(f.Attribute),
		Says:  "The smallest excess that is found in each kind of planted channel.",
		Heads: []string{"channel", "found from", "lost", "remark"}, Words: []int{3},
	}
	for _, c := range f.Power.Channels {
		remark, lost := c.Note, "–"
		if c.Found {
			remark, lost = "planted and found", inPoints(c.LearningLoss, 2)
		} else if remark == "" {
			remark = "planted, and not found at any size"
		}
		t.add(c.Channel, known(c.Smallest, seen), lost, remark)
	}
	return t
}

// channelsTable has the codes that were planted into the outputs.
func channelsTable(a *audit.Result) table {
	t := table{
		Name:  "Planted channels",
		Says:  "A random attribute was written into these outputs as a code. “found from”: the smallest excess of the sizes tried that attacks find often enough.",
		Heads: []string{"channel", "where", "examples", "found from"}, Words: []int{1},
	}
	for _, c := range a.Channels {
		where := c.Where
		if c.Note != "" {
			where = "not planted: " + c.Note
		}
		t.add(c.Channel, where, fmt.Sprint(c.Examples), known(c.Planted, seen))
	}
	return t
}

// controlsTable has the audits of what is known.
func controlsTable(a *audit.Result) table {
	t := table{Name: "Controls", Says: "The same audit where the result is known: on shuffled attributes, and on " + plantedHow(a) + ". “planted”: the true excess.", Heads: []string{"control", "outcome", "examples", "verdict", "excess", "planted"}, Words: []int{1, 3}}
	for _, c := range a.Controls {
		t.Kinds = append(t.Kinds, map[bool]string{true: "clean", false: "bad"}[c.Passed])
		t.add(printable(c.Name), passedWords[c.Passed], fmt.Sprint(c.Examples), string(c.Verdict), change(c.Excess.Value, 2), known(c.TrueExcess, points2))
	}
	return t
}

// defencesTable has a line for every defence and attribute.
func defencesTable(a *audit.Result) table {
	t := table{
		Name:  "Defences",
		Says:  "Excess of quicker attacks, fitted again to the outputs of each defence" + defended(a) + ". *: recommended.",
		Heads: []string{"defence", "honesty", "lost", "attribute", "excess", "at most", "bits", "reveals"}, Words: []int{3},
		Page: []string{"lost", "bits"},
	}
	for _, d := range a.Defences {
		for j, l := range d.Left {
			name := printable(d.Name)
			if name == audit.NoDefence {
				name = "none, by these quicker attacks"
			}
			cells := []string{name + when(d.Recommended, " *"), percent(d.Honesty.Value), inPoints(d.HonestyLost, 2)}
			if j > 0 {
				cells = make([]string, 3) // as above
			}
			t.add(append(cells, file.Name(l.Attribute), change(l.Excess.Value, 2), change(above(l.Excess.High, .0001), 2), gainOf(l.Given, l.R2 != nil), shownIn(&l, a))...)
		}
	}
	return t
}
