package audit

import (
	"math"

	"tattle/classify"
	"tattle/stat"
)

// leakage returns the ratios of the finding's counts: nil for a numeric attribute, and if the
// guess or a baseline is right on no example, so that there is no finite ratio.
func leakage(f *Finding, confidence float64) *Leakage {
	majority, prior := f.ratio(Majority, confidence)
	label, given := f.ratio(FromLabel, confidence)
	if majority == 0 || label == 0 {
		return nil
	}
	return &Leakage{
		Multiplicative: majority, Interval: prior,
		MinEntropyBits: math.Log2(majority),
		GivenLabel:     label, GivenInterval: given,
	}
}

// ratio returns the guess's accuracy over that of a baseline, with the interval of
// stat.PairedRatio; 0 if either is right on none.
func (f *Finding) ratio(name string, confidence float64) (float64, [2]float64) {
	for i := range f.Baselines {
		b := &f.Baselines[i]
		if b.Name != name || b.Accuracy == nil || f.Curiosity == nil || b.Accuracy.Correct == 0 || f.Curiosity.Correct == 0 {
			continue
		}
		in := stat.PairedRatio(b.both(f.Curiosity), b.AttackAlone, b.BaselineAlone, confidence)
		return float64(f.Curiosity.Correct) / float64(b.Accuracy.Correct), [2]float64{in.Low, in.High}
	}
	return 0, [2]float64{}
}

// both returns how many examples guess and baseline have right.
func (b *Baseline) both(curiosity *classify.Proportion) int { return curiosity.Correct - b.AttackAlone }
