package bound

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"tattle/internal/file"
	"tattle/internal/simd"
)

// A choice is a search, Direct if Jacobians are decomposed, and its reason.
type choice struct{ search, why string }

const (
	// favour is how many times as long as LSQR a decomposition or a factor may take and still be
	// chosen. A decomposition is also used for Cramér-Rao figures, both for singular directions,
	// and timings that vary should not change the choice.
	favour = 2
	// Timed are products of J with trialVectors vectors, and of square matrices with trialSide
	// rows.
	trialVectors = 16
	trialSide    = 384
)

// choose chooses the search for Jacobians of size j. It decomposes them if they are so small that
// it takes hardly any time. Otherwise the first of a decomposition and a Cholesky factor that
// memory allows, and whose predicted time is at most favour times that of LSQR, is chosen. The
// prediction uses measured times of products with J and of matrix products. The manifest of a run
// stores the choice.
func (e Experiment) choose(m Model, x []float32, j jacobianSize) choice {
	if min(j.rows, j.cols) <= eigenSmall {
		return choice{Direct, j.String() + ": its decomposition is cheap and serves all restarts"}
	}
	p, _ := m.Dims()
	c := e.chooseDirect(j)
	limit := favour * e.freeTime(m, x[:p])
	if c.search == Direct {
		c.why = fmt.Sprintf("%s: decomposing it takes %s of memory and, judging by the time of its products, %%s %d times as long as LSQR", j, inGiB(j.kept()+j.working()), favour)
		if e.directTime(m, x[:p], j) <= limit {
			return choice{Direct, fmt.Sprintf(c.why, "at most")}
		}
		c.why = fmt.Sprintf(c.why, "more than")
	}
	o := j.gramOptions()
	switch {
	case o.WorkingBytes() > e.budget()/2:
		return choice{Algorithm1, c.why}
	case e.choleskyTime(m, x[:p], j) > limit:
		return choice{Algorithm1, fmt.Sprintf("%s; a Cholesky factor of its Gram matrix takes more than %d times as long as LSQR", c.why, favour)}
	}
	return choice{Cholesky, fmt.Sprintf("%s; a Cholesky factor of its Gram matrix takes %s of disk and, judging by the time of its products, at most %d times as long as LSQR", c.why, inGiB(o.DiskBytes()), favour)}
}

// chooseDirect returns Direct if a decomposition takes at most half of the memory, else Cholesky.
func (e Experiment) chooseDirect(j jacobianSize) choice {
	need := j.kept() + j.working()
	if min(j.rows, j.cols) <= eigenSmall || need <= e.budget()/2 {
		return choice{Direct, ""}
	}
	return choice{Cholesky, fmt.Sprintf("%s: decomposing it takes %s of memory, more than half of the %s that the run may use", j, inGiB(need), inGiB(e.budget()))}
}

// String says how large the Jacobian is.
func (j jacobianSize) String() string {
	if min(j.rows, j.cols) <= eigenSmall {
		return fmt.Sprintf("the Jacobian has %d relevant rows and %d columns", j.rows, j.cols)
	}
	return fmt.Sprintf("the Jacobian has %s relevant rows and %s columns", thousands(j.rows), thousands(j.cols))
}

// directTime predicts the seconds for computing and decomposing J.
func (e Experiment) directTime(m Model, theta []float32, j jacobianSize) float64 {
	p, n := m.Dims()
	lin := m.Linearize64(widened64(theta))
	k := min(trialVectors, certifyRowsOf(p, n))
	u, v := make([]float64, k*n), make([]float64, k*p)
	product := fastest(func() { lin.VJP(v, u) }) / float64(k)
	return product*float64(min(j.rows, j.cols)) + j.operations()*multiplication()
}

// operations returns the number of operations for the decomposition of J, its pseudoinverse and
// the Cramér-Rao figures. With d and D the smaller and the larger side of J, it is 8 d²D for
// products with J and 16 d³ for the eigenvectors of a Gram matrix. The latter is so large
// because the reduction to tridiagonal form is partly limited by the speed of memory.
func (j jacobianSize) operations() float64 {
	d, wide := float64(min(j.rows, j.cols)), float64(max(j.rows, j.cols))
	return 8*d*d*wide + 16*d*d*d
}

// choleskyTime predicts the seconds for the factor of J's Gram matrix and the searches with it.
func (e Experiment) choleskyTime(m Model, theta []float32, j jacobianSize) float64 {
	p, n := m.Dims()
	lin := m.Linearize(theta)
	u, v := make([]float32, trialVectors*n), make([]float32, trialVectors*p)
	product := fastest(func() {
		if j.rows > j.cols {
			lin.JVP(u, v)
		} else {
			lin.VJP(v, u)
		}
	}) / trialVectors
	d, wide := float64(min(j.rows, j.cols)), float64(max(j.rows, j.cols))
	solves := float64(len(e.Sizes) * e.Search.Restarts * e.Search.Repeats)
	return product*d + (j.gramOptions().Operations()+solves*gramSolves*4*d*(d+wide))*multiplication()
}

// freeTime predicts the seconds that Algorithm 1 takes with LSQR: expectedSteps steps for each
// solve, or 2·min(p, n) if that is fewer.
func (e Experiment) freeTime(m Model, theta []float32) float64 {
	p, n := m.Dims()
	lin := m.Linearize(theta)
	k := min(trialVectors, max(1, e.Search.Restarts))
	u, v := make([]float32, k*n), make([]float32, k*p)
	product := fastest(func() { lin.JVP(u, v); lin.VJP(v, u) }) / float64(k)
	solves := float64(len(e.Sizes) * e.Search.Restarts * e.Search.Repeats)
	return solves * min(expectedSteps, float64(2*min(p, n))) * product
}

// multiplication measures the seconds that one operation of a float64 matrix product takes.
func multiplication() float64 {
	a, b, c := make([]float64, trialSide*trialSide), make([]float64, trialSide*trialSide), make([]float64, trialSide*trialSide)
	return fastest(func() {
		simd.Gemm(false, false, trialSide, trialSide, trialSide, 1, a, trialSide, b, trialSide, 0, c, trialSide)
	}) / (2 * trialSide * trialSide * trialSide)
}

// fastest returns the seconds that f takes after a first call, the smaller of two times.
func fastest(f func()) float64 {
	f()
	best := math.Inf(1)
	for range 2 {
		start := time.Now()
		f()
		best = min(best, time.Since(start).Seconds())
	}
	return best
}

// inGiB prints bytes in GiB, or in MiB if they are few.
func inGiB(bytes int64) string {
	if bytes < 100<<20 {
		return inMiB(bytes)
	}
	return fmt.Sprintf("%.2g GiB", float64(bytes)/(1<<30))
}

// kept are the settings of a run that were chosen by timings and by its memory. A run that is
// resumed, or that several processes share, uses them again.
type kept struct {
	Settings settings `json:"settings"`
}

// keptIn reads these settings of the run in a folder, nil if there is none. It does not check
// that it is the same run: opening the folder does.
func keptIn(dir string) *kept {
	for _, path := range []string{filepath.Join(dir, shardsDir, manifestFile), filepath.Join(dir, manifestFile)} {
		data, err := file.ReadFile(path)
		k := &kept{}
		if err == nil && json.Unmarshal(data, k) == nil && k.Settings.Search.Search != "" {
			return k
		}
	}
	return nil
}
