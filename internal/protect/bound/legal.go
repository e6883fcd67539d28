package bound

import (
	"math"
	"math/rand/v2"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
)

// project moves each ε so that θ+ε lies in the domain exactly, in real
// arithmetic: theta is [examples, p], eps [examples, restarts, p].
func (d Domain) project(eps, theta []float32) {
	if d.Low == nil {
		return
	}
	p := len(d.Low)
	restarts := len(eps) / len(theta)
	parallel(len(eps)/p, func(r int) {
		e, t := eps[r*p:(r+1)*p], theta[r/restarts*p:(r/restarts+1)*p]
		for i := range e {
			e[i] = d.nearest(i, t[i], e[i])
		}
	})
}

// nearest returns the float32 nearest e for which t + e lies in the interval, up
// to one rounding; 0 if t itself does not.
func (d Domain) nearest(i int, t, e float32) float32 {
	inside := func(e float32) bool {
		x, err := twoSum(float64(t), float64(e))
		return d.contains(i, x, err)
	}
	if inside(e) {
		return e
	}
	if !inside(0) {
		return 0
	}
	end := d.High[i]
	if e < 0 {
		end = d.Low[i]
	}
	e = float32(end - float64(t))
	for !inside(e) {
		e = math.Nextafter32(e, 0)
	}
	return e
}

// replaceVoid draws, for ε that are zero, as J⁺z is where J is zero, or not
// numbers, others that prove something: entries N(0, size²), on which the
// certificate has the last word.
func (e Experiment) replaceVoid(eps, theta []float32, size float64) {
	p, restarts := e.Coordinates.Inputs(), e.Search.Restarts
	parallel(len(eps)/p, func(i int) {
		row := eps[i*p : (i+1)*p]
		if nn.Finite(row) && simd.MaxAbs(row) > 0 {
			return
		}
		g := rand.New(rand.NewPCG(e.Search.Seed, uint64(i%restarts)))
		for k := range row {
			row[k] = float32(g.NormFloat64() * size)
		}
		e.Domain.project(row, theta[i/restarts*p:(i/restarts+1)*p])
	})
}
