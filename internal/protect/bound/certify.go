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
				for k, d := range v.ds {
					part.Pair.Share[i*s.Witnesses+k] = d.Share
				}
				copy(rowOf(part.Pair.Std, i, m), v.pairs.std)
				part.Pair.MeanSquare[i] = v.pairs.square
			}
			if s.Search != SearchPairs {
				copy(rowOf(part.Std, i, m), v.bounds.std)
				part.MeanSquare[i] = v.bounds.square
			}
		})
	}
	return ctx.Err()
}

// proof is what the witnesses of one example prove.
type proof struct {
	ds      []Divergence
	bounds  limits
	pairs   limits // unless they are combined
	limited bool   // the combination is in real arithmetic, not as a runtime computes: it is never called unbounded
}

// limits are the best lower bounds on the errors of coordinates, and on the mean-square error, that any witness proves. Each
// has a relative tolerance: on another processor it may differ by so much.
type limits struct {
	std, slack          []float64 // [m]
	square, squareSlack float64
}

func newLimits(m int) limits { return limits{std: make([]float64, m), slack: make([]float64, m)} }

// raise raises the limit of coordinate k to v, if that is more.
func (l *limits) raise(k int, v, slack float64) {
	if v > l.std[k] {
		l.std[k], l.slack[k] = v, slack
	}
}

// raiseSquare raises the limit of the mean square.
func (l *limits) raiseSquare(v, slack float64) {
	if v > l.square {
		l.square, l.squareSlack = v, slack
	}
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
		v := &proof{ds: rowOf(ds, i, s.Witnesses), limited: s.runtime > 0 && !s.counted, bounds: newLimits(w.Len())}
		if !s.joint() {
			v.pairs = newLimits(w.Len())
		}
		g, gerr := v.singly(w, own(i))
		if s.joint() {
			solve := rowOf(s.solve, i, s.Witnesses*s.Witnesses)
			if settle {
				copy(solve, ms[i].coefficients(v.ds))
			}
			v.jointly(&ms[i], w, own(i), g, gerr, solve)
		}
		f(i, v)
	})
}

// singly fills in the best that a single witness proves. It returns wᵀε as computed and its
// error, [witnesses, m] and [witnesses].
func (v *proof) singly(w Coordinates, eps []float64) (g, gerr []float64) {
	m, p := w.Len(), len(eps)/len(v.ds)
	g = make([]float64, len(v.ds)*m)
	w.Apply(g, eps)
	for r, d := range v.ds {
		e := rowOf(eps, r, p)
		gerr = append(gerr, w.Rounding()*length(e))
		own := d.tolerance()
		for k, x := range rowOf(g, r, m) {
			v.bounds.raise(k, d.Std(x, gerr[r]), own)
		}
		v.bounds.raiseSquare(d.meanSquare(e), own*(2+own))
		if v.pairs.std == nil {
			continue
		}
		pair := d.slack()
		for k, x := range rowOf(g, r, m) {
			v.pairs.raise(k, d.Pair(x, gerr[r]), pair)
		}
		v.pairs.raiseSquare(d.PairMeanSquare(e), pair)
	}
	return g, gerr
}

// jointly adds what all witnesses prove together.
func (v *proof) jointly(ms *moments, w Coordinates, eps, g, gerr, solve []float64) {
	m := w.Len()
	std, slack := make([]float64, m), make([]float64, m)
	ms.std(std, slack, g, gerr, solve)
	for k, x := range slack {
		v.bounds.raise(k, unboundedIf(x >= 1 && !v.limited, std[k], UnboundedFrom), min(certificateTolerance+2*x, mostTolerance))
	}
	if !orthonormalBasis(w) {
		p := len(eps) / len(v.ds)
		std, slack = make([]float64, p), make([]float64, p)
		ms.std(std, slack, eps, make([]float64, len(v.ds)), solve)
	}
	part := squareSlackOf(std, slack)
	square := unboundedIf(part >= 1 && !v.limited, meanSquareOf(std), UnboundedFrom*UnboundedFrom)
	v.bounds.raiseSquare(square, min(certificateTolerance+2*part, mostTolerance))
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

// length returns ‖x‖ rounded up.
func length(x []float64) float64 {
	return math.Sqrt(square(x)) * (1 + float64(len(x)+4)*ulp)
}
