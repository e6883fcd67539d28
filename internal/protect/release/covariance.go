package release

import (
	"errors"
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/mat"

	"tattle/internal/engine/nn"
	"tattle/internal/npy"
)

// MaxCovariance is the largest number of features of a Covariance.
const MaxCovariance = 1 << 13

const (
	// mostAsymmetry is by how much C_ij and C_ji may differ, over √(C_ii·C_jj).
	mostAsymmetry = 1e-6
	// mostDistortion is by how much an entry of WL may be off that of the identity, W being
	// the stored float32 of L⁻¹: the noise of the release then has the covariance to about
	// that part.
	mostDistortion = 1e-3
)

// Covariance is that of Gaussian noise, C = LLᵀ, positive definite. Noise σLz on numbers a,
// z of independent standard normal entries, is a bijection, by L, of noise σz on L⁻¹a: these
// numbers are what Spec.Build releases, with a head that begins with L. So every bound for
// noise that is the same in all directions holds for any covariance.
type Covariance struct {
	n     int
	c     []float64     // C, [n, n]
	lower *mat.TriDense // L
}

// NewCovariance returns the covariance of n numbers, c [n, n]. It returns an error if c has
// another size, or if it is not finite, symmetric and positive definite.
func NewCovariance(n int, c []float64) (*Covariance, error) { return newCovariance(n, c, 0x1p-52) }

// ReadCovariance reads a NumPy array (.npy) of shape [n, n] and returns NewCovariance of it.
func ReadCovariance(path string) (*Covariance, error) {
	a, err := npy.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if len(a.Shape) != 2 || a.Shape[0] != a.Shape[1] {
		return nil, fmt.Errorf("%s: shape %v; a covariance is a square matrix", path, a.Shape)
	}
	c, err := a.Float64s()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	precision := 0x1p-52
	if _, single := a.Data.([]float32); single {
		precision = 0x1p-23
	}
	v, err := newCovariance(a.Shape[0], c, precision)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return v, nil
}

// newCovariance is NewCovariance of entries of that relative precision.
func newCovariance(n int, c []float64, precision float64) (*Covariance, error) {
	if n < 1 || n > MaxCovariance {
		return nil, fmt.Errorf("a covariance of %d numbers; must be of 1 to %d: release fewer, by a projection", n, MaxCovariance)
	}
	if len(c) != n*n {
		return nil, fmt.Errorf("%d entries of a covariance of %d numbers; must be %d", len(c), n, n*n)
	}
	v := &Covariance{n: n}
	if err := v.symmetric(c); err != nil {
		return nil, err
	}
	return v, v.factorize(4 * precision * math.Sqrt(float64(n)))
}

// Dim returns n, of how many numbers it is the covariance.
func (v *Covariance) Dim() int { return v.n }

// Write writes the matrix as a NumPy array.
func (v *Covariance) Write(w io.Writer) error { return npy.Write(w, []int{v.n, v.n}, v.c) }

// symmetric sets the entries to those of c, each with its mirror image's mean.
func (v *Covariance) symmetric(c []float64) error {
	n := v.n
	for i, x := range c {
		if x-x != 0 {
			return fmt.Errorf("the covariance is %v at row %d, column %d: must be finite", x, i/n, i%n)
		}
		if i/n == i%n && x < 0 {
			return fmt.Errorf("the variance of number %d is %g: must be positive", i/n, x)
		}
	}
	v.c = make([]float64, n*n)
	for i := range n {
		for j := range n {
			x, y := c[i*n+j], c[j*n+i]
			if !(math.Abs(x-y) <= mostAsymmetry*math.Sqrt(c[i*n+i])*math.Sqrt(c[j*n+j])) {
				return fmt.Errorf("the covariance is not symmetric: %g at row %d, column %d, but %g at row %d, column %d", x, i, j, y, j, i)
			}
			v.c[i*n+j] = x/2 + y/2
		}
	}
	return nil
}

// factorize computes L. rounding is what may remain, relative to a variance, of one that is
// zero but for the rounding of the entries.
func (v *Covariance) factorize(rounding float64) error {
	unit, ridge := mat.NewSymDense(v.n, nil), mat.NewSymDense(v.n, nil) // C with variances 1
	for i := range v.n {
		for j := range i + 1 {
			x := v.c[i*v.n+j]
			if d := math.Sqrt(v.c[i*v.n+i]) * math.Sqrt(v.c[j*v.n+j]); d > 0 {
				x /= d
			}
			unit.SetSym(i, j, x)
			ridge.SetSym(i, j, x)
		}
		ridge.SetSym(i, i, ridge.At(i, i)+rounding)
	}
	var factor mat.Cholesky
	if !factor.Factorize(ridge) {
		return errors.New("the matrix is not a covariance: it has a negative variance in some direction")
	}
	var pivoted mat.PivotedCholesky
	pivoted.Factorize(unit, rounding)
	if r := pivoted.Rank(); r < v.n || !factor.Factorize(mat.NewSymDense(v.n, v.c)) {
		return fmt.Errorf("the covariance is singular (rank %d of %d), so some directions would get no noise; add some variance to its diagonal, or release fewer numbers by a projection",
			min(r, v.n-1), v.n)
	}
	v.lower = new(mat.TriDense)
	factor.LTo(v.lower)
	white, err := v.whiten()
	if err != nil || v.check(white) != nil {
		return errors.New("the covariance is too nearly singular: its variances in different directions differ by too much for float32; give the quietest directions more noise")
	}
	return nil
}

// whiten returns the layers of L⁻¹ and, on the way back, L.
func (v *Covariance) whiten() (layers, error) {
	n := v.n
	var inverse mat.TriDense
	if err := inverse.InverseTri(v.lower); err != nil && !isCondition(err) {
		return layers{}, err
	}
	m := &Map{In: n, Out: n, Weight: make([]float64, n*n), Back: make([]float64, n*n)}
	for i := range n {
		for j := range i + 1 {
			m.Weight[i*n+j], m.Back[i*n+j] = inverse.At(i, j), v.lower.At(i, j)
		}
	}
	return m.layers("whiten"), nil
}

// check returns an error unless a release with these layers has noise of the covariance: W
// must be L⁻¹ and the way back L, as far as float32 can hold them.
func (v *Covariance) check(l layers) error {
	n := v.n
	if err := l.fit(n, n); err != nil {
		return err
	}
	if l.onto.Bias != nil {
		return errors.New("its layers have a bias")
	}
	lower := mat.DenseCopyOf(v.lower).RawMatrix().Data
	for k, got := range l.back.Weight.Data {
		if !(math.Abs(float64(got)-lower[k]) <= mostDistortion*math.Sqrt(v.c[k/n*n+k/n])) {
			return fmt.Errorf("the head does not undo it at row %d, column %d", k/n, k%n)
		}
	}
	if i, j, off := offIdentity(nn.Float64s(l.onto.Weight.Data), lower, n, mostDistortion); off {
		return fmt.Errorf("with it, the noise has another covariance: row %d, column %d", i, j)
	}
	return nil
}
