package audit

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// entropyCell is the entropies of one class of s and of y: how many, their mean, and
// the sum of squares about it.
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
// if there are not two such classes or no such y.
func entropyDifference(at *Attribute, y []int, classes int, h []float64, confidence float64) *EntropyDifference {
	cells, large := entropyCells(at, y, classes, h)
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

// entropyCells sums up the classes of s that have smallestSubgroup examples, each by y.
// large lists them in the order of their first examples, so that ties do not depend on
// what they are called.
func entropyCells(at *Attribute, y []int, classes int, h []float64) (cells [][]entropyCell, large []int) {
	cells = make([][]entropyCell, len(at.Values))
	size := make([]int, len(at.Values))
	for _, l := range at.Labels {
		size[l]++
	}
	for i, l := range at.Labels {
		if size[l] < smallestSubgroup {
			continue
		}
		if cells[l] == nil {
			cells[l] = make([]entropyCell, classes)
			large = append(large, l)
		}
		cells[l][y[i]].add(h[i])
	}
	return cells, large
}

// sharedTargets returns the weight of each y, which is 0 if a class has fewer than
// two examples; nil if it is 0 everywhere.
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
