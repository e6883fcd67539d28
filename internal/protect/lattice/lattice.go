// Package lattice is the mathematics of a release of integers: features are clipped and rounded
// to multiples of Δ, and discrete Gaussian noise is added, sampled exactly.
//
// A release of floating-point numbers is not what the proofs are about: the low-order bits of
// a + z depend on a (I. Mironov, CCS 2012; arXiv:2207.13793). The integers of this package have
// exactly the distribution of the proofs.
package lattice

import (
	"errors"
	"fmt"
	"math"
)

// Lattice is the mechanism that releases m + N for features a of n numbers: m_j = round(clip(a_j)/Δ),
// and the N_j are independent, P(N_j = k) ∝ exp(−k²Δ²/2σ²) for every integer k. With Ball, clip moves a
// to the ball of radius Clip about 0, and round is toward 0, so that Δ‖m‖ ≤ Clip for certain.
type Lattice struct {
	// Delta is Δ, the distance of neighbouring points: a power of two, so that dividing by
	// it and multiplying by it is exact.
	Delta float64
	// Sigma is σ, in units of the features. The standard deviation of NΔ is at most σ, and
	// differs from it by less than one part in 10⁶. It is at least Delta.
	Sigma float64
	// Clip limits each feature to [−Clip, Clip]: a multiple of Delta. With Ball it limits the Euclidean norm of all
	// features together, and is any number.
	Clip float64
	Ball bool
	// Dim is n, the number of features.
	Dim int
}

// The limits of a Lattice.
const (
	// MaxRatio is the largest σ/Δ: more would gain nothing.
	MaxRatio = 1 << 24
	// MaxPoints limits Clip/Δ: up to it every point of the lattice is a float32, so that
	// runtimes which round in float32 find the same integers.
	MaxPoints = 1 << 24
	// MaxDim limits the number of features.
	MaxDim = 1 << 24

	minDelta = 0x1p-64
	maxDelta = 0x1p+64
)

// Check returns an error that names the first parameter which is not allowed.
func (l Lattice) Check() error {
	if frac, _ := math.Frexp(l.Delta); frac != .5 || l.Delta < minDelta || l.Delta > maxDelta {
		return fmt.Errorf("delta %v: must be a power of two from 2^-64 to 2^64", l.Delta)
	}
	if ratio := l.Ratio(); !(ratio >= 1 && ratio <= MaxRatio) {
		return fmt.Errorf("sigma %v with delta %v: must be 1 to %d times delta", l.Sigma, l.Delta, MaxRatio)
	}
	if points := l.Clip / l.Delta; l.Ball && !(points >= 1 && points <= MaxPoints) {
		return fmt.Errorf("norm %v with delta %v: must be 1 to %d times delta", l.Clip, l.Delta, MaxPoints)
	} else if !(points >= 1 && points <= MaxPoints) || points != math.Floor(points) && !l.Ball {
		return fmt.Errorf("clip %v with delta %v: must be a multiple of delta, 1 to %d times as large", l.Clip, l.Delta, MaxPoints)
	}
	if l.Dim < 1 || l.Dim > MaxDim {
		return fmt.Errorf("%d features: must be 1 to %d", l.Dim, MaxDim)
	}
	return nil
}

// Ratio returns σ/Δ, exactly.
func (l Lattice) Ratio() float64 { return l.Sigma / l.Delta }

// ErrNaN is the error of features that are not numbers.
var ErrNaN = errors.New("a feature is not a number")

// Within times a norm is the radius to which a front clips n features in float32, so that what it computes is within the norm: a
// sum of n squares, one after the other, errs by less than n·2⁻²⁴, and its root by n·2⁻²⁵. Other operations, and other runtimes, are
// left 2⁻¹³.
func Within(n int) float64 { return 1 - max(0x1p-12, 0x1p-13+float64(n)*0x1p-25) }

// reached times Within and Clip is the norm from which features count as clipped.
const reached = 1 - 0x1p-12

