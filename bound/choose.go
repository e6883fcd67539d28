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

// A choice is the decision whether Jacobians are decomposed, and its reason.
type choice struct {
	direct bool
	why    string
}

const (
	// favour is how many times as long as LSQR a decomposition may take and still be chosen.
	// A decomposition is also used for Cramér-Rao figures and singular directions, and timings
	// that vary should not change the choice.
	favour = 2
	// Timed are products of J with trialVectors vectors, and of square matrices with trialSide
	// rows.
	trialVectors = 16
	trialSide    = 384
)

// choose decides whether to decompose Jacobians of size j: always if they are so small that it
// takes hardly any time; never if they need more than half of the memory; otherwise if the
// predicted time is at most favour times that of LSQR. The prediction uses measured times of
// products with J and of matrix products. The manifest of a run stores the choice.
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
		return choice{false, fmt.Sprintf("%s: decomposing it takes %s of memory, more than half of the %s that the run may use", size, inGiB(need), inGiB(e.budget()))}
	}
	p, _ := m.Dims()
	direct := e.directTime(m, x[:p], j) <= favour*e.freeTime(m, x[:p])
	than := "at most"
	if !direct {
		than = "more than"
	}
	return choice{direct, fmt.Sprintf("%s: decomposing it takes %s of memory and, judging by the time of its products, %s %d times as long as LSQR", size, inGiB(need), than, favour)}
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
