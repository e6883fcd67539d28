package bound

import (
	"context"
	"math"
)

// certifyRows is how many points go through the net together: enough to keep a
// matrix product busy, few enough to stay in cache. Where an input or its features
// are long, so few that a pass of them does not take long either.
const (
	certifyRows   = 416
	certifyFloats = 1 << 18
)

// certifyRowsOf is that number for a net of p inputs and n features.
func certifyRowsOf(p, n int) int {
	if max(p, n) <= 1024 {
		return certifyRows
	}
	return max(1, min(certifyRows, certifyFloats/max(p, n)))
}

// certify fills in the bounds that the witnesses of the inputs theta prove, and the
// coefficients that combine them.
func (s *Bounds) certify(ctx context.Context, c *Certifier, w Coordinates, theta []float32) error {
	p, m := w.Inputs(), w.Len()
	rows, chunk := len(theta)/p, max(1, c.rows()/(1+s.Witnesses))
	for lo := 0; lo < rows; lo += chunk {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(rows, lo+chunk)
		part := s.rows(lo, hi, p, m)
		part.prove(ctx, c, w, theta[lo*p:hi*p], true, func(i int, v *proof) {
			if !s.joint() {
				part.Pair.keep(i, m, v)
			}
			if s.Search == SearchPairs {
				return
			}
			part.MeanSquare[i] = v.meanSquare
			best(rowOf(part.Std, i, m), rowOf(part.Winner, i, m), v.bounds, s.Witnesses)
		})
	}
	return ctx.Err()
}

// proof is what the witnesses of one example prove.
type proof struct {
	ds          []Divergence
	pairs       pairs     // unless they are combined
	bounds      []float64 // [witnesses, m], and a row of all together where they are combined
	slack       []float64 // [m], of that row
	meanSquare  float64
	broadest    int     // the witness that gave it, or combined
	squareSlack float64 // of meanSquare, were it of all together
	limited     bool    // the combination is in real arithmetic, not as a runtime computes: it is never called unbounded
}

// prove calls f with what the witnesses of each of the inputs theta prove. If settle is
// set it fills in the coefficients that combine them, else it uses those recorded.
func (s *Bounds) prove(ctx context.Context, c *Certifier, w Coordinates, theta []float32, settle bool, f func(i int, v *proof)) {
	c.Domain, c.Runtime, c.Counted = s.domain, s.runtime, s.counted
	own := func(i int) []float64 { return s.of(i, w.Inputs()) }
	ds := c.evaluate(ctx, theta, s.Witnesses, own)
	var ms []moments
	if s.joint() {
		ms = c.moments(ds, s.Witnesses)
	}
	parallel(len(ds)/s.Witnesses, func(i int) {
		v := &proof{ds: rowOf(ds, i, s.Witnesses), limited: s.runtime > 0 && !s.counted}
		if !s.joint() {
			v.singly(w, own(i), false)
			f(i, v)
			return
		}
		solve := rowOf(s.solve, i, s.Witnesses*s.Witnesses)
		if settle {
			copy(solve, ms[i].coefficients(v.ds))
		}
		v.jointly(&ms[i], w, own(i), solve)
		f(i, v)
	})
}

// singly fills in what each witness proves of each coordinate, and the best
// mean-square bound. If the witnesses are to be combined it returns wᵀε as computed and its
// error, [witnesses, m] and [witnesses]; else it fills in the pair floors.
func (v *proof) singly(w Coordinates, eps []float64, combined bool) (g, gerr []float64) {
	m, p := w.Len(), len(eps)/len(v.ds)
	v.bounds = make([]float64, len(v.ds)*m, (len(v.ds)+1)*m)
	w.Apply(v.bounds, eps)
	if combined {
		g = append(g, v.bounds...)
	}
	for r, d := range v.ds {
		e := eps[r*p : (r+1)*p]
		gerr = append(gerr, w.Rounding()*length(e))
		row := v.bounds[r*m : (r+1)*m]
		if !combined {
			v.pairs.add(d, e, row, gerr[r])
		}
		for k, g := range row {
			row[k] = d.Std(g, gerr[r])
		}
		if s := d.meanSquare(e); s > v.meanSquare {
			v.meanSquare, v.broadest = s, r
		}
	}
	return g, gerr
}

// jointly adds what all witnesses prove together.
func (v *proof) jointly(ms *moments, w Coordinates, eps, solve []float64) {
	g, gerr := v.singly(w, eps, true)
	m, all := w.Len(), len(v.bounds)
	v.bounds, v.slack = v.bounds[:all+m], make([]float64, m)
	ms.std(v.bounds[all:], v.slack, g, gerr, solve)
	std, slack := v.bounds[all:], v.slack
	if !orthonormalBasis(w) {
		p := len(eps) / len(v.ds)
		std, slack = make([]float64, p), make([]float64, p)
		ms.std(std, slack, eps, make([]float64, len(v.ds)), solve)
	}
	v.squareSlack = squareSlackOf(std, slack)
	if s := unboundedIf(v.squareSlack >= 1 && !v.limited, meanSquareOf(std), UnboundedFrom*UnboundedFrom); s > v.meanSquare {
		v.meanSquare, v.broadest = s, combined
	}
	for k, x := range v.slack {
		v.bounds[all+k] = unboundedIf(x >= 1 && !v.limited, v.bounds[all+k], UnboundedFrom)
	}
}

// unboundedIf returns v, or +Inf if v depends on rounding alone and is at least from: as for a
// single witness, such a figure is not worth printing.
func unboundedIf(rounding bool, v, from float64) float64 {
	if rounding && v >= from {
		return math.Inf(1)
	}
	return v
}

// orthonormalBasis reports whether coordinates are an orthonormal basis of the inputs.
func orthonormalBasis(w Coordinates) bool {
	switch w.(type) {
	case *modes, pixels, *tableColumns:
		return true
	}
	return false
}

// best takes the largest bound on each coordinate, and which witness gives it: −1
// where none gives any, combined for what comes after the witnesses' own.
func best(std []float64, winner []int16, bounds []float64, each int) {
	m := len(std)
	for k := range std {
		std[k], winner[k] = 0, -1
	}
	for r := 0; r*m < len(bounds); r++ {
		who := int16(r)
		if r == each {
			who = combined
		}
		for k, b := range bounds[r*m : (r+1)*m] {
			if b > std[k] {
				std[k], winner[k] = b, who
			}
		}
	}
}

// length returns ‖x‖ rounded up.
func length(x []float64) float64 {
	return math.Sqrt(square(x)) * (1 + float64(len(x)+4)*ulp)
}
