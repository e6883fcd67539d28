package classify

import (
	"context"

	"tattle/internal/simd"
)

const (
	// searchTile points are compared with searchBlock queries at once: their distances,
	// 256 KiB, stay in a core's cache.
	searchTile  = 2048
	searchBlock = 32
	// searchSample points bound, before any others are looked at, how far the nearest
	// can be.
	searchSample = 512
)

// points are the distinct rows among which neighbours are looked for.
type points struct {
	n, d    int
	weights []int // rows that are equal to the point; nil where each point is one row
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

// search calls visit with the k nearest points, or more, of each query of q, [m, d].
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

// searcher has the room of one core.
type searcher struct {
	*points
	a   []float32 // [searchBlock, d+2]
	far []float32 // [searchBlock, searchTile]
	c   [searchBlock]nearest
}

func newSearcher(p *points) *searcher {
	return &searcher{points: p, a: make([]float32, searchBlock*(p.d+2)), far: make([]float32, searchBlock*min(p.n, searchTile))}
}

func (s *searcher) block(q []float32, lo, hi, k int, visit func(query int, found []candidate)) {
	d := s.d
	for i := lo; i < hi; i++ {
		query, row := q[i*d:(i+1)*d], s.a[(i-lo)*(d+2):]
		for j, v := range query {
			row[j] = -2 * v
		}
		row[d], row[d+1] = 1, 1+simd.SumSquares(query)
		s.c[i-lo].reset(k)
	}
	for t := range s.tiles {
		s.measure(t, hi-lo, func(c *nearest, far []float32) {
			if t == 0 {
				c.begin(far, s.n)
			} else {
				c.offer(far, t*searchTile)
			}
		})
	}
	s.complete(hi-lo, k)
	for i := lo; i < hi; i++ {
		s.c[i-lo].cut(k)
		visit(i, s.c[i-lo].found)
	}
}

// measure calls f with each of m queries and its distances to a tile's points.
func (s *searcher) measure(t, m int, f func(c *nearest, far []float32)) {
	_, n := s.tiles[t].Dims()
	simd.GemmPacked(false, m, 1, s.a, s.d+2, s.tiles[t], 0, s.far, n)
	for i := range m {
		f(&s.c[i], s.far[i*n:(i+1)*n])
	}
}

// complete begins again with the queries for which a limit taken from a sample was too
// strict.
func (s *searcher) complete(m, k int) {
	var again [searchBlock]bool
	any := false
	for i := range m {
		if c := &s.c[i]; len(c.found) < min(k, s.n) {
			c.reset(k)
			again[i], any = true, true
		}
	}
	for t := 0; any && t < len(s.tiles); t++ {
		i := 0
		s.measure(t, m, func(c *nearest, far []float32) {
			if again[i] {
				c.offer(far, t*searchTile)
			}
			i++
		})
	}
}
