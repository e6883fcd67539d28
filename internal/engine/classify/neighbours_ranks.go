package classify

import (
	"encoding/binary"
	"math"
	"sort"

	"tattle/internal/math/simd"
)

// ranks replaces each column by where its values stand among those of the rows it was
// made from: from −√3 to √3, uniform with variance 1 if no two are equal. Equal
// values share the middle of their ranks, and values in between are interpolated.
type ranks struct{ values, ranks [][]float32 } // of each column, ascending

func newRanks(x []float32, d int) *ranks {
	r := &ranks{make([][]float32, d), make([][]float32, d)}
	sortedColumns(x, d, func(j int, column []float32) { r.values[j], r.ranks[j] = middleRanks(column) })
	return r
}

func middleRanks(sorted []float32) (values, middle []float32) {
	n := float64(len(sorted))
	for lo := 0; lo < len(sorted); {
		hi := lo + 1
		for hi < len(sorted) && sorted[hi] == sorted[lo] {
			hi++
		}
		values = append(values, sorted[lo])
		middle = append(middle, float32(math.Sqrt(3)*(float64(lo+hi)/n-1)))
		lo = hi
	}
	return values, middle
}

// rank returns the rank of v in column j.
func (r *ranks) rank(j int, v float32) float32 {
	values, ranks := r.values[j], r.ranks[j]
	i := sort.Search(len(values), func(i int) bool { return values[i] >= v })
	switch {
	case i == len(values):
		return ranks[i-1]
	case i == 0 || values[i] == v:
		return ranks[i]
	}
	a, b := float64(values[i-1]), float64(values[i])
	share := float32((float64(v) - a) / (b - a))
	return ranks[i-1] + share*(ranks[i]-ranks[i-1])
}

// rows returns the ranks of rows.
func (r *ranks) rows(x []float32) []float32 {
	d := len(r.values)
	y := make([]float32, len(x))
	simd.Parallel(len(x)/d, 512, func(lo, hi int) {
		for i := lo * d; i < hi*d; i++ {
			y[i] = r.rank(i%d, x[i])
		}
	})
	return y
}

// distinct returns the rows that differ, in the order in which they first come, and for
// each row of x which of them it is.
func distinct(x []float32, d int) (rows []float32, of []int32) {
	n := len(x) / d
	seen := make(map[string]int32)
	key := make([]byte, 4*d)
	of = make([]int32, n)
	for i := range n {
		row := x[i*d : (i+1)*d]
		for j, v := range row {
			binary.LittleEndian.PutUint32(key[4*j:], math.Float32bits(v+0)) // −0 is 0
		}
		at, old := seen[string(key)]
		if !old {
			at = int32(len(rows) / d)
			seen[string(key)] = at
			rows = append(rows, row...)
		}
		of[i] = at
	}
	return rows, of
}

// shuffledDistinct is distinct with the rows in the given order; of is of x's rows.
func shuffledDistinct(x []float32, d int, order []int) (rows []float32, of []int32) {
	shuffled := make([]float32, len(x))
	for i, at := range order {
		copy(shuffled[i*d:(i+1)*d], x[at*d:])
	}
	rows, place := distinct(shuffled, d)
	of = make([]int32, len(place))
	for i, at := range order {
		of[at] = place[i]
	}
	return rows, of
}
