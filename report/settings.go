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
	in := r.Reading
	notes := []Setting{
		{"input shape", in.InputShape}, {"model output", in.ModelOutput},
		{"preprocessing", in.Preprocess}, {"preprocessing from", when(in.Beside, "the file beside the model")},
		{"labels", in.Labels}, {"target", in.Target}, {"sensitive attributes", strings.Join(in.Sensitive, "; ")},
		{"limit", in.Limit}, {"training limit", when(in.TrainingLimit > 0, fmt.Sprint(in.TrainingLimit))}, {"missing pictures", when(in.SkipMissing, "left out")},
		{"training data", r.Learned.File}, {"training sha256", r.Learned.SHA256}, {"figure", r.Figure},
	}
	if x := r.Experiment; x != nil {
		notes = append(notes, Setting{"Barankin witnesses", fmt.Sprint(x.Barankin.Witnesses)}, Setting{"far starts", fmt.Sprint(x.Far.Starts)}, Setting{"twin examples", fmt.Sprint(x.Twins.Examples)})
	}
	if a := r.Asked; a != nil {
		notes = append(notes, Setting{"defences", map[bool]string{true: "tried", false: "not tried"}[a.Defences]}, Setting{"folds asked for", when(a.Folds > 0, fmt.Sprint(a.Folds))})
	}
	if r.FailOn != nil {
		notes = append(notes, Setting{"fail on", r.FailOn.String()})
	}
	all := map[string]string{}
	maps.Copy(all, r.Settings)
	for _, s := range notes {
		if s.Value != "" {
			all[s.Key] = printable(s.Value)
		}
	}
	var rows []Setting
	for _, k := range slices.Sorted(maps.Keys(all)) {
		rows = append(rows, Setting{k, all[k]})
	}
	return rows
}
