// Package independent checks the bounds of a run with a second implementation. It shares no
// arithmetic with package bound: it computes features in pairs of float64, with about 106
// bits, and has its own formulas for the coordinates, for the bounds of Hammersley, Chapman
// and Robbins and of Barankin, and for floors on pairs of inputs, with Gaussian or Laplace
// noise.
//
// It reads each example's input, its witnesses and its recorded bounds, computes what the
// witnesses prove, and reports every recorded bound that is larger. So it finds an error in
// the certifier itself, which bound.Verify, the same code as the run, cannot find. It does
// not check that a bound is as large as it could be, that rounding was bounded rather than
// negligible, that inputs lie on a grid, or figures other than bounds by witnesses.
package independent

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"tattle/internal/engine/nn"
	"tattle/internal/math/simd"
	"tattle/internal/npy"
)

// Run says what the arrays of a run are about.
type Run struct {
	Graph   *nn.Graph // from an input to what the noise is added to; piecewise linear
	Laplace bool      // the family of the noise, Gaussian unless set
	Sigma   float64   // its standard deviation on each feature
	Queries int       // releases of one input; 0 is 1
	DCT     []int     // the shape of the input, [channels, rows, cols], [rows, cols] or [length], if cosine modes are bounded; nil for the entries of the input
	Kinds   []Kind
}

// Kind is one kind of witness.
type Kind struct {
	Name      string    // its arrays are called Name_eps, Name_std, Name_pair_floor and so on, those of the kind pair pair_eps, pair_floor; bounds that are absent are not checked
	Runtime   float64   // how far each feature that a runtime releases may be off, if every witness allows for it; else 0
	Low, High []float64 // the box that both inputs lie in; nil for any real numbers
}

// A Finding is a recorded bound that is larger than what the witnesses prove.
type Finding struct {
	Bound            string // which one, with its example and coordinate
	Recorded, Proved float64
}

// String says what is wrong in one line.
func (f Finding) String() string {
	return fmt.Sprintf("%s: recorded %g, but the witness proves at most %g", f.Bound, f.Recorded, f.Proved)
}

const (
	// tolerance is the relative difference that is put down to rounding here: the features
	// are exact to 10⁻²⁵, the rest is float64.
	tolerance = 1e-9
	// jointTolerance is the same for combined witnesses, some of which are nearly dependent.
	jointTolerance = 1e-6
	// coordinateError is how far wᵀε as computed here may be off, over ‖ε‖.
	coordinateError = 1e-13
	// unboundedFrom is the least bound that a run may call unbounded.
	unboundedFrom = 1e6
)

// Check compares the bounds in the arrays of a run, an .npz file, with what their witnesses
// prove, and returns the number of bounds compared and those that are too large. It returns
// an error if the arrays cannot be read or do not fit the run, or if the graph has an
// operator that it does not compute. progress is called after each example.
func Check(ctx context.Context, run Run, arrays string, progress func(done, total int)) (compared int, found []Finding, err error) {
	if _, err := forward(run.Graph, make([]pair, nn.Size(run.Graph.InputShape))); err != nil {
		return 0, nil, err
	}
	f, err := npy.Open(arrays)
	if err != nil {
		return 0, nil, err
	}
	defer f.Close()
	theta, err := f.Rows("theta")
	if err != nil {
		return 0, nil, err
	}
	for i := range theta.Len() {
		for _, kind := range run.Kinds {
			if err := ctx.Err(); err != nil {
				return compared, found, err
			}
			e := &example{run: run, kind: kind, row: i}
			if err := e.read(f); err != nil {
				return compared, found, fmt.Errorf("%s: bounds %q of example %d: %w", arrays, kind.Name, i, err)
			}
			e.check()
			compared += e.compared
			found = append(found, e.found...)
		}
		progress(i+1, theta.Len())
	}
	return compared, found, nil
}

// example is what is recorded of one example and one kind of witness.
type example struct {
	run                     Run
	kind                    Kind
	row, compared           int
	theta, eps, std, square []float64
	share, floor, mean      []float64 // of pairs: h of each witness, floors on coordinates, that on the mean square
	solve                   []float64 // [witnesses, witnesses]; nil unless witnesses are combined
	found                   []Finding
}

// read reads the arrays' rows. Bounds that were not recorded stay nil.
func (e *example) read(f *npy.File) error {
	for suffix, to := range map[string]*[]float64{"theta": &e.theta, "eps": &e.eps, "std": &e.std, "mean_square": &e.square, "solve": &e.solve,
		"pair_share": &e.share, "pair_floor": &e.floor, "pair_mean_square": &e.mean} {
		name := strings.Replace(e.kind.Name+"_"+suffix, "pair_pair_", "pair_", 1)
		if suffix == "theta" {
			name = suffix
		} else if suffix != "eps" && !slices.Contains(f.Names(), name) || e.kind.Name+suffix == "pairmean_square" { // a floor
			continue
		}
		rows, err := f.Rows(name)
		if err != nil {
			return err
		}
		a, err := rows.Read(e.row, e.row+1)
		if err != nil {
			return err
		}
		if *to, err = a.Float64s(); err != nil {
			return err
		}
	}
	return e.fit()
}

