package classify

import (
	"math"
	"slices"
)

// response is a target as it is learned: classes that occur in the rows, or numbers
// standardised.
type response struct {
	width    int   // classes of the target; 1 for numbers
	present  []int // classes that occur, ascending; nil for numbers
	standard standard
}

// newResponse returns the response of a target, and for each row the index of its class among
// those that are present, or its number.
func newResponse(t Target) (r response, labels []int32, values []float64) {
	if t.Labels == nil {
		r = response{width: 1, standard: standardOf(t.Values)}
		return r, nil, r.standard.scores(t.Values)
	}
	r.width = t.Classes
	seen := make([]int32, t.Classes)
	for _, l := range t.Labels {
		seen[l] = 1
	}
	for l, s := range seen {
		seen[l] = int32(len(r.present))
		if s != 0 {
			r.present = append(r.present, l)
		}
	}
	labels = make([]int32, len(t.Labels))
	for i, l := range t.Labels {
		labels[i] = seen[l]
	}
	return r, labels, nil
}

// scores returns how many scores are learned: one for each class that is present, or one number.
func (r *response) scores() int { return max(len(r.present), 1) }

// deliver overwrites dst, [n, width], as Fitted.Predict promises, with the classes or numbers
// that scores, [n, scores], mean.
func (r *response) deliver(dst, scores []float32) {
	k := len(r.present)
	switch {
	case r.present == nil:
		for i, z := range scores {
			dst[i] = r.standard.back(float64(z))
		}
		return
	case k == r.width:
		copy(dst, scores)
		return
	}
	for i := range dst {
		dst[i] = absent
	}
	for i := range len(dst) / r.width {
		for j, l := range r.present {
			dst[i*r.width+l] = scores[i*k+j]
		}
	}
}

// shares returns the share of each present class among the labels, each counted half
// an example too often, so that none is zero.
func (r *response) shares(labels []int32) []float64 {
	s := make([]float64, len(r.present))
	for i := range s {
		s[i] = .5
	}
	for _, l := range labels {
		s[l]++
	}
	for i := range s {
		s[i] /= float64(len(labels)) + .5*float64(len(s))
	}
	return s
}

// softmax turns scores into probabilities, and returns the logarithm of the sum that divided them.
func softmax(p []float64) float64 {
	top, sum := slices.Max(p), 0.
	for c, v := range p {
		p[c] = math.Exp(v - top)
		sum += p[c]
	}
	for c := range p {
		p[c] /= sum
	}
	return top + math.Log(sum)
}

// constant returns the scores of a guess that is the same for all rows: the logarithms of the
// classes' shares among the labels, or the mean of the numbers, 0.
func (r *response) constant(labels []int32) []float32 {
	if r.present == nil {
		return []float32{0}
	}
	var scores []float32
	for _, s := range r.shares(labels) {
		scores = append(scores, float32(math.Log(s)))
	}
	return scores
}

// standard is the mean and the standard deviation of numbers; deviation 1 stands for
// that of numbers which are all the same.
type standard struct{ mean, deviation float64 }

func standardOf(values []float64) standard {
	var sum, squares float64
	for _, v := range values {
		sum += v
	}
	mean := sum / float64(len(values))
	same := true
	for _, v := range values {
		squares += (v - mean) * (v - mean)
		same = same && v == values[0]
	}
	if same || !(squares > 0) {
		return standard{values[0], 1}
	}
	return standard{mean, math.Sqrt(squares / float64(len(values)))}
}

// scores returns the numbers less their mean, in standard deviations.
func (s standard) scores(values []float64) []float64 {
	z := make([]float64, len(values))
	for i, v := range values {
		z[i] = (v - s.mean) / s.deviation
	}
	return z
}

// back returns the number whose score is z, of those that float32 holds the nearest.
func (s standard) back(z float64) float32 { return finite(s.mean + s.deviation*z) }

// finite returns the nearest finite number.
func finite(v float64) float32 {
	return float32(min(max(v, -math.MaxFloat32), math.MaxFloat32))
}
