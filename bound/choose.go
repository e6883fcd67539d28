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

// A choice says whether Jacobians are decomposed, and why.
type choice struct {
	direct bool
	why    string
}

const (
	// favour is how many times what LSQR takes a decomposition may take to be
	// preferred: it serves Cramér-Rao figures and singular directions too, and timings
	// that vary do not turn the choice.
	favour = 2
	// trialVectors and trialSide are the products that are timed: of so many vectors,
	// and of square matrices of that side.
	trialVectors = 16
	trialSide    = 384
)

// choose says whether to decompose Jacobians of that size: always where they are so
// small that it hardly takes time; never where they do not fit half of the memory;
// and else where it is predicted to take no more than favour times as long as LSQR,
// from the times that products with J and of matrices take here and now. A run keeps
// what was chosen in its manifest.
func (e Experiment) choose(m Model, x []float32, j jacobianSize) choice {
	size := fmt.Sprintf("the Jacobian has %d relevant rows and %d columns", j.rows, j.cols)
	if min(j.rows, j.cols) > eigenSmall {
		size = fmt.Sprintf("the Jacobian has %s relevant rows and %s columns", thousands(j.rows), thousands(j.cols))
	}
	need := j.kept() + j.working()
	switch {
	case min(j.rows, j.cols) <= eigenSmall:
		return choice{true, size + ": its decomposition is cheap and serves all restarts"}
	case need > e.budget()/2:
		return choice{false, fmt.Sprintf("%s: decomposing it takes %s of memory, more than half of the %s that may be used", size, inGiB(need), inGiB(e.budget()))}
	}
	p, _ := m.Dims()
	direct := e.directTime(m, x[:p], j) <= favour*e.freeTime(m, x[:p])
	than := "at most"
	if !direct {
		than = "more than"
	}
	return choice{direct, fmt.Sprintf("%s: decomposing it takes %s of memory and, by what its products take, %s %d times as long as LSQR", size, inGiB(need), than, favour)}
}

// directTime predicts the seconds that J and its decomposition take.
func (e Experiment) directTime(m Model, theta []float32, j jacobianSize) float64 {
	p, n := m.Dims()
	lin := m.Linearize64(widened64(theta))
	k := min(trialVectors, certifyRowsOf(p, n))
	u, v := make([]float64, k*n), make([]float64, k*p)
	product := fastest(func() { lin.VJP(v, u) }) / float64(k)
	return product*float64(min(j.rows, j.cols)) + j.operations()*multiplication()
}

// operations is how many operations of matrix products the decomposition of J, its
// pseudoinverse and Cramér-Rao figures take: 8 d²D for products with J, d and D its
// smaller and its larger side, and as much as 16 d³ for the eigenvectors of a Gram
// matrix, whose reduction to a tridiagonal one is partly at the memory's pace.
func (j jacobianSize) operations() float64 {
	d, wide := float64(min(j.rows, j.cols)), float64(max(j.rows, j.cols))
	return 8*d*d*wide + 16*d*d*d
}

// freeTime predicts the seconds that Algorithm 1 takes by LSQR: expectedSteps a solve,
// which 2·min(p, n) bounds.
func (e Experiment) freeTime(m Model, theta []float32) float64 {
	p, n := m.Dims()
	lin := m.Linearize(theta)
	k := min(trialVectors, max(1, e.Search.Restarts))
	u, v := make([]float32, k*n), make([]float32, k*p)
	product := fastest(func() { lin.JVP(u, v); lin.VJP(v, u) }) / float64(k)
	solves := float64(len(e.Sizes) * e.Search.Restarts * e.Search.Repeats)
	return solves * min(expectedSteps, float64(2*min(p, n))) * product
}

// multiplication is the time of one operation, in seconds, of a product of matrices in
// float64.
func multiplication() float64 {
	a, b, c := make([]float64, trialSide*trialSide), make([]float64, trialSide*trialSide), make([]float64, trialSide*trialSide)
	return fastest(func() {
		simd.Gemm(false, false, trialSide, trialSide, trialSide, 1, a, trialSide, b, trialSide, 0, c, trialSide)
	}) / (2 * trialSide * trialSide * trialSide)
}

// fastest returns the seconds that f takes once it is warm, the better of two.
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

// inGiB prints bytes.
func inGiB(bytes int64) string {
	if bytes < 100<<20 {
		return inMiB(bytes)
	}
	return fmt.Sprintf("%.2g GiB", float64(bytes)/(1<<30))
}

// kept is what a run that is resumed had chosen by timings and by its memory: so has one
// that several processes share.
type kept struct {
	Settings settings `json:"settings"`
}

// keptIn reads what a run in a folder has chosen, or nil if there is none: whether it is
// the same run is seen to where it is opened.
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
