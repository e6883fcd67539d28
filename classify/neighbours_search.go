package classify

import (
	"cmp"
	"context"
	"math"
	"slices"

	"tattle/internal/simd"
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
	weights []float64 // rows that are equal to the point
	heavy   bool      // some weight is not 1
	tiles   []*simd.Packed[float32]
}

// newPoints stores the points [n, d] with their squared lengths: |q−p|² is, but for
// |q|², [−2q, 1]·[p, |p|²].
func newPoints(x []float32, d int, of []int32) *points {
	p := &points{n: len(x) / d, d: d, weights: make([]float64, len(x)/d)}
	for _, at := range of {
		p.weights[at]++
	}
	p.heavy = p.n < len(of)
	tile := make([]float32, searchTile*(d+1))
	for lo := 0; lo < p.n; lo += searchTile {
		m := min(searchTile, p.n-lo)
		for i := range m {
			row := x[(lo+i)*d : (lo+i+1)*d]
			copy(tile[i*(d+1):], row)
			tile[i*(d+1)+d] = simd.SumSquares(row)
		}
		packed := new(simd.Packed[float32])
		packed.Pack(true, d+1, m, tile, d+1)
		p.tiles = append(p.tiles, packed)
	}
	return p
}

// candidate is a point and its squared distance, less the query's squared length.
type candidate struct {
	far float32
	at  int32
}

// nearest collects the k nearest points of one query, and those as far as the k-th.
type nearest struct {
	k     int
	found []candidate
	full  int     // length at which it is cut back
	limit float32 // points beyond it are not among the nearest
}

func (c *nearest) reset(k int) {
	c.k, c.found, c.full, c.limit = k, c.found[:0], 2*k, float32(math.Inf(1))
}

// offer looks at the distances of points from first on.
func (c *nearest) offer(far []float32, first int) {
	for i, v := range far {
		if v > c.limit {
			continue
		}
		c.found = append(c.found, candidate{v, int32(first + i)})
		if len(c.found) >= c.full {
			c.cut()
			c.full = max(2*c.k, 2*len(c.found))
		}
	}
}

// cut drops what is farther than the k-th.
func (c *nearest) cut() {
	if len(c.found) <= c.k {
		return
	}
	c.limit = kth(c.found, c.k)
	kept := c.k
	for i, f := range c.found[c.k:] {
		if f.far == c.limit {
			c.found[kept], c.found[c.k+i] = f, c.found[kept]
			kept++
		}
	}
	c.found = c.found[:kept]
}

// sampled is the number among m of n points, drawn at random, as far as which there are
// k of all but once in about 10⁵ times: k·m/n and five standard deviations.
func sampled(k, m, n int) int {
	mean := float64(k) * float64(m) / float64(n)
	return int(mean + 5*math.Sqrt(mean) + 5)
}

// kth moves the k nearest to the front and returns the farthest of them (Hoare's
// selection, with the middle of three as the pivot).
func kth(c []candidate, k int) float32 {
	lo, hi := 0, len(c)-1
	for lo < hi {
		a, b, d := c[lo].far, c[(lo+hi)/2].far, c[hi].far
		pivot := max(min(a, b), min(max(a, b), d))
		i, j := lo, hi
		for i <= j {
			for c[i].far < pivot {
				i++
			}
			for c[j].far > pivot {
				j--
			}
			if i <= j {
				c[i], c[j] = c[j], c[i]
				i++
				j--
			}
		}
		switch {
		case k-1 <= j:
			hi = j
		case k-1 >= i:
			lo = i
		default:
			return pivot
		}
	}
	return c[k-1].far
}

// search calls visit with the k nearest points, or more, of each query of q, [m, d].
// Queries are visited on several cores.
func (p *points) search(ctx context.Context, q []float32, k int, visit func(query int, c *nearest)) error {
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
	a   []float32 // [searchBlock, d+1]
	far []float32 // [searchBlock, searchTile]
	c   [searchBlock]nearest
}

func newSearcher(p *points) *searcher {
	return &searcher{points: p, a: make([]float32, searchBlock*(p.d+1)), far: make([]float32, searchBlock*min(p.n, searchTile))}
}

func (s *searcher) block(q []float32, lo, hi, k int, visit func(query int, c *nearest)) {
	d := s.d
	for i := lo; i < hi; i++ {
		row := s.a[(i-lo)*(d+1):]
		for j, v := range q[i*d : (i+1)*d] {
			row[j] = -2 * v
		}
		row[d] = 1
		s.c[i-lo].reset(k)
	}
	for t := range s.tiles {
		s.measure(t, hi-lo, func(c *nearest, far []float32) {
			if t == 0 && len(s.tiles) > 1 {
				c.reset(min(k, sampled(k, len(far), s.n)))
			}
			c.offer(far, t*searchTile)
			if t == 0 {
				c.cut()
				c.k, c.full = k, 3*k
			}
		})
	}
	s.complete(lo, hi, k)
	for i := lo; i < hi; i++ {
		s.c[i-lo].cut()
		visit(i, &s.c[i-lo])
	}
}

// measure calls f with each of m queries and its distances to a tile's points.
func (s *searcher) measure(t, m int, f func(c *nearest, far []float32)) {
	_, n := s.tiles[t].Dims()
	simd.GemmPacked(false, m, 1, s.a, s.d+1, s.tiles[t], 0, s.far, n)
	for i := range m {
		f(&s.c[i], s.far[i*n:(i+1)*n])
	}
}

// complete begins again with the queries for which the limit taken from the first tile
// was too strict.
func (s *searcher) complete(lo, hi, k int) {
	var again [searchBlock]bool
	any := false
	for i := range hi - lo {
		if c := &s.c[i]; len(c.found) < min(k, s.n) {
			c.reset(k)
			again[i], any = true, true
		}
	}
	for t := 0; any && t < len(s.tiles); t++ {
		i := 0
		s.measure(t, hi-lo, func(c *nearest, far []float32) {
			if again[i] {
				c.offer(far, t*searchTile)
			}
			i++
		})
	}
}

// closest returns the points nearer than the k-th row and those exactly as far, of
// which a share counts that makes up k rows. self, unless negative, is a point of which
// one row does not count.
func (p *points) closest(found []candidate, k, self int) (near, edge []candidate, share float64) {
	if !p.heavy && self < 0 {
		return p.closestLight(found, k)
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(a.at, b.at))
	})
	var weight float64
	for lo := 0; lo < len(found); {
		hi, tied := lo, 0.
		for ; hi < len(found) && found[hi].far == found[lo].far; hi++ {
			tied += p.weights[found[hi].at]
			if int(found[hi].at) == self {
				tied--
			}
		}
		if weight+tied >= float64(k) {
			return found[:lo], found[lo:hi], (float64(k) - weight) / tied
		}
		weight += tied
		lo = hi
	}
	return found, nil, 0
}

// closestLight is closest where each point is one row.
func (p *points) closestLight(found []candidate, k int) (near, edge []candidate, share float64) {
	if len(found) <= k {
		return found, nil, 0
	}
	limit := kth(found, k)
	n := 0
	for i, f := range found {
		if f.far < limit {
			found[n], found[i] = f, found[n]
			n++
		}
	}
	end := n
	for i, f := range found[n:] {
		if f.far == limit {
			found[end], found[n+i] = f, found[end]
			end++
		}
	}
	return found[:n], found[n:end], float64(k-n) / float64(end-n)
}
