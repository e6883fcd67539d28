package audit

import (
	"math"

	"tattle/internal/math/simd"
	"tattle/internal/math/stat"
	"tattle/internal/reveal/curious"
)

// Where nobody says who the examples are about, examples of one person show as near-copies: the nearest neighbour of
// an example among the outputs has the same s far more often than neighbours that are a little farther. What
// honest outputs reveal of s changes little over that distance.
const (
	nearMost    = 2000 // examples whose neighbours are looked at
	farFrom     = 9    // the first of the farther neighbours: a person has few examples
	farTo       = 24   // the last of them
	nearBlock   = 64   // examples whose distances are computed together
	nearColumns = 4096 // to so many others at a time
	nearSigmas  = 4    // standard errors beyond which near-copies show
	nearLeast   = .22  // the least share of chance disagreements that near-copies lack
)

// nearCopies reports whether the nearest neighbours of examples agree with them in an attribute far more often than
// farther ones do, so that people with several examples are likely. The difference is a share of how often two examples
// that are drawn at random disagree. In simulations of 100 to 1,300 people with 2 to 4 classes, it was at most .22 where
// each had one example, and at least .23 where they had two or more.
func (s *Sample) nearCopies(a int, seed uint64) bool {
	n, w := s.Len(), s.RowWidth()
	if s.Group != nil || n <= 2*farTo {
		return false
	}
	agree, chance := agreement(&s.Sensitive[a])
	x, norm := s.spread(), make([]float32, n)
	for i := range norm {
		norm[i] = simd.Dot(x[i*w:(i+1)*w], x[i*w:(i+1)*w])
	}
	rows := drawRows(n, nearMost, random(seed, streamNear, uint64(a)))
	more := make([]float64, len(rows))
	simd.Parallel((len(rows)+nearBlock-1)/nearBlock, 1, func(lo, hi int) {
		own, dot := make([]float32, nearBlock*w), make([]float32, nearBlock*nearColumns)
		for b := lo; b < hi; b++ {
			some := rows[b*nearBlock : min(len(rows), (b+1)*nearBlock)]
			for k, i := range some {
				copy(own[k*w:(k+1)*w], x[i*w:(i+1)*w])
			}
			var found [nearBlock]nearest
			for from := 0; from < n; from += nearColumns {
				m := min(nearColumns, n-from)
				simd.Gemm(false, true, len(some), m, w, 1, own, w, x[from*w:], w, 0, dot, m)
				for k, i := range some {
					found[k].look(norm[from:from+m], dot[k*m:(k+1)*m], from, i)
				}
			}
			for k, i := range some {
				far := 0.
				for _, j := range found[k].at[farFrom-1:] {
					far += agree(i, j) / (farTo - farFrom + 1)
				}
				more[b*nearBlock+k] = agree(i, found[k].at[0]) - far
			}
		}
	})
	mean, sd := stat.MeanStd(more)
	return mean > nearLeast*chance && mean > nearSigmas*sd/math.Sqrt(float64(len(rows)))
}

// agreement returns how much two examples agree in an attribute, 1 if it is equal, and how much two that are drawn at
// random disagree. Of numbers it is 1 less half of their squared difference over the variance.
func agreement(a *Attribute) (agree func(i, j int) float64, chance float64) {
	if a.Numeric() {
		_, sd := stat.MeanStd(a.Numbers)
		return func(i, j int) float64 {
			d := (a.Numbers[i] - a.Numbers[j]) / sd
			return 1 - d*d/2
		}, 1
	}
	counts := make([]float64, len(a.Values))
	for _, l := range a.Labels {
		counts[l]++
	}
	chance = 1
	for _, c := range counts {
		chance -= c / float64(len(a.Labels)) * c / float64(len(a.Labels))
	}
	return func(i, j int) float64 { return one(a.Labels[i] == a.Labels[j]) }, chance
}

// nearest are the nearest examples of one, the nearest first.
type nearest struct {
	have     int
	at       [farTo]int
	distance [farTo]float32
}

// look looks for those of example i among the ones after from, by the norms of their rows and the products with its
// own; of equally near ones it keeps the first.
func (x *nearest) look(norm, dot []float32, from, i int) {
	for j, d := range norm {
		if d -= 2 * dot[j]; from+j == i || x.have == farTo && d >= x.distance[farTo-1] {
			continue
		}
		k := min(x.have, farTo-1)
		for ; k > 0 && x.distance[k-1] > d; k-- {
			x.at[k], x.distance[k] = x.at[k-1], x.distance[k-1]
		}
		x.at[k], x.distance[k], x.have = from+j, d, min(x.have+1, farTo)
	}
}

// spread returns the outputs with columns of mean 0 and standard deviation 1: scores, or the logarithms of
// probabilities.
func (s *Sample) spread() []float32 {
	n, w := s.Len(), s.RowWidth()
	x, column := make([]float32, n*w), make([]float64, n)
	for j := range w {
		for i := range column {
			v := float64(s.Outputs[i*w+j])
			if s.Kind == curious.Soft {
				v = math.Log(max(v, probabilityFloor))
			}
			column[i] = v
		}
		mean, sd := stat.MeanStd(column)
		for i, v := range column {
			if sd > 0 {
				x[i*w+j] = float32((v - mean) / sd)
			}
		}
	}
	return x
}
