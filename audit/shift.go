package audit

import (
	"math"

	"tattle/curious"
	"tattle/stat"

	"gonum.org/v1/gonum/stat/distuv"
)

// entropies returns that of each row of outputs as a distribution over the classes of
// y, in bits: of their softmax where they are scores.
func entropies(s *Sample) []float64 {
	w := len(s.Classes)
	h, p := make([]float64, s.Len()), make([]float64, w)
	for i := range h {
		row := s.Outputs[i*w : (i+1)*w]
		top, total := 0.0, 0.0
		if s.Kind == curious.Raw {
			top = float64(row[argmax(row)])
		}
		for j, v := range row {
			if p[j] = max(0, float64(v)); s.Kind == curious.Raw {
				p[j] = math.Exp(float64(v) - top)
			}
			total += p[j]
		}
		for j := range p {
			p[j] /= total
		}
		h[i] = stat.EntropyBits(p)
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

// entropyCell is the entropies of one class of s and of y.
type entropyCell struct{ n, mean, square float64 }

func (c *entropyCell) add(h float64) {
	c.n++
	d := h - c.mean
	c.mean += d / c.n
	c.square += d * (h - c.mean)
}

// entropyDifference compares the classes of s that have smallestSubgroup examples by
// their mean entropies within each y that has two examples or more of all of them,
// weighted by how many of these classes' examples y has. The interval holds for every
// pair of classes at once, by Bonferroni, and so for the pair that was picked. It is nil
// where there are not two such classes or no such y.
func entropyDifference(at *Attribute, y []int, classes int, h []float64, confidence float64) *EntropyDifference {
	cells := make([][]entropyCell, len(at.Values))
	size := make([]int, len(at.Values))
	for _, l := range at.Labels {
		size[l]++
	}
	var large []int
	for _, l := range at.Labels { // in the order of the examples, so that ties do not depend on names
		if size[l] >= smallestSubgroup && cells[l] == nil {
			cells[l] = make([]entropyCell, classes)
			large = append(large, l)
		}
	}
	for i, l := range at.Labels {
		if cells[l] != nil {
			cells[l][y[i]].add(h[i])
		}
	}
	weight := sharedTargets(cells, large, classes)
	if len(large) < 2 || weight == nil {
		return nil
	}
	mean, variance := make([]float64, len(large)), make([]float64, len(large))
	high, low := 0, 0
	for k, l := range large {
		for j, w := range weight {
			if c := cells[l][j]; w > 0 {
				mean[k] += w * c.mean
				variance[k] += w * w * c.square / (c.n - 1) / c.n
			}
		}
		if mean[k] > mean[high] {
			high = k
		}
		if mean[k] < mean[low] {
			low = k
		}
	}
	pairs := float64(len(large)*(len(large)-1)) / 2
	half := distuv.UnitNormal.Quantile(1-(1-confidence)/(2*pairs)) * math.Sqrt(variance[high]+variance[low])
	bits := mean[high] - mean[low]
	return &EntropyDifference{
		Attribute: at.Name, Bits: bits, Interval: [2]float64{max(0, bits-half), bits + half},
		Highest: at.Values[large[high]], Lowest: at.Values[large[low]],
	}
}

// sharedTargets returns the weight of each y, which is 0 where a class has fewer than
// two examples; nil where it is 0 everywhere.
func sharedTargets(cells [][]entropyCell, large []int, classes int) []float64 {
	weight, total := make([]float64, classes), 0.0
	for j := range weight {
		n := 0.0
		for _, l := range large {
			if cells[l][j].n < 2 {
				n = 0
				break
			}
			n += cells[l][j].n
		}
		weight[j] = n
		total += n
	}
	if total == 0 {
		return nil
	}
	for j := range weight {
		weight[j] /= total
	}
	return weight
}
