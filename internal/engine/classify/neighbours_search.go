package classify

import (
	"context"
	"math"

	"tattle/internal/math/simd"
)

const (
	// searchTile points are compared with searchBlock queries at once: their distances,
	// 256 KiB, stay in a core's cache.
	searchTile  = 2048
	searchBlock = 32
)

// points are the distinct rows among which neighbours are looked for.
type points struct {
	n, d    int
	weights []int // rows that are equal to the point; nil if each point is one row
	tiles   []*simd.Packed[float32]
}

// newPoints stores the points [n, d] with their squared lengths: 1 + |q−p|² is
// [−2q, 1, 1+|q|²]·[p, |p|², 1], above 0 however it is rounded.
func newPoints(x []float32, d int, of []int32) *points {
	p := &points{n: len(x) / d, d: d}
	if p.n < len(of) {
		p.weights = make([]int, p.n)
		for _, at := range of {
			p.weights[at]++
		}
	}
	tile := make([]float32, min(searchTile, p.n)*(d+2))
	for lo := 0; lo < p.n; lo += searchTile {
		m := min(searchTile, p.n-lo)
		for i := range m {
			row := x[(lo+i)*d : (lo+i+1)*d]
			copy(tile[i*(d+2):], row)
			tile[i*(d+2)+d], tile[i*(d+2)+d+1] = simd.SumSquares(row), 1
		}
		packed := new(simd.Packed[float32])
		packed.Pack(true, d+2, m, tile, d+2)
		p.tiles = append(p.tiles, packed)
	}
	return p
}

// search calls visit with the points of the k nearest rows, and those as far as the k-th,
// of each query of q, [m, d].
// Queries are visited on several cores; what visit is given may be reordered.
func (p *points) search(ctx context.Context, q []float32, k int, visit func(query int, found []candidate)) error {
	m := len(q) / p.d
	simd.Parallel((m+searchBlock-1)/searchBlock, 1, func(lo, hi int) {
		s := newSearcher(p)
		for b := lo; b < hi && ctx.Err() == nil; b++ {
			s.block(q, b*searchBlock, min(m, (b+1)*searchBlock), k, visit)
		}
	})
	return ctx.Err()
}

// searcher holds the buffers of one core.
type searcher struct {
	*points
	queries   []float32 // [searchBlock, d+2]
	distances []float32 // [searchBlock, searchTile]
	nearest   [searchBlock]nearest
}

// nearest collects the points of one query.
type nearest struct {
	found []candidate
	limit float32 // the largest distance of found, once there are k rows
	full  int     // the length at which found is cut
}

func newSearcher(p *points) *searcher {
	return &searcher{points: p, queries: make([]float32, searchBlock*(p.d+2)), distances: make([]float32, searchBlock*min(p.n, searchTile))}
}

func (s *searcher) block(q []float32, lo, hi, k int, visit func(query int, found []candidate)) {
	d := s.d
	for i := lo; i < hi; i++ {
		query, row := q[i*d:(i+1)*d], s.queries[(i-lo)*(d+2):]
		for j, v := range query {
			row[j] = -2 * v
		}
		row[d], row[d+1] = 1, 1+simd.SumSquares(query)
		c := &s.nearest[i-lo]
		c.found, c.limit, c.full = c.found[:0], math.MaxFloat32, 2*k
	}
	for t, tile := range s.tiles {
		_, n := tile.Dims()
		simd.GemmPacked(false, hi-lo, 1, s.queries, d+2, tile, 0, s.distances, n)
		for i := range hi - lo {
			s.offer(&s.nearest[i], s.distances[i*n:(i+1)*n], t*searchTile, k)
		}
	}
	for i := lo; i < hi; i++ {
		c := &s.nearest[i-lo]
		s.cut(c, k)
		visit(i, c.found)
	}
}

// offer adds the points, numbered from first on, that may be among the k nearest.
func (s *searcher) offer(c *nearest, distances []float32, first, k int) {
	for i, v := range distances {
		if v > c.limit {
			continue
		}
		c.found = append(c.found, candidateOf(v, first+i))
		if len(c.found) >= c.full {
			s.cut(c, k)
			c.full = 2 * max(k, len(c.found)) // of ties there may be any number
		}
	}
}

// cut drops what is farther than the k-th row.
func (s *searcher) cut(c *nearest, k int) {
	if _, end, _ := s.closest(c.found, k, -1); end > 0 && end < len(c.found) {
		c.limit = c.found[end-1].distance()
		c.found = c.found[:end]
	}
}
