package bound

import (
	"context"
	"math"
)

// certifyChunk is how many examples' witnesses go through the net together:
// enough to keep a matrix product busy, few enough to stay in cache.
const certifyChunk = 16

// certify fills in bounds from witnesses: rows lo to hi of the record.
func (s *certified) certify(ctx context.Context, c *Certifier, w Coordinates, theta []float32, lo, hi, restarts int) error {
	p, _ := c.Net.Dims()
	m := w.Len()
	for first := lo; first < hi; first += certifyChunk {
		if err := ctx.Err(); err != nil {
			return err
		}
		last := min(hi, first+certifyChunk)
		eps := s.eps[first*restarts*p : last*restarts*p]
		ds := c.Divergences(theta[first*p:last*p], eps)
		parallel(last-first, func(i int) {
			r := first + i
			d := ds[i*restarts : (i+1)*restarts]
			for k, v := range d {
				s.znorm[r*restarts+k], s.allowance[r*restarts+k] = finite(v.ZNorm), finite(v.Allowance)
			}
			bounds := make([]float64, restarts*m)
			s.meanSquare[r], _ = witnessBounds(bounds, d, w, eps[i*restarts*p:(i+1)*restarts*p])
			best(s.std[r*m:(r+1)*m], s.winner[r*m:(r+1)*m], bounds)
		})
	}
	return nil
}

// finite replaces what a broken forward pass gives by the largest number.
func finite(v float64) float64 {
	if v < math.MaxFloat64 {
		return v
	}
	return math.MaxFloat64
}

// witnessBounds overwrites bounds, [witnesses, m], with what each witness of one
// example proves of each coordinate, and returns the best mean-square bound and
// its witness.
func witnessBounds(bounds []float64, ds []Divergence, w Coordinates, eps []float32) (meanSquare float64, winner int) {
	m, p := w.Len(), len(eps)/len(ds)
	wide := make([]float64, len(eps))
	for i, v := range eps {
		wide[i] = float64(v)
	}
	w.Apply(bounds, wide)
	for r, d := range ds {
		e := wide[r*p : (r+1)*p]
		gerr := w.Rounding() * length(e)
		row := bounds[r*m : (r+1)*m]
		for k, g := range row {
			row[k] = d.Std(g, gerr)
		}
		if s := d.MeanSquare(e); s > meanSquare {
			meanSquare, winner = s, r
		}
	}
	return meanSquare, winner
}

// best takes the largest bound on each coordinate, and which witness gives it: −1
// where none gives any.
func best(std []float64, winner []int16, bounds []float64) {
	m := len(std)
	for k := range std {
		std[k], winner[k] = 0, -1
	}
	for r := 0; r*m < len(bounds); r++ {
		for k, b := range bounds[r*m : (r+1)*m] {
			if b > std[k] {
				std[k], winner[k] = b, int16(r)
			}
		}
	}
}

// length returns ‖x‖ rounded up.
func length(x []float64) float64 {
	var s float64
	for _, v := range x {
		s += v * v
	}
	return math.Sqrt(s) * (1 + float64(len(x)+4)*ulp)
}
