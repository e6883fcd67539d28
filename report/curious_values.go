package report

import "tattle/curious"

// ROCsOf returns the ROC curves of one run: of honesty, then of each attack.
func ROCsOf(run string, v *curious.Evaluation) []ROC {
	all := []ROC{{Run: run, Of: OfHonesty, Attribute: v.Target, Curves: v.ROC}}
	for _, s := range v.Sensitive {
		all = append(all, ROC{Run: run, Of: OfCuriosity, Attribute: s.Attribute, Curves: s.ROC})
	}
	return all
}
