package audit

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"tattle/internal/engine/classify"
	"tattle/internal/math/stat"
	"tattle/internal/report"
	"tattle/internal/reveal/curious"
)

// change is a defence that changes outputs.
type change struct {
	name, note string
	apply      func() *Sample
}

// changes lists the defences on outputs, those that release more before those that
// release less, NoDefence first.
func changes(s *Sample, seed uint64) []change {
	list, soft := []change{{name: NoDefence, apply: func() *Sample { return s }}}, sync.OnceValue(func() *Sample { return softened(s, 1) })
	add := func(name, note string, apply func() *Sample) { list = append(list, change{name, note, apply}) }
	if s.Kind == curious.Raw {
		for digits := 3; digits >= 1; digits-- {
			add(fmt.Sprintf("scores rounded to %s", report.Many(digits, "digit")), "", func() *Sample { return rounded(s, digits) })
		}
		add("soft", "", soft)
	}
	for _, t := range []float64{2, 5} {
		add(fmt.Sprintf("soft at temperature %v", t), "", func() *Sample { return softened(s, t) })
	}
	for digits := 3; digits >= 1; digits-- {
		add(fmt.Sprintf("soft rounded to %s", report.Many(digits, "digit")), "", func() *Sample { return rounded(soft(), digits) })
	}
	for _, k := range []int{3, 1} {
		if k < len(s.Classes)-1 { // else what is left out follows from the others
			add(fmt.Sprintf("top %d", k), "The other classes share what is left evenly.", func() *Sample { return top(soft(), k) })
		}
	}
	for i, noise := range []struct {
		share float64
		words string
	}{{.1, "0.1 standard deviations"}, {.3, "0.3 standard deviations"}, {1, "1 standard deviation"}} {
		add("noise of "+noise.words, "Somebody who asks for the same example several times can average the noise out.",
			func() *Sample { return noisy(s, noise.share, seed, uint64(i)) })
	}
	add(LabelOnly, "", func() *Sample { return labels(s) })
	return list
}

// with returns s with outputs, [n, Y], of another kind in place of its own.
func (s *Sample) with(outputs []float32, k curious.Outputs) *Sample {
	t := *s
	t.Outputs, t.Kind = outputs, k
	return &t
}

// softened returns the softmax of the scores over a temperature: of the floored
// logarithms if probabilities are released, which at temperature 1 stay as they are.
func softened(s *Sample, temperature float64) *Sample {
	if s.Kind == curious.Soft && temperature == 1 {
		return s
	}
	w := len(s.Classes)
	out := make([]float32, len(s.Outputs))
	row, logs := make([]float32, w), make([]float64, w)
	for i := range s.Len() {
		rawRow(row, s.Outputs[i*w:(i+1)*w], s.Kind, logs)
		for j := range row {
			row[j] = float32(float64(row[j]) / temperature)
		}
		softRow(out[i*w:(i+1)*w], row, curious.Raw)
	}
	return s.with(out, curious.Soft)
}

// rounded returns the outputs with so many decimal digits, as they are released then:
// probabilities need not sum to 1.
func rounded(s *Sample, digits int) *Sample {
	unit := math.Pow(10, float64(digits))
	out := make([]float32, len(s.Outputs))
	for i, v := range s.Outputs {
		out[i] = float32(math.RoundToEven(float64(v)*unit) / unit)
	}
	return s.with(out, s.Kind)
}

// top returns the k largest probabilities of each row, the first of equal ones; the
// other classes share the rest evenly, so that only its sum is revealed.
func top(s *Sample, k int) *Sample {
	w := len(s.Classes)
	out := make([]float32, len(s.Outputs))
	var sorter classify.Sorter
	for i := range s.Len() {
		from, to := s.Outputs[i*w:(i+1)*w], out[i*w:(i+1)*w]
		order := sorter.Descending(from)
		kept := 0.0
		for _, j := range order[:k] {
			to[j] = from[j]
			kept += float64(from[j])
		}
		share := float32(max(0, 1-kept) / float64(w-k))
		for _, j := range order[k:] {
			to[j] = min(share, to[order[k-1]]) // rounding must not lift them above
		}
	}
	return s.with(out, curious.Soft)
}

// labels returns one-hot rows of the hard labels.
func labels(s *Sample) *Sample {
	w := len(s.Classes)
	out := make([]float32, len(s.Outputs))
	for i, l := range classify.Guesses(s.Outputs, w) {
		out[i*w+l] = 1
	}
	return s.with(out, curious.Soft)
}

// noisy adds Gaussian noise to the scores, floored logarithms if probabilities are
// released, of the given share of the standard deviation they have within the classes
// of y.
func noisy(s *Sample, share float64, seed, index uint64) *Sample {
	w := len(s.Classes)
	scores, logs := make([]float32, len(s.Outputs)), make([]float64, w)
	for i := range s.Len() {
		rawRow(scores[i*w:(i+1)*w], s.Outputs[i*w:(i+1)*w], s.Kind, logs)
	}
	sd, r := share*spreadWithin(scores, w, s.Y), random(seed, streamNoise, index)
	for i, v := range scores {
		scores[i] = float32(float64(v) + sd*r.NormFloat64())
	}
	t := s.with(scores, curious.Raw)
	if s.Kind == curious.Soft {
		return softened(t, 1)
	}
	return t
}

// spreadWithin returns the root of the mean square of scores, [n, w], less the means of
// their column and y.
func spreadWithin(scores []float32, w int, y []int) float64 {
	within, left := newMeans(slices.Max(y)+1, w), make([]float64, len(scores))
	for i, v := range scores {
		left[i] = float64(v)
	}
	for i, c := range y {
		within.add(c, left[i*w:])
	}
	for i, c := range y {
		floats.Sub(left[i*w:(i+1)*w], within.of(c))
	}
	return stat.RMS(left)
}
