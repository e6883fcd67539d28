package bound

import (
	"fmt"
	"math"
	"math/rand/v2"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
)

// A Domain is the set of inputs at which an estimator is held to be unbiased: all of
// R^p where Low is nil, else a box, or those inputs in it that are on a grid.
type Domain struct {
	Low, High []float64
	Grid      []Values // what the inputs can be stored as, from the first to the last; nil: any real numbers

	name string // of a domain that was read back, whose inputs are not known
}

// The names of domains.
const (
	DomainFree   = "free"   // any real numbers
	DomainLegal  = "legal"  // real numbers within the data's range
	DomainStored = "stored" // what the data can hold: pixels of 8 bits, integers, categories
)

// Free is R^p, the domain of paper A.
var Free = Domain{}

// Legal returns the box of inputs within the data's range, given for each input.
func Legal(low, high []float64) (Domain, error) {
	if len(low) == 0 || len(low) != len(high) {
		return Domain{}, fmt.Errorf("range of inputs: %d lower and %d upper ends", len(low), len(high))
	}
	for i := range low {
		if !(low[i] <= high[i]) {
			return Domain{}, fmt.Errorf("range of input %d: from %g to %g", i, low[i], high[i])
		}
	}
	return Domain{Low: low, High: high}, nil
}

// String names the domain.
func (d Domain) String() string {
	switch {
	case d.name != "":
		return d.name
	case d.Low == nil:
		return DomainFree
	case d.Grid == nil:
		return DomainLegal
	}
	return DomainStored
}

// MarshalText returns the domain's name.
func (d Domain) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads the domain's name. Of another domain than Free nothing else is known:
// it must be replaced before the experiment can be run or verified.
func (d *Domain) UnmarshalText(name []byte) error {
	if *d = Free; string(name) != DomainFree {
		d.name = string(name)
	}
	return nil
}

// check returns an error unless the domain is one of p inputs.
func (d Domain) check(p int) error {
	switch {
	case d.name != "":
		return fmt.Errorf("which inputs are in the domain %q is not known", d.name)
	case d.Low != nil && len(d.Low) != p:
		return fmt.Errorf("the range of a domain is for %d inputs, the model has %d", len(d.Low), p)
	}
	return nil
}

// contains reports whether the box has the exact value x + e, |e| ≤ u|x|, of input i.
func (d Domain) contains(i int, x, e float64) bool {
	return d.Low == nil || (x > d.Low[i] || x == d.Low[i] && e >= 0) &&
		(x < d.High[i] || x == d.High[i] && e <= 0)
}

// twoSum returns x = fl(a+b) and the exact error e, so that x + e = a + b.
func twoSum(a, b float64) (x, e float64) {
	x = a + b
	t := x - a
	return x, (a - (x - t)) + (b - t)
}

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