// inside times Clip is the radius to which AddRounded moves features that are farther out. It computes their norm, and the
// entries of the result, with a relative error of less than (MaxDim+8)·2⁻⁵³ < 2⁻²⁸, so the integers are within Clip.
const inside = 1 - 0x1p-20

// Round overwrites dst with the points of the lattice that are next to the clipped features; of
// two that are equally near, the even one. With Ball, it takes those next to them toward 0. It returns how many features were clipped,
// and ErrNaN, with dst set to zeros, if one is not a number, or with Ball not finite. It panics unless both slices have
// Dim entries.
func (l Lattice) Round(dst []int64, features []float32) (clipped int, err error) {
	clear(dst)
	return l.AddRounded(dst, features)
}

// AddRounded is Round which adds the points to dst. After an error dst is all zeros.
func (l Lattice) AddRounded(dst []int64, features []float32) (clipped int, err error) {
	if len(dst) != l.Dim || len(features) != l.Dim {
		panic(fmt.Sprintf("lattice: %d features into %d integers, of a lattice of %d", len(features), len(dst), l.Dim))
	}
	if l.Ball {
		return l.addInBall(dst, features)
	}
	scale, most := 1/l.Delta, l.Clip/l.Delta
	var nan bool
	for j, v := range features {
		x := float64(v) * scale // exact: a float32 times a power of two
		p := max(-most, min(most, x))
		if p != x {
			clipped++
		}
		nan = nan || x != x
		dst[j] += int64(math.RoundToEven(p))
	}
	if nan {
		clear(dst)
		return 0, ErrNaN
	}
	return clipped, nil
}

// addInBall is AddRounded with Ball.
func (l Lattice) addInBall(dst []int64, features []float32) (clipped int, err error) {
	scale, most, square := 1/l.Delta, l.Clip/l.Delta*inside, 0.
	for _, v := range features {
		square += float64(v) * scale * (float64(v) * scale) // a float32 times 2⁶⁴, squared, does not overflow
	}
	norm := math.Sqrt(square)
	if math.IsNaN(norm) || math.IsInf(norm, 1) {
		clear(dst)
		return 0, ErrNaN
	}
	if norm > most {
		scale *= most / norm
	}
	if norm >= l.Clip/l.Delta*Within(l.Dim)*reached {
		clipped = l.Dim
	}
	for j, v := range features {
		dst[j] += int64(float64(v) * scale) // toward 0
	}
	return clipped, nil
}

// Point returns the point of the lattice, a multiple of Delta, that Round gives a feature; with Ball, one of features whose
// norm is at most Inside. It is exact up to the rounding of a to a multiple of Delta. It is NaN for NaN.
func (l Lattice) Point(a float64) float64 {
	if l.Ball {
		return math.Trunc(a/l.Delta) * l.Delta
	}
	return math.RoundToEven(max(-l.Clip, min(l.Clip, a))/l.Delta) * l.Delta
}

// Points returns the smallest and the largest point that a feature within e of a can have.
func (l Lattice) Points(a, e float64) (low, high float64) {
	e = (e + 0x1p-52*math.Abs(a)) * (1 + 0x1p-50) // a − e and a + e are rounded
	return l.Point(a - e), l.Point(a + e)
}

// Inside is the norm up to which features are not clipped by a Lattice with Ball, as computed: it is a little below Clip.
func (l Lattice) Inside() float64 { return l.Clip * inside * (1 - 0x1p-28) }

// Box is the least multiple of Delta that no feature exceeds after it is clipped.
func (l Lattice) Box() float64 { return math.Ceil(l.Clip/l.Delta) * l.Delta }

// Values overwrites dst with the features that released integers stand for, Δ times each,
// rounded to float32. This is post-processing: it reveals nothing more.
func (l Lattice) Values(dst []float32, released []int64) {
	for j, k := range released {
		dst[j] = float32(float64(k) * l.Delta)
	}
}
