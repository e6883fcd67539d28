package classify

import "math"

// classes are the classes of a target that occur in the rows. Learners know only these.
type classes struct {
	width   int   // classes of the target
	present []int // ascending
}

// compact returns the classes that labels have, and each row's index among them.
func compact(t Target) (classes, []int32) {
	seen := make([]int32, t.Classes)
	for _, l := range t.Labels {
		seen[l] = 1
	}
	c := classes{width: t.Classes}
	for l, s := range seen {
		seen[l] = int32(len(c.present))
		if s != 0 {
			c.present = append(c.present, l)
		}
	}
	labels := make([]int32, len(t.Labels))
	for i, l := range t.Labels {
		labels[i] = seen[l]
	}
	return c, labels
}

// spread overwrites dst, [n, width], with scores of the classes that are present,
// [n, present].
func (c classes) spread(dst, scores []float32) {
	k := len(c.present)
	if k == c.width {
		copy(dst, scores)
		return
	}
	for i := range dst {
		dst[i] = absent
	}
	for i := range len(dst) / c.width {
		for j, l := range c.present {
			dst[i*c.width+l] = scores[i*k+j]
		}
	}
}

// shares returns the share of each present class among the labels, each counted half
// an example too often, so that none is zero.
func (c classes) shares(labels []int32) []float64 {
	s := make([]float64, len(c.present))
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
