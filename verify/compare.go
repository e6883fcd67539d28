package verify

import (
	"tattle/report"
)

// recomputed is a report that was made again, with what could not be checked.
type recomputed struct {
	dir      string
	report   *report.Report // nil if no figures are recomputed
	verified string         // what holds, if nothing differs
	found    []string       // a line for each certificate that does not hold
	left     []notChecked
	absent   absent
}

// absent says which inputs are absent, or were found at a place that an option names, so
// that the recorded place was not checked.
type absent struct {
	model, data, training bool
	modelMoved, dataMoved bool
	candidates            bool // of the adversary who holds a list
	scaling               bool // the training data from which the noise was computed
	attacks               bool // none is, but attacks.npz is there
	independent           bool // nothing is, but the independent check was done, which is of a part
	promise               bool // the report is on a promise, which is compared with limits from lists
	// Of audits: a model or an endpoint was applied, and is not applied again, or the file
	// of outputs is absent.
	questions, endpoint, outputs bool
	references, trained          bool // there are some, and they are not trained again
}

// notChecked is a part of reports that verify cannot recompute.
type notChecked struct {
	paths []string // as report.Unchecked has them; none for what is in files beside the report
	name  string
	why   string
	when  func(absent) bool // nil: always
}

// unchecked returns the parts of this report that are not compared.
func (v *recomputed) unchecked(recorded *report.Report) (all []report.Unchecked) {
	add := func(n notChecked) {
		for _, path := range n.paths {
			all = append(all, report.Unchecked{Path: path, Name: n.name, Why: n.why})
		}
	}
	for _, n := range v.left {
		if n.when == nil || n.when(v.absent) {
			add(n)
		}
	}
	for _, n := range v.among(recorded) {
		add(n)
	}
	return all
}

// compare compares a report with what was recomputed. It returns a line for each difference,
// and what could not be compared.
func (v *recomputed) compare(document []byte, recorded *report.Report) (found []string, left []report.Unchecked, err error) {
	changed, gone, err := changedFiles(v.dir, recorded)
	if err != nil {
		return nil, nil, err
	}
	if len(changed) == 0 {
		if changed, err = begun(v.dir, recorded); err != nil {
			return nil, nil, err
		}
	}
	if v.report != nil {
		fresh := *v.report
		fresh.Warnings = alongside(recorded.Warnings, v.report.Warnings)
		fresh.Rendered = recorded.Rendered         // compared above
		fresh.Verdict = recorded.VerdictSentence() // that of the other values
		if found, left, err = report.Compare(document, &fresh, append(v.unchecked(recorded), gone...)); err != nil {
			return nil, nil, err
		}
	} else {
		left = gone
	}
	found = append(found, changed...)
	for _, n := range v.left {
		if len(n.paths) == 0 && n.when(v.absent) {
			left = append(left, report.Unchecked{Name: n.name, Why: n.why})
		}
	}
	if conditions := recorded.Conditions(); conditions != "" {
		left = append(left, report.Unchecked{Name: "THE CONDITIONS of limits without a list: that " + conditions, Why: "nothing in a run records them"})
	}
	return append(v.found[:len(v.found):len(v.found)], found...), left, nil
}
