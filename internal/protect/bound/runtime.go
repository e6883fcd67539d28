package bound

import (
	"fmt"
	"math"

	"tattle/internal/engine/nn"
	"tattle/internal/run"
)

// Runtime says how far each released feature may lie from the one that the net gives in
// real arithmetic: under Gaussian noise as a root mean square over the features, as only
// the norm of the error counts there; under Lattice noise before it is rounded. Released features are computed in float32, unlike
// those of the certificate; the difference is counted in the adversary's favour. The zero
// value means the default.
type Runtime struct {
	Error float64 `json:"error"` // δ, in the features' units; 0 is real arithmetic
	From  string  `json:"from"`  // RuntimeDerived, RuntimeMeasured or RuntimeGiven
}

// How δ is known.
const (
	RuntimeDerived  = "derived"  // by the running error analysis, to first order in float32's unit roundoff
	RuntimeMeasured = "measured" // as far as float32 passes differ from float64 ones, many times over
	RuntimeGiven    = "given"    // by the user
)

// RealArithmetic allows for no error of a runtime.
var RealArithmetic = Runtime{From: RuntimeGiven}

const (
	// runtimeUseful is the largest useful ratio of the derived allowance, at θ and θ+ε
	// together, to σ: it limits a certified error to some 20 times the change of the
	// input.
	runtimeUseful = 0.05
	// runtimeFactor: a measured δ is so many times the largest difference between a
	// float32 and a float64 pass, since other runtimes add in another order and other
	// inputs are rounded differently.
	runtimeFactor = 16
	// runtimeExamples is the largest number of examples, and of random corners of the
	// data's range, over which δ is the maximum; there are fewer, but at least two of
	// each, if they would have more than runtimeInputs inputs together.
	runtimeExamples = 16
	runtimeInputs   = 1 << 17
)

// runtimeCount returns that number of examples for p inputs.
func runtimeCount(p int) int { return max(2, min(runtimeExamples, runtimeInputs/p)) }

func (r Runtime) check() error {
	switch r.From {
	case "", RuntimeDerived, RuntimeMeasured, RuntimeGiven:
	default:
		return fmt.Errorf("unknown origin %q of the runtime error: must be %s, %s or %s", r.From, RuntimeDerived, RuntimeMeasured, RuntimeGiven)
	}
	if !(r.Error >= 0 && r.Error <= math.MaxFloat32) {
		return fmt.Errorf("runtime error %g: must be a finite number that is not negative", r.Error)
	}
	return nil
}

// runtime chooses δ for the first examples and random corners of the box that witnesses stay
// in. The float64 pass bounds its error by sums of multiples of its unit roundoff u =
// 2⁻⁵³; a pass in float32, whose u is 2⁻²⁴, errs to first order by 2²⁹ times as much. If
// that is too large to be useful, as for deep nets, or unknown, δ is measured. For a net
// that jumps, a derived δ of up to σ is used: a feature near a jump may lie on its other
// side.
func (e Experiment) runtime(f *front) Runtime {
	points := e.runtimePoints(f)
	_, n := f.Dims()
	most := runtimeUseful * e.Scale() / 2 / math.Sqrt(float64(n))
	if f.jumps != nil { // no measurement bounds jumps that it has not met
		most = e.Scale()
	}
	if δ := derivedError(f.Model, points, most); δ <= most {
		return Runtime{twoDigits(δ), RuntimeDerived}
	}
	return Runtime{powerOfTwo(measuredError(f.Model, points, e.certifier(f.Model).normOnly())), RuntimeMeasured}
}

// runtimePoints returns the first examples, and as many corners.
func (e Experiment) runtimePoints(f *front) []float32 {
	p, _ := f.Dims()
	points := append([]float32(nil), f.first[:min(len(f.first), runtimeCount(p)*p)]...)
	box := e.Domain
	if e.Far.Domain.Low != nil {
		box = e.Far.Domain
	} else if e.Twins.Domain.Low != nil {
		box = e.Twins.Domain
	}
	if box.Low == nil {
		return points
	}
	for k := range runtimeCount(p) {
		g := run.Rand(e.Search.Seed, -2, k)
		for i, low := range box.Low {
			if g.Uint32()&1 == 0 {
				low = box.High[i]
			}
			points = append(points, float32(low))
		}
	}
	return points
}

// derivedError is the largest running error bound of any feature at the points, in
// float32, or some value above enough.
func derivedError(m Model, points []float32, enough float64) (δ float64) {
	p, n := m.Dims()
	a, b := make([]float64, n), make([]float64, n)
	for at := 0; at < len(points) && δ <= enough; at += p {
		m.ForwardError32(a, b, nn.Float64s(points[at:at+p]))
		for _, v := range b {
			δ = max(δ, v)
		}
	}
	return δ
}

// measuredError is runtimeFactor times the largest difference at the points: of the
// root mean squares over the features where only the norm counts, else of any feature.
func measuredError(m Model, points []float32, norm bool) float64 {
	p, n := m.Dims()
	a, b := make([]float32, n), make([]float64, n)
	largest := 0.
	for at := 0; at < len(points); at += p {
		m.Forward(a, points[at:at+p])
		m.Forward64(b, nn.Float64s(points[at:at+p]))
		rms, most := apart(a, b)
		if norm {
			most = rms
		}
		largest = max(largest, most)
	}
	return min(largest*runtimeFactor, math.MaxFloat32)
}

// apart returns the distance of features a, computed in float32, from b, computed in float64: the
// root mean square over the features, and the most. Each counts as off by a rounding at least, so
// that no two agree by chance.
func apart(a []float32, b []float64) (rms, most float64) {
	square := 0.
	for j, v := range b {
		d := max(math.Abs(float64(a[j])-v), math.Abs(v)*0x1p-24)
		square += d * d
		most = max(most, d)
	}
	return math.Sqrt(square / float64(len(b))), most
}

// twoDigits rounds up to two digits, so that the last bits, in which processors
// differ, do not matter.
func twoDigits(v float64) float64 {
	if !(v > 0) {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(v))-1)
	return math.Ceil(v/unit) * unit
}

// powerOfTwo rounds up to one: what is measured differs more between processors.
func powerOfTwo(v float64) float64 {
	if !(v > 0) {
		return 0
	}
	return math.Exp2(math.Ceil(math.Log2(v)))
}

// Describe says in words which error is allowed for and how it is known.
func (r Runtime) Describe() string {
	switch r.From {
	case RuntimeDerived:
		return fmt.Sprintf("each released feature may lie %.2g off real arithmetic, as the error analysis of a float32 pass allows (derived, to first order in its unit roundoff)", r.Error)
	case RuntimeMeasured:
		return fmt.Sprintf("released features may differ from real arithmetic by %.2g (root mean square over the features for Gaussian noise, else each): %d times the measured difference between float32 and float64 passes, rounded up to a power of two", r.Error, runtimeFactor)
	case RuntimeGiven:
		if r.Error > 0 {
			return fmt.Sprintf("each released feature may lie %g off real arithmetic, as --runtime-error says (for Gaussian noise, their root mean square)", r.Error)
		}
		return "features are those of real arithmetic, as --runtime-error 0 says"
	}
	return ""
}