// fit returns an error unless the arrays fit the model, and each other.
func (e *example) fit() error {
	p, fits := nn.Size(e.run.Graph.InputShape), func(x []float64, size int) bool { return x == nil || len(x) == size }
	if w := len(e.eps) / p; len(e.theta) != p || w*p != len(e.eps) || !fits(e.std, p) || !fits(e.square, 1) || !fits(e.solve, w*w) ||
		!fits(e.share, w) || !fits(e.floor, p) || !fits(e.mean, 1) || !fits(e.kind.Low, p) || !fits(e.kind.High, p) {
		return fmt.Errorf("%d inputs, %d numbers of witnesses, %d bounds, %d floors and %d combinations do not fit the model", len(e.theta), len(e.eps), len(e.std), len(e.floor), len(e.solve))
	}
	return nil
}

// check compares the recorded bounds with those proved.
func (e *example) check() {
	p, z := len(e.theta), e.displacements()
	g, root, share, size := make([][]float64, len(z)), make([]float64, len(z)), make([]float64, len(z)), make([]float64, len(z)) // wᵀε, √χ², h and ‖ε‖
	std, floor, square, mean := make([]float64, p), make([]float64, p), 0., 0.                                                   // of coordinates, and the largest mean squares: bound and pair floor
	for r := range z {
		eps := e.eps[r*p : (r+1)*p]
		g[r], size[r] = e.run.apply(eps), math.Sqrt(simd.SumSquares(eps))
		root[r], share[r] = e.root(z[r])
		if z[r] == nil {
			g[r] = make([]float64, p)
		} else if q := size[r] / root[r]; size[r] > 0 {
			square = max(square, q*q/float64(p)*(1+2*tolerance))
		}
		share[r] *= 1 + tolerance
		mean = max(mean, size[r]*size[r]/float64(p)*share[r]*(1+tolerance))
		for k, v := range g[r] {
			floor[k] = max(floor[k], (math.Abs(v)+coordinateError*size[r])*math.Sqrt(share[r])*(1+tolerance))
		}
	}
	if e.solve != nil {
		std = e.combined(z, g)
		square = max(square, simd.SumSquares(std)/float64(p)*(1+2*jointTolerance))
	}
	for k := range std {
		std[k] *= 1 + jointTolerance
		for r := range z {
			if size[r] > 0 && z[r] != nil {
				std[k] = max(std[k], (math.Abs(g[r][k])+coordinateError*size[r])/root[r]*(1+tolerance))
			}
		}
	}
	for _, c := range []struct {
		bound            string
		recorded, proved []float64
		unbounded        float64 // from here on a bound may be recorded as unbounded
	}{
		{"std", e.std, std, unboundedFrom}, {"mean_square", e.square, []float64{square}, unboundedFrom * unboundedFrom},
		{"pair_share", e.share, share, math.Inf(1)}, {"pair_floor", e.floor, floor, math.Inf(1)}, {"pair_mean_square", e.mean, []float64{mean}, math.Inf(1)},
	} {
		for k, recorded := range c.recorded {
			if e.compared++; !(recorded <= 0 || recorded <= c.proved[k] || math.IsInf(recorded, 1) && c.proved[k] >= c.unbounded) {
				e.found = append(e.found, Finding{fmt.Sprintf("%s_%s of example %d, number %d", e.kind.Name, c.bound, e.row, k), recorded, c.proved[k]})
			}
		}
	}
}

// displacements returns z = a(θ+ε) − a(θ) of each witness, nil if an input lies outside
// the box.
func (e *example) displacements() [][]float64 {
	p := len(e.theta)
	features := func(eps []float64) []pair {
		x := make([]pair, p)
		for i, t := range e.theta {
			x[i] = sum(t, eps[i])
			if e.kind.Low != nil && (x[i].less(pair{hi: e.kind.Low[i]}) || pair{hi: e.kind.High[i]}.less(x[i])) {
				return nil
			}
		}
		a, _ := forward(e.run.Graph, x)
		return a
	}
	z := make([][]float64, len(e.eps)/p)
	a0 := features(make([]float64, p))
	var wait sync.WaitGroup
	for r := range z {
		wait.Go(func() {
			a1 := features(e.eps[r*p : (r+1)*p])
			for j := range min(len(a0), len(a1)) {
				z[r] = append(z[r], a1[j].plus(a0[j].times(-1)).hi)
			}
		})
	}
	wait.Wait()
	return z
}

// apply returns wᵀε for every coordinate w: entries, or modes of the orthonormal type-II
// cosine transform y_k = s_k Σ_i x_i cos(π(2i+1)k/2n), s_0 = √(1/n) and s_k = √(2/n), over
// rows and columns of each channel.
func (r Run) apply(eps []float64) []float64 {
	if r.DCT == nil {
		return eps
	}
	shape := append([]int{1}, r.DCT...)
	rows, cols := shape[len(shape)-2], shape[len(shape)-1]
	return cosines(cosines(eps, cols, 1), rows, cols)
}

// cosines transforms every n entries of x that lie step apart.
func cosines(x []float64, n, step int) []float64 {
	y := make([]float64, len(x))
	for at := range x {
		k, first := at/step%n, at-at/step%n*step
		for i := range n {
			y[at] += x[first+i*step] * math.Cos(math.Pi*float64((2*i+1)*k%(4*n))/float64(2*n))
		}
		if y[at] *= math.Sqrt(2 / float64(n)); k == 0 {
			y[at] /= math.Sqrt2
		}
	}
	return y
}
