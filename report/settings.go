package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Setting is one setting of a run, as text.
type Setting struct{ Key, Value string }

// SettingRows returns the settings of the run, sorted by name: how model and data were read, the
// training data, and what else the command records.
func (r *Report) SettingRows() []Setting {
	all := maps.Clone(r.Settings)
	if all == nil {
		all = map[string]string{}
	}
	note := func(key, value string) {
		if value != "" {
			all[printable(key)] = printable(value)
		}
	}
	in := r.Reading
	note("input shape", in.InputShape)
	note("model output", in.ModelOutput)
	note("preprocessing", in.Preprocess)
	if in.Beside {
		note("preprocessing from", "the file beside the model")
	}
	note("labels", in.Labels)
	note("target", in.Target)
	note("sensitive attributes", strings.Join(in.Sensitive, "; "))
	note("limit", in.Limit)
	if in.TrainingLimit > 0 {
		note("training limit", fmt.Sprint(in.TrainingLimit))
	}
	if in.SkipMissing {
		note("missing pictures", "left out")
	}
	note("training data", r.Learned.File)
	note("training sha256", r.Learned.SHA256)
	note("figure", r.Figure)
	if x := r.Experiment; x != nil {
		note("Barankin witnesses", fmt.Sprint(x.Barankin.Witnesses))
		note("far starts", fmt.Sprint(x.Far.Starts))
		note("twin examples", fmt.Sprint(x.Twins.Examples))
	}
	if a := r.Asked; a != nil {
		note("defences", map[bool]string{true: "tried", false: "not tried"}[a.Defences])
		if a.Folds > 0 {
			note("folds asked for", fmt.Sprint(a.Folds))
		}
	}
	if r.FailOn != nil {
		note("fail on", r.FailOn.String())
	}
	var rows []Setting
	for _, k := range slices.Sorted(maps.Keys(all)) {
		rows = append(rows, Setting{k, all[k]})
	}
	return rows
}
