package audit

import (
	"math"

	"tattle/classify"
	"tattle/stat"
)

// entropies returns that of each row of outputs as a distribution over the classes of
// y, in bits: of their softmax if they are scores.
func entropies(s *Sample) []float64 {
	w := len(s.Classes)
	h, p := make([]float64, s.Len()), make([]float32, w)
	for i := range h {
		softRow(p, s.Outputs[i*w:(i+1)*w], s.Kind)
		h[i] = max(0, classify.Entropy(p)) / math.Ln2
	}
	return h
}

// entropyShift compares s with the references in o, if there are any, by whether its
// mean entropy would be one more of theirs; nil without examples.
func entropyShift(s *Sample, o Options) *EntropyShift {
	if s.Len() < 2 {
		return nil
	}
	h := entropies(s)
	mean, sd := stat.MeanStd(h)
	e := &EntropyShift{MeanBits: mean, References: len(o.References)}
	for a := range s.Sensitive {
		if at := &s.Sensitive[a]; !at.Numeric() {
			if d := entropyDifference(at, s.Y, len(s.Classes), h, o.Confidence); d != nil {
				e.Differences = append(e.Differences, *d)
			}
		}
	}
	if len(o.References) < 2 {
		return e
	}
	means, sampling := make([]float64, len(o.References)), 0.0
	for i, r := range o.References {
		var spread float64
		means[i], spread = stat.MeanStd(entropies(r))
		sampling += spread * spread / float64(r.Len()) / float64(len(o.References))
	}
	sampling += sd * sd / float64(s.Len())
	if !o.Unpaired {
		sampling = 0 // the same examples
	}
	of, ofSD := stat.MeanStd(means)
	_, p := stat.OneMore(mean, means, sampling)
	e.ReferenceMean, e.ReferenceSD, e.ShiftBits, e.P = &of, &ofSD, new(mean-of), new(2*min(p, 1-p))
	return e
}
